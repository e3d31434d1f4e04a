import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { listBody } from '../api/filtering.ts'
import type { RowPage } from '../api/queries.ts'

/** Turns of a session that are shown. */
export const TURNS_MAX = 1_000

/** The traces of a session, the first one first. */
export const sessionQuery = (session: string) =>
  queryOptions({
    queryKey: ['session', session],
    queryFn: async ({ signal }) => {
      const filter = { operator: 'and' as const, conditions: [{ field: 'session_id', operator: 'is', value: session }] }
      const { focus, filtering } = listBody('trace', filter, { oldest: '', newest: '' })
      const body = { focus, filtering, windowing: { limit: TURNS_MAX } }
      const { rows, windowing } = await api<RowPage>('/spans/rows', { method: 'POST', body, signal })
      return { turns: rows.toReversed(), hasEarlier: windowing !== undefined && rows.length === TURNS_MAX }
    },
    // A session grows while somebody talks.
    refetchInterval: 2_000,
  })
