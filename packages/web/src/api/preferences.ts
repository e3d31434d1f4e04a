import { api, post } from './client.ts'
import type { CaseCell } from './evaluations.ts'
import type { Annotation } from './scores.ts'

/** The evaluator under whose slug preferences are stored. The server creates it with the first one. */
const PREFERENCE = 'preference'

/** Which of two outputs a person prefers. */
export type Preference = 'baseline' | 'run' | 'neither'

/** The outputs of one case in two runs. */
export interface Pair {
  baseline: Pick<CaseCell, 'trace_id' | 'span_id'>
  run: Pick<CaseCell, 'trace_id' | 'span_id'>
  testcase_id?: string | undefined
}

/**
 * Stores what a person prefers, as an annotation of both traces: `preferred_trace_id` of its outputs is empty if they
 * prefer neither. Returns the id of its own trace.
 */
export async function savePreference(pair: Pair, preference: Preference): Promise<string> {
  const trace = {
    origin: 'human',
    kind: 'eval',
    channel: 'web',
    data: { outputs: { preferred_trace_id: preference === 'neither' ? '' : pair[preference].trace_id } },
    references: { evaluator: { slug: PREFERENCE }, ...(pair.testcase_id && { testcase: { id: pair.testcase_id } }) },
    links: { invocation: pair.run, baseline: pair.baseline },
  }
  const answer = await post<{ trace: { trace_id: string } }>('/simple/traces/', { trace })
  return answer.trace.trace_id
}

export const deletePreference = (trace_id: string): Promise<unknown> =>
  api(`/simple/traces/${trace_id}`, { method: 'DELETE' })

/** What was said of a pair before, the newest first; undefined if nothing was. */
export function preferenceIn(annotations: readonly Annotation[], { baseline, run }: Pair): Preference | undefined {
  const isAbout = (trace_id: string | undefined) => (annotation: Annotation) =>
    annotation.about.some(one => one.trace_id === trace_id)
  const found = annotations.find(
    annotation =>
      annotation.by === PREFERENCE && isAbout(run.trace_id)(annotation) && isAbout(baseline.trace_id)(annotation),
  )
  const preferred = found?.outputs.preferred_trace_id
  if (found === undefined || typeof preferred !== 'string') return undefined
  return preferred === run.trace_id ? 'run' : preferred === baseline.trace_id ? 'baseline' : 'neither'
}
