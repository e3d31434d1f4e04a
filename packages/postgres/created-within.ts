import { type Micros, microsToIso } from '@spanhouse/model'
import { type RawBuilder, sql } from 'kysely'

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
