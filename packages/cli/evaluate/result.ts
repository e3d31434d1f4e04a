import { answered, type Counts, followRun, type RunProgress, type Spanhouse } from '@spanhouse/client'

/** An output of an evaluator over all scenarios: the mean of a number, or the share of true. */
export interface Score {
  /** The output, behind the step where several evaluators have one of this name: `STEP:OUTPUT`. */
  key: string
  step: string
  output: string
  /** As in the metrics. */
  type: string
  value: number
  count: number
}

/** What has come out of a run. */
export interface Result {
  run_id: string
  name?: string
  status: string
  scenarios: Counts
  costs?: number
  scores: Score[]
}

interface Statistics {
  type: string
  count: number
  mean?: number
  freq?: { value: unknown; count: number }[]
}
type Data = Record<string, Record<string, Statistics>>

const OUTPUTS = 'attributes.ag.data.outputs'

/** Reads a run that is over. */
export async function readResult(spanhouse: Spanhouse, run_id: string): Promise<Result> {
  const { run } = await answered(spanhouse.GET('/evaluations/runs/{run_id}', { params: { path: { run_id } } }))
  const { name, status } = run as unknown as { name?: string; status: string }
  const { scenarios, costs } = await progressOf(spanhouse, run_id)
  const { metrics } = await answered(
    spanhouse.POST('/evaluations/metrics/query', {
      body: { metrics: { run_id, scenario_ids: false, timestamps: false } },
    }),
  )
  const scores = scoresOf((metrics[0] as { data?: Data } | undefined)?.data ?? {})
  return { run_id, name, status, scenarios, costs, scores }
}

async function progressOf(spanhouse: Spanhouse, run_id: string): Promise<RunProgress> {
  for await (const { name, data } of followRun(spanhouse, run_id)) if (name === 'progress') return data
  throw new Error(`The run ${run_id} was deleted.`)
}

/** The scores in a row of metrics. */
function scoresOf(data: Data): Score[] {
  const scores = Object.entries(data).flatMap(([step, metrics]) =>
    Object.entries(metrics).flatMap(([path, statistics]) => {
      const value = path.startsWith(OUTPUTS) ? scoreIn(statistics) : undefined
      const output = path.slice(OUTPUTS.length + 1) || 'outputs'
      return value === undefined
        ? []
        : [{ key: output, step, output, type: statistics.type, value, count: statistics.count }]
    }),
  )
  const times = Map.groupBy(scores, ({ output }) => output)
  return scores.map(score => ((times.get(score.output)?.length ?? 0) > 1 ? named(score) : score))
}

const named = (score: Score): Score => ({ ...score, key: `${score.step}:${score.output}` })

function scoreIn({ type, count, mean, freq }: Statistics): number | undefined {
  if (type.startsWith('numeric/')) return mean
  if (type !== 'binary' || count === 0) return undefined
  return (freq?.find(({ value }) => value === true)?.count ?? 0) / count
}

/** A scenario with what its cells and evaluators say. */
export interface ScenarioResult {
  id: string
  testcase_id?: string
  status: string
  errors: string[]
  scores: Score[]
}

interface Cell {
  scenario_id: string
  step_key: string
  testcase_id?: string
  error?: { message?: string }
}

const PAGE = 2_000

/** All scenarios of a run, in order. */
export async function readScenarios(spanhouse: Spanhouse, run_id: string): Promise<ScenarioResult[]> {
  const page = (next: string | undefined) => ({ limit: PAGE, order: 'ascending' as const, ...(next && { next }) })
  const scenarios = await allOf(async next => {
    const body = { scenario: { run_id }, windowing: page(next) }
    return (await answered(spanhouse.POST('/evaluations/scenarios/query', { body }))).scenarios
  })
  const cells = await allOf(async next => {
    const body = { result: { run_id }, windowing: page(next) }
    return (await answered(spanhouse.POST('/evaluations/results/query', { body }))).results
  })
  const metrics = await allOf(async next => {
    const body = { metrics: { run_id, scenario_ids: true }, windowing: page(next) }
    return (await answered(spanhouse.POST('/evaluations/metrics/query', { body }))).metrics
  })
  const cellsOf = Map.groupBy(cells as unknown as Cell[], ({ scenario_id }) => scenario_id)
  const metricsOf = new Map(
    (metrics as unknown as { scenario_id: string; data?: Data }[]).map(row => [row.scenario_id, row.data ?? {}]),
  )
  return (scenarios as { id: string; status: string }[]).map(({ id, status }) => {
    const own = cellsOf.get(id) ?? []
    return {
      id,
      testcase_id: own.find(({ testcase_id }) => testcase_id)?.testcase_id,
      status,
      errors: own.flatMap(({ step_key, error }) => (error ? [`${step_key}: ${error.message ?? 'failed'}`] : [])),
      scores: scoresOf(metricsOf.get(id) ?? {}),
    }
  })
}

async function allOf<T extends { id: string }>(read: (next: string | undefined) => Promise<T[]>): Promise<T[]> {
  const rows: T[] = []
  for (;;) {
    const page = await read(rows.at(-1)?.id)
    rows.push(...page)
    if (page.length < PAGE) return rows
  }
}
