import { type Micros, microsToIso } from '@spanhouse/model'
import { type RawBuilder, sql } from 'kysely'
import { lowestIdAt } from './uuid-v7.ts'

/** The bounds of a list, and the row that its page follows. */
interface Bounds {
  newest?: Micros | undefined
  oldest?: Micros | undefined
  next?: string | undefined
}

/**
 * Conditions on a time of creation. The bound at which the list begins is exclusive, the other one inclusive. With a
 * cursor both include their own time, since rows after the cursor may have it too.
 */
export function createdWithin(
  created_at: RawBuilder<unknown>,
  { newest, oldest, next }: Bounds,
  isAscending: boolean,
): RawBuilder<unknown>[] {
  const at = (time: Micros): RawBuilder<unknown> => sql`${microsToIso(time)}::timestamptz`
  const before = sql.raw(isAscending || next !== undefined ? '<=' : '<')
  const after = sql.raw(!isAscending || next !== undefined ? '>=' : '>')
  return [
    ...(newest === undefined ? [] : [sql`${created_at} ${before} ${at(newest)}`]),
    ...(oldest === undefined ? [] : [sql`${created_at} ${after} ${at(oldest)}`]),
  ]
}

/**
 * By how much the time in an id may differ from that of creation: the clocks of a process and of Postgres may differ,
 * as may the beginning and the end of a transaction.
 */
const ID_TIMES_DIFFER_MS = 24 * 60 * 60_000

/** The part of an index of ids in which rows of these times are: without it everything beyond the bounds is read. */
function idsWithin(id: RawBuilder<unknown>, { newest, oldest }: Bounds): RawBuilder<unknown>[] {
  const at = (time: Micros, ms: number): RawBuilder<unknown> => sql`${lowestIdAt(time / 1_000 + ms)}::uuid`
  return [
    ...(newest === undefined ? [] : [sql`${id} < ${at(newest, ID_TIMES_DIFFER_MS)}`]),
    ...(oldest === undefined ? [] : [sql`${id} >= ${at(oldest, -ID_TIMES_DIFFER_MS)}`]),
  ]
}

/** A part of a list: conditions on its rows, and its order and limit. */
export interface ListWindow {
  conditions: RawBuilder<unknown>[]
  tail: RawBuilder<unknown>
}

interface ListOrder {
  created_at: RawBuilder<unknown>
  /** The columns that order the list; together they differ in all rows. */
  by: readonly RawBuilder<unknown>[]
  /** Selects their values in the row with this id. Default: the list is ordered by the id. */
  cursor?: (id: string) => RawBuilder<unknown>
  /** All ids are of version 7 and made with their rows; the list is ordered by them. */
  areIdsTimed?: boolean
  isAscending: boolean
}

/** The rows created within the bounds that come after the cursor, in the order of the list; all without a limit. */
export function listWindow(
  bounds: Bounds & { limit?: number | undefined },
  { created_at, by, cursor = id => sql`${id}::uuid`, areIdsTimed = false, isAscending }: ListOrder,
): ListWindow {
  const { next, limit } = bounds
  const [follows, direction] = isAscending ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  return {
    conditions: [
      ...createdWithin(created_at, bounds, isAscending),
      ...(areIdsTimed ? idsWithin(sql.join(by), bounds) : []),
      ...(next === undefined ? [] : [sql`(${sql.join(by)}) ${follows} (${cursor(next)})`]),
    ],
    tail: sql`order by ${sql.join(by.map(column => sql`${column} ${direction}`))} ${limit === undefined ? sql`` : sql`limit ${limit}`}`,
  }
}
