import { type JsonObject, microsToIso, present } from '@spanhouse/model'
import { type ListWindow, listWindow, type RawBuilder, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'

const [id, created_at] = [sql`t.id`, sql`t.created_at`]

/**
 * The window of a list of rows `t`, newest first unless it says otherwise: by id, or by the time of creation if there
 * is a `cursor`, which selects both in the row that `next` names.
 */
export const windowOf = (
  windowing: Partial<WindowingBody> = {},
  cursor?: (id: string) => RawBuilder<unknown>,
): ListWindow =>
  listWindow(windowing, {
    created_at,
    by: cursor ? [created_at, id] : [id],
    ...(cursor ? { cursor } : { areIdsTimed: true }),
    isAscending: windowing.order === 'ascending',
  })

/** What of a window the next page has in common with this one: its bounds and its order. */
export const echoedWindow = ({ newest, oldest, order }: Partial<WindowingBody> = {}): JsonObject =>
  present({
    newest: newest === undefined ? undefined : microsToIso(newest),
    oldest: oldest === undefined ? undefined : microsToIso(oldest),
    order,
  })
