import { type JsonObject, microsToIso, present } from '@spanhouse/model'
import { createdWithin, type RawBuilder, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'

/** A part of a list: conditions on a table `t`, and its order and limit. */
export interface Window {
  conditions: RawBuilder<unknown>[]
  tail: RawBuilder<unknown>
}

/**
 * The window of a list (section 0 of the interface's conventions), newest first unless it says otherwise; everything
 * without a limit. Bounds are times of creation; with a cursor they are inclusive. `by` are the columns that order the
 * list, and `cursor` selects their values in the row that `next` names.
 */
export function windowOf(
  { newest, oldest, next, order, limit }: Partial<WindowingBody> = {},
  by: readonly ('created_at' | 'id')[] = ['id'],
  cursor: (id: string) => RawBuilder<unknown> = id => sql`${id}::uuid`,
): Window {
  const isAscending = order === 'ascending'
  const columns = sql.raw(by.map(name => `t.${name}`).join(', '))
  const ordered = sql.raw(by.map(name => `t.${name} ${isAscending ? 'asc' : 'desc'}`).join(', '))
  return {
    conditions: [
      ...createdWithin(sql`t.created_at`, { newest, oldest, next }, isAscending),
      ...(next === undefined ? [] : [sql`(${columns}) ${sql.raw(isAscending ? '>' : '<')} (${cursor(next)})`]),
    ],
    tail: sql`order by ${ordered} ${limit === undefined ? sql`` : sql`limit ${limit}`}`,
  }
}

/** What of a window the next page has in common with this one: its bounds and its order. */
export const echoedWindow = ({ newest, oldest, order }: Partial<WindowingBody> = {}): JsonObject =>
  present({
    newest: newest === undefined ? undefined : microsToIso(newest),
    oldest: oldest === undefined ? undefined : microsToIso(oldest),
    order,
  })
