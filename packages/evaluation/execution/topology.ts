import type { RunFlags } from '../runs/flags.ts'
import type { Step } from '../runs/run-data.ts'

/**
 * What becomes of a run that is started: `live`: a stored query is carried out again and again; `open`: batches arrive
 * later; `testsets`, `queries`: one batch over testcases, or over what a stored query finds; `refused`: nothing
 * executes such a graph.
 */
export type Verdict = 'refused' | 'live' | 'open' | 'testsets' | 'queries'

interface Graph extends Pick<RunFlags, 'has_queries' | 'has_testsets' | 'has_traces' | 'has_testcases' | 'is_live'> {
  applications: number
  evaluators: number
}

/** Which graphs run (section 3.1 of the interface), top to bottom: the first row that fits decides. */
const RULES: readonly [Verdict, (graph: Graph) => boolean][] = [
  ['refused', graph => graph.has_queries && graph.has_testsets],
  ['refused', graph => graph.has_testsets && graph.is_live],
  ['refused', ({ applications }) => applications > 1],
  ['live', graph => graph.has_queries && graph.is_live && isEvaluatorsOnly(graph)],
  ['open', graph => (graph.has_testcases || graph.has_traces) && isEvaluatorsOnly(graph)],
  ['refused', graph => graph.has_queries && graph.applications > 0],
  ['testsets', graph => graph.has_testsets && isEvaluatorsOnly(graph)],
  ['queries', graph => graph.has_queries && isEvaluatorsOnly(graph)],
  ['testsets', graph => graph.has_testsets && graph.applications === 1],
]

const isEvaluatorsOnly = ({ applications, evaluators }: Graph): boolean => applications === 0 && evaluators > 0

export function verdictOf(flags: RunFlags, steps: readonly Step[]): Verdict {
  const count = (type: Step['type']): number => steps.filter(step => step.type === type).length
  const graph: Graph = { ...flags, applications: count('invocation'), evaluators: count('annotation') }
  return RULES.find(([, fits]) => fits(graph))?.[0] ?? 'refused'
}
