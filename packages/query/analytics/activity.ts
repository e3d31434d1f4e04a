import { invalid, type JsonObject, type Micros, microsToIso, parseJson, type Uuid } from '@spanhouse/model'
import { type Location, malformed, optional, readBoolean, readObject, readText } from '../filter/shape.ts'
import { fromSpans, SETTINGS } from '../page/statements.ts'
import { type GivenWindowing, type Order, parseGivenWindowing } from '../page/windowing.ts'
import { count, int, type Sql, sql, text } from '../sql.ts'

/*
 * Sessions and users are listed by when they were active: at their first span inside a window of time, or at their last.
 * Where a page ends is a time and an id. But that time cannot be the window's bound for the next page, as a smaller
 * window has other first and last spans: ids that were listed would come again. So `next` carries, beside the id, the
 * bound that the first page had.
 */

/** Whose activity is listed. */
export type Actor = 'session' | 'user'

export interface ActivityQuery {
  /** Ordered by the last activity instead of the first. */
  readonly realtime: boolean
  readonly order: Order
  readonly limit: number
  /** What the request says of time and page. */
  readonly given: GivenWindowing
  readonly cursor?: Cursor
}

interface Cursor {
  /** Where the window of all pages begins: its newest time when descending, its oldest when ascending. */
  readonly bound: Micros
  /** The last id of the page before. */
  readonly id: string
}

export interface ActivityRow {
  readonly id: string
  /** Microseconds. */
  readonly activity: Micros
}

/** Ids of a page when the request names no limit, and the most that it can ask for. */
export const IDS_MAX = 10_000

/**
 * Reads `{realtime?, windowing?}`. Throws `unprocessable` (422) on a member of the wrong type, `invalid` (400) on a limit
 * past {@link IDS_MAX}. Other members are ignored.
 */
export function parseActivityQuery(json: unknown): ActivityQuery {
  const body = readObject(json, ['body'])
  const loc = ['body', 'windowing']
  const { next, ...windowing } = optional(body.windowing, loc, readObject) ?? {}
  const given = parseGivenWindowing(windowing, 'span', loc)
  const { order = 'descending', limit = IDS_MAX } = given
  if (limit > IDS_MAX) throw invalid(`limit: at most ${IDS_MAX} ids a page`)
  const cursor = optional(next, [...loc, 'next'], readCursor)
  const begins = order === 'descending' ? given.newest : given.oldest
  return {
    realtime: optional(body.realtime, ['body', 'realtime'], readBoolean) ?? false,
    order,
    limit,
    given,
    // Without the time that it belongs to a cursor means nothing, as everywhere.
    ...(cursor === undefined || begins === undefined ? {} : { cursor }),
  }
}

const COLUMNS: Record<Actor, Sql> = { session: sql`session_id`, user: sql`user_id` }

/** Rows as in {@link ActivityRow}, one for each id, of all spans that carry one. */
export function compileActivityQuery(project_id: Uuid, actor: Actor, query: ActivityQuery): Sql {
  const { order, limit, realtime } = query
  const column = COLUMNS[actor]
  const activity = sql`toUnixTimestamp64Micro(${realtime ? sql`max` : sql`min`}(start_time)) AS activity`
  const rows = fromSpans(project_id, [sql`${column} != ''`, ...windowOf(query)])
  const direction = order === 'descending' ? sql`DESC` : sql`ASC`
  return sql`SELECT ${column} AS id, ${activity} ${rows} GROUP BY id ${beyondCursor(query)}ORDER BY activity ${direction}, id ${direction} LIMIT ${count(limit)} ${SETTINGS}`
}

/** The bound at which the pages begin is exclusive, the other one inclusive. */
function windowOf({ order, given, cursor }: ActivityQuery): Sql[] {
  const isDescending = order === 'descending'
  const oldest = isDescending ? given.oldest : (cursor?.bound ?? given.oldest)
  const newest = isDescending ? (cursor?.bound ?? given.newest) : given.newest
  const at = (time: Micros): Sql => sql`fromUnixTimestamp64Micro(${int(time)}, 'UTC')`
  const from = isDescending ? sql`>=` : sql`>`
  const to = isDescending ? sql`<` : sql`<=`
  return [
    ...(oldest === undefined ? [] : [sql`start_time ${from} ${at(oldest)}`]),
    ...(newest === undefined ? [] : [sql`start_time ${to} ${at(newest)}`]),
  ]
}

function beyondCursor({ order, given, cursor }: ActivityQuery): Sql {
  if (cursor === undefined) return sql``
  const reached = order === 'descending' ? given.newest : given.oldest
  const beyond = order === 'descending' ? sql`<` : sql`>`
  return sql`HAVING (activity, id) ${beyond} (${int(reached as Micros)}, ${text(cursor.id)}) `
}

/** The windowing that asks for the page after a full one; undefined when there is none. */
export function nextActivityWindowing(query: ActivityQuery, page: readonly ActivityRow[]): JsonObject | undefined {
  const { given, order, limit, cursor } = query
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined || page.length < limit) return undefined
  const isDescending = order === 'descending'
  const [reached, begins, kept, other] = isDescending
    ? (['newest', given.newest, 'oldest', given.oldest] as const)
    : (['oldest', given.oldest, 'newest', given.newest] as const)
  // Without a bound the first page sets one, so that what comes in meanwhile does not move an id to a page gone by.
  const bound = cursor?.bound ?? begins ?? first.activity + (isDescending ? 1 : -1)
  return {
    [reached]: microsToIso(last.activity),
    ...(other === undefined ? {} : { [kept]: microsToIso(other) }),
    limit,
    ...(given.order === undefined ? {} : { order }),
    next: Buffer.from(JSON.stringify([bound, last.id])).toString('base64url'),
  }
}

function readCursor(value: unknown, loc: Location): Cursor {
  const [bound, id] = decodeCursor(readText(value, loc))
  if (typeof bound === 'number' && Number.isSafeInteger(bound) && typeof id === 'string') return { bound, id }
  throw malformed(['value_error', 'Input should be `next` of the page before'], loc, value)
}

/** Longer than that of any id. */
const CURSOR_LENGTH_MAX = 200_000

function decodeCursor(written: string): readonly unknown[] {
  try {
    if (written.length > CURSOR_LENGTH_MAX) return []
    const decoded = parseJson(Buffer.from(written, 'base64url').toString())
    return Array.isArray(decoded) ? decoded : []
  } catch {
    return []
  }
}
