import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, post } from '../api/client.ts'
import { listBody } from '../api/filtering.ts'
import type { Group, RowGroups, RowPage } from '../api/queries.ts'
import { annotationsQuery } from '../api/scores.ts'

/** Turns of a session that are shown. */
export const TURNS_MAX = 1_000

/** A session grows while somebody talks. */
const LOOK_MS = 2_000

/** The traces of a session, the first one first; of a long one the last. */
export const sessionQuery = (session: string) =>
  queryOptions({
    queryKey: ['session', session],
    queryFn: async ({ signal }) => {
      const body = { ...tracesOf(session), windowing: { limit: TURNS_MAX } }
      const { rows } = await post<RowPage>('/spans/rows', body, signal)
      return rows.toReversed()
    },
    refetchInterval: LOOK_MS,
  })

/** What all traces of a session add up to, as in the list of sessions; null if it has none. */
export const sessionTotalsQuery = (session: string) =>
  queryOptions({
    queryKey: ['session totals', session],
    queryFn: async ({ signal }) =>
      (await api<RowGroups>('/spans/groups', { method: 'POST', body: tracesOf(session), signal })).groups[0] ?? null,
    refetchInterval: LOOK_MS,
  })

/** How often scores are asked for again: evaluators and people say something of a turn after it. */
const SCORES_MS = 5_000

/** What was said of all turns; when another turn arrives, what was said of those before stays. */
export const turnScoresQuery = (traceIds: readonly string[]) => ({
  ...annotationsQuery(traceIds),
  refetchInterval: SCORES_MS,
  placeholderData: keepPreviousData,
})

function tracesOf(session: string) {
  const filter = { operator: 'and' as const, conditions: [{ field: 'session_id', operator: 'is', value: session }] }
  const { focus, filtering } = listBody('trace', filter, { oldest: '', newest: '' })
  return { focus, filtering }
}

/** From the beginning of the first turn to the end of the last one. */
export const lastedMs = ({ first = '', ended = '' }: Group): number => Date.parse(ended) - Date.parse(first)
