import { queryOptions } from '@tanstack/react-query'
import { api, post } from './client.ts'
import { startTraceEvaluation } from './evaluations.ts'
import { untilPassed } from './query-client.ts'
import { isObject, type JsonObject, type Workflow } from './registry/registry.ts'
import { saveQuery } from './saved-queries.ts'
import { wholeParts } from './whole-parts.ts'

/** A selected span; a root represents its trace. */
export interface Chosen {
  trace_id: string
  span_id: string
}

/** The input of a span as the columns of a testcase, and its output as the expected answer. */
export async function testcaseOf({ trace_id, span_id }: Chosen): Promise<JsonObject> {
  const { inputs, outputs } = await wholeParts({ trace_id, span_id })
  // A hosted application gets its inputs as a member.
  const isWrapped = isObject(inputs) && isObject(inputs.inputs) && Object.keys(inputs).length === 1
  const given = isWrapped ? inputs.inputs : inputs
  return {
    ...(isObject(given) ? given : given !== undefined && { inputs: given }),
    ...(outputs !== undefined && { correct_answer: outputs }),
  }
}

export interface TraceQueue {
  id: string
  name?: string
}

/** The queues that take traces. */
export const traceQueuesQuery = queryOptions({
  queryKey: ['trace queues'],
  queryFn: async ({ signal }) => {
    const body = { queue: { kind: 'traces' } }
    return (await post<{ queues: TraceQueue[] }>('/simple/queues/query', body, signal)).queues
  },
})

/** Adds traces to a queue of people. */
export async function addToQueue(queue_id: string, trace_ids: readonly string[]): Promise<void> {
  const { count } = await api<{ count: number }>(`/simple/queues/${queue_id}/traces/`, {
    method: 'POST',
    body: { trace_ids },
  })
  if (count === 0) throw new Error('The queue takes no traces, or it was deleted.')
}

/** Creates a queue for traces in which people answer for an evaluator. */
export async function createTraceQueue(name: string, evaluator: Workflow): Promise<TraceQueue> {
  const data = { kind: 'traces', evaluators: { [evaluator.revision_id ?? '']: 'human' } }
  const body = { queue: { name, data } }
  const { queue } = await post<{ queue?: TraceQueue }>('/simple/queues/', body)
  if (!queue) throw new Error('The queue was not created: its evaluator has no schema that people can fill in.')
  return queue
}

interface NewEvaluation {
  name: string
  trace_ids: readonly string[]
  evaluators: readonly Workflow[]
}

/** Evaluates some traces as they are; returns the id of the run. The traces are kept as a saved query. */
export async function evaluateTraces({ name, trace_ids, evaluators }: NewEvaluation): Promise<string> {
  const condition = { field: 'trace_id', operator: 'in', value: trace_ids }
  const query = await saveQuery({ name, focus: 'trace', filtering: { operator: 'and', conditions: [condition] } })
  const chosen = evaluators.map(({ revision_id = '' }) => [revision_id, 'auto'] as const)
  const [run_id = ''] = await startTraceEvaluation({
    name,
    query: query.revision_id ?? '',
    evaluators: Object.fromEntries(chosen),
  })
  return run_id
}

/** The traces as JSON lines, one after the other, each with all of its spans. */
export async function* linesOfTraces(trace_ids: readonly string[], signal: AbortSignal): AsyncGenerator<string> {
  for (const id of trace_ids) {
    const read = () => api<{ trace?: object }>(`/traces/${id}`, { isExact: true, signal })
    const { trace } = await untilPassed(read, signal)
    yield trace ? `${JSON.stringify(trace)}\n` : ''
  }
}
