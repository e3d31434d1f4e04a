import { invalid, type JsonObject, type Micros, microsToIso, parseJson, type Uuid } from '@spanhouse/model'
import type { Aggregation } from '../aggregation.ts'
import { BODY, type Location, malformed, optional, readBoolean, readObject, readText } from '../filter/shape.ts'
import { fromSpans, SETTINGS } from '../page/statements.ts'
import { type GivenWindowing, type Order, parseGivenWindowing } from '../page/windowing.ts'
import { aggregate, count, dateTime, int, type Sql, sql, text } from '../sql.ts'

/*
 * Sessions and users are ordered by the time of their first span in a window, or of their last. The end of a page is a
 * time and an id. That time cannot become the window's bound for the next page, because a smaller window has other
 * first and last spans, and ids that were already listed would reappear. So `next` contains, in addition to the id, the
 * bound of the first page.
 */

/** What is listed. */
export type Actor = 'session' | 'user'

export interface ActivityQuery {
  /** Order by the last activity instead of the first. */
  readonly realtime: boolean
  readonly order: Order
  readonly limit: number
  /** The request's own time bounds and page. */
  readonly given: GivenWindowing
  readonly cursor?: Cursor
}

interface Cursor {
  /** The bound at which all pages of the window begin: the newest time when descending, the oldest when ascending. */
  readonly bound: Micros
  /** The last id of the previous page. */
  readonly id: string
}

export interface ActivityRow {
  readonly id: string
  /** Microseconds. */
  readonly activity: Micros
}

/** Default and maximum number of ids in a page. */
const IDS_MAX = 10_000

/**
 * Parses `{realtime?, windowing?}`. Throws `unprocessable` (422) on a member of the wrong type, `invalid` (400) on a
 * limit above {@link IDS_MAX}. Other members are ignored.
 */
export function parseActivityQuery(json: unknown): ActivityQuery {
  const body = readObject(json, BODY)
  const loc = ['body', 'windowing']
  const { next, ...windowing } = optional(body.windowing, loc, readObject) ?? {}
  const given = parseGivenWindowing(windowing, 'span', loc)
  const { order = 'descending', limit = IDS_MAX } = given
  if (limit > IDS_MAX) throw invalid(`limit: at most ${IDS_MAX} ids per page`)
  const cursor = optional(next, [...loc, 'next'], readCursor)
  const begins = order === 'descending' ? given.newest : given.oldest
  return {
    realtime: optional(body.realtime, ['body', 'realtime'], readBoolean) ?? false,
    order,
    limit,
    given,
    // A cursor without the time it belongs to is ignored, as everywhere.
    ...(cursor === undefined || begins === undefined ? {} : { cursor }),
  }
}

const COLUMNS: Record<Actor, Sql> = { session: sql`session_id`, user: sql`user_id` }

/** Rows as in {@link ActivityRow}, one for each id, over all spans that have one. */
export function compileActivityQuery(project_id: Uuid, actor: Actor, query: ActivityQuery): Aggregation {
  const { order, limit, realtime } = query
  const column = COLUMNS[actor]
  const activity = aggregate(realtime ? sql`max` : sql`min`, sql`start_time`)
  const rows = fromSpans(project_id, [sql`${column} != ''`, ...windowOf(query)])
  const direction = order === 'descending' ? sql`DESC` : sql`ASC`
  return {
    keys: [{ name: sql`id`, value: column }],
    columns: sql`toUnixTimestamp64Micro(${activity}) AS activity`,
    rows,
    order: sql`${beyondCursor(query)}ORDER BY activity ${direction}, id ${direction} LIMIT ${count(limit)}`,
    settings: SETTINGS,
  }
}

/** The bound at which pages begin is exclusive, the other one inclusive. */
function windowOf({ order, given, cursor }: ActivityQuery): Sql[] {
  const isDescending = order === 'descending'
  const oldest = isDescending ? given.oldest : (cursor?.bound ?? given.oldest)
  const newest = isDescending ? (cursor?.bound ?? given.newest) : given.newest
  const from = isDescending ? sql`>=` : sql`>`
  const to = isDescending ? sql`<` : sql`<=`
  return [
    ...(oldest === undefined ? [] : [sql`start_time ${from} ${dateTime(oldest)}`]),
    ...(newest === undefined ? [] : [sql`start_time ${to} ${dateTime(newest)}`]),
  ]
}

function beyondCursor({ order, given, cursor }: ActivityQuery): Sql {
  if (cursor === undefined) return sql``
  const reached = order === 'descending' ? given.newest : given.oldest
  const beyond = order === 'descending' ? sql`<` : sql`>`
  return sql`HAVING (activity, id) ${beyond} (${int(reached as Micros)}, ${text(cursor.id)}) `
}

/** The windowing for the page after a full one; undefined if there is none. */
export function nextActivityWindowing(query: ActivityQuery, page: readonly ActivityRow[]): JsonObject | undefined {
  const { given, order, limit, cursor } = query
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined || page.length < limit) return undefined
  const isDescending = order === 'descending'
  const [reached, begins, kept, other] = isDescending
    ? (['newest', given.newest, 'oldest', given.oldest] as const)
    : (['oldest', given.oldest, 'newest', given.newest] as const)
  // If no bound is given, the first page sets one, so that new spans do not move an id to an earlier page.
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
  throw malformed(['value_error', 'Input should be the `next` of the previous page'], loc, value)
}

/** Longer than the cursor of any id. */
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
