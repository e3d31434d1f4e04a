import { queryOptions } from '@tanstack/react-query'
import { api, apiById, post } from './client.ts'
import type { Queue, Reference } from './evaluations.ts'
import type { JsonObject } from './registry/registry.ts'

/** The queue of a run by which everybody annotates; null if it has none. */
export const runQueueQuery = (run_id: string) =>
  queryOptions({
    queryKey: ['run queue', run_id],
    queryFn: async ({ signal }) =>
      (await api<{ queue?: { id: string } }>(`/evaluations/runs/${run_id}/queues/default`, { signal })).queue ?? null,
  })

/** Null: the project has no such queue. */
export const queueQuery = (id: string) =>
  queryOptions({
    queryKey: ['queue', id],
    queryFn: async ({ signal }) =>
      (await apiById<{ queue?: Queue }>(`/simple/queues/${encodeURIComponent(id)}`, { signal }))?.queue ?? null,
  })

export interface QueueProgress {
  scenarios: number
  done: number
  assignees: { repeat_idx: number; user_id?: string; scenarios: number; done: number }[]
}

export const queueProgressQuery = (id: string) =>
  queryOptions({
    queryKey: ['queue progress', id],
    queryFn: async ({ signal }) =>
      (await api<{ progress?: QueueProgress }>(`/evaluations/queues/${id}/progress`, { signal })).progress ?? null,
  })

/** So many are counted with one request. */
const COUNTED_AT_ONCE = 10

/** How far people are in each of some queues: questions that are answered one by one. */
export const progressQueries = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / COUNTED_AT_ONCE) }, (_, at) => {
    const queue_ids = ids.slice(at * COUNTED_AT_ONCE, (at + 1) * COUNTED_AT_ONCE)
    return queryOptions({
      queryKey: ['queues progress', queue_ids],
      queryFn: async ({ signal }) =>
        (await post<{ progress: ListedProgress[] }>('/evaluations/queues/progress/query', { queue_ids }, signal))
          .progress,
      staleTime: 0,
    })
  })

export interface ListedProgress extends QueueProgress {
  queue_id: string
}

export interface Profile {
  id: string
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => api<Profile>('/profile', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** A page of the scenarios that wait for a user, in the order of their assignment. */
export function readWorklist(
  queue_id: string,
  { user_id, windowing }: { user_id: string; windowing: object },
  signal?: AbortSignal,
): Promise<{ scenarios: { id: string }[]; windowing?: object }> {
  const body = { queue: { user_id }, scenario: { statuses: ['pending', 'running', 'queued'] }, windowing }
  return post(`/simple/queues/${queue_id}/scenarios/query`, body, signal)
}

/** Which cell of a run an annotation is for, and what it is about. */
export interface AnnotationPlace {
  run_id: string
  scenario_id: string
  step_key: string
  repeat_idx: number
  testcase_id?: string
  /** Of the evaluator. */
  references: Readonly<Record<string, Reference>>
  /** The trace that is judged, if there is one. */
  subject?: { trace_id: string; span_id: string }
}

const cellOf = ({ run_id, scenario_id, step_key, repeat_idx, testcase_id }: AnnotationPlace) => ({
  run_id,
  scenario_id,
  step_key,
  repeat_idx,
  ...(testcase_id && { testcase_id }),
})

/** Stores what a person says of a case, as a trace: with the same key, the same one. Returns its id. */
export async function storeAnnotation(place: AnnotationPlace, outputs: JsonObject, key: string): Promise<string> {
  const { references, subject } = place
  const { trace } = await post<{ trace: { trace_id: string } }>('/simple/traces/', {
    idempotency_key: key,
    trace: {
      origin: 'human',
      kind: 'eval',
      channel: 'web',
      data: { outputs },
      references,
      links: subject ? { invocation: subject } : {},
    },
  })
  return trace.trace_id
}

/** Has the cell of a case refer to the annotation that was stored for it. */
export const fillCell = (place: AnnotationPlace, trace_id: string): Promise<unknown> =>
  post('/evaluations/results/', { results: [{ ...cellOf(place), status: 'success', trace_id }] })

export const deleteAnnotation = (trace_id: string): Promise<unknown> =>
  api(`/simple/traces/${trace_id}`, { method: 'DELETE' })

/** Takes an annotation back: its cell waits again, and its trace is deleted. */
export async function undoAnnotation(place: AnnotationPlace, trace_id: string): Promise<void> {
  await post('/evaluations/results/', { results: [{ ...cellOf(place), status: 'pending' }] })
  await deleteAnnotation(trace_id)
}

/** Computes the metrics of cases and of their run, which do not follow the cells of people by themselves. */
export async function refreshMetrics(run_id: string, scenario_ids: readonly string[]): Promise<void> {
  await post('/evaluations/metrics/refresh', { metrics: { run_id, scenario_ids } })
  await post('/evaluations/metrics/refresh', { metrics: { run_id } })
}
