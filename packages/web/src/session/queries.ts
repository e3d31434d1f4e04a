import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { post } from '../api/client.ts'
import { listBody } from '../api/filtering.ts'
import type { Group, Row, RowGroups, RowPage } from '../api/queries.ts'
import { annotationsQuery } from '../api/scores.ts'

/** Turns of a session that are shown. */
export const TURNS_MAX = 1_000

/** A session grows during a conversation. */
const LOOK_MS = 2_000

interface Session {
  /** What all its traces add up to, as in the list of sessions; undefined if it has none. */
  totals: Group | undefined
  /** Its traces, the first one first; of a long one the last. */
  turns: Row[]
}

/** A session. What is asked for again and again is its totals: the turns are read when these have changed. */
export const sessionQuery = (session: string) =>
  queryOptions({
    queryKey: ['session', session],
    queryFn: async ({ signal, client, queryKey }): Promise<Session> => {
      const body = tracesOf(session)
      const before = client.getQueryData<Session>(queryKey)
      const { groups } = await post<RowGroups>('/spans/groups', body, signal)
      const totals = groups[0]
      if (before && JSON.stringify(before.totals) === JSON.stringify(totals)) return before
      const { rows } = await post<RowPage>('/spans/rows', { ...body, windowing: { limit: TURNS_MAX } }, signal)
      return { totals, turns: rows.toReversed() }
    },
    refetchInterval: LOOK_MS,
  })

/**
 * How often scores are asked for again, since evaluators and people say something of a turn after it: the less often, the
 * more turns there are.
 */
const SCORES_MS = { least: 5_000, aTurn: 30 }

/** What was said of all turns; when another turn arrives, what was said of those before stays. */
export const turnScoresQuery = (traceIds: readonly string[]) => ({
  ...annotationsQuery(traceIds),
  refetchInterval: Math.max(SCORES_MS.least, SCORES_MS.aTurn * traceIds.length),
  placeholderData: keepPreviousData,
})

function tracesOf(session: string) {
  const filter = { operator: 'and' as const, conditions: [{ field: 'session_id', operator: 'is', value: session }] }
  const { focus, filtering } = listBody('trace', filter, { oldest: '', newest: '' })
  return { focus, filtering }
}

/** Turns may be of one trace, which then has several roots. */
export const turnId = ({ trace_id, span_id }: Row): string => `${trace_id}/${span_id}`

/** From the beginning of the first turn to the end of the last one. */
export const lastedMs = ({ first = '', ended = '' }: Group): number => Date.parse(ended) - Date.parse(first)
