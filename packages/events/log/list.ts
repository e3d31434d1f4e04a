import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { echoedWindow, windowOf } from '../window.ts'
import { type EventRow, toEventJson } from './record.ts'

/** Events in one page. */
const EVENTS_PAGE_MAX = 1_000
/**
 * What the attributes of a page take in the database, from which more than one event ends it: a deployment has all of
 * its environment's. Their text may be many times as long.
 */
const PAGE_STORED_BYTES_MAX = 1024 * 1024

const TYPE_LENGTH_MAX = 200
const type = z.string().max(TYPE_LENGTH_MAX)

export const eventQuery = z.object({
  event: optional(
    z.object({
      event_type: optional(type).meta({ description: 'A kind, or a prefix followed by an asterisk: `secrets.*`.' }),
      event_types: optional(list(type, { max: 100 })),
      user_id: optional(uuid),
      id: optional(z.string().max(100)).meta({ description: 'The id of a changed entity.' }),
    }),
  ),
  windowing: optional(windowing),
})
export type EventQuery = z.output<typeof eventQuery>

/** Where events are read: in a project, or, for the administrator, in all and outside of any. */
export interface EventScope {
  db: Database
  project_id: Uuid | undefined
}

/** A page of events, newest first, and how to get the next page if there is one. */
export async function listEvents(scope: EventScope, query: EventQuery): Promise<JsonObject> {
  const limit = Math.min(query.windowing?.limit ?? EVENTS_PAGE_MAX, EVENTS_PAGE_MAX)
  const { rows, hasMore } = await readPage(scope, query, limit)
  const events = rows.map(toLoggedJson)
  const next = { ...echoedWindow(query.windowing), limit, next: rows.at(-1)?.id as Json }
  return { count: events.length, events, ...(hasMore && { windowing: next }) }
}

/** All events that match, one line of JSON each; read page by page while they are sent. */
export async function* exportEvents(scope: EventScope, query: EventQuery): AsyncGenerator<string> {
  let left = query.windowing?.limit ?? Number.POSITIVE_INFINITY
  let next = query.windowing?.next
  while (left > 0) {
    const windowing = { ...query.windowing, next } as EventQuery['windowing']
    const { rows, hasMore } = await readPage(scope, { ...query, windowing }, Math.min(left, EVENTS_PAGE_MAX))
    if (rows.length > 0) yield rows.map(row => `${JSON.stringify(toLoggedJson(row))}\n`).join('')
    if (!hasMore) return
    left -= rows.length
    next = rows.at(-1)?.id
  }
}

interface EventPage {
  rows: EventRow[]
  hasMore: boolean
}

/** A page of at most `limit` events, which ends earlier when they are large. */
function readPage({ db, project_id }: EventScope, query: EventQuery, limit: number): Promise<EventPage> {
  const { conditions, tail } = windowOf({ ...query.windowing, limit: limit + 1 })
  const inOrder = windowOf({ order: query.windowing?.order }).tail
  const own = project_id === undefined ? sql`true` : sql`t.project_id = ${project_id}`
  const where = sql.join([own, ...filtersOf(query.event), ...conditions], sql` and `)
  return withDatabaseProblems(async () => {
    const { rows } = await sql<EventRow & { found: number }>`
      select t.*, page.found from (
        select t.id, (count(*) over ())::int as found, sum(t.bytes) over (${inOrder}) - t.bytes as bytes_before
        from (select t.id, pg_column_size(t.attributes) as bytes from events t where ${where} ${tail}) as t
      ) as page join events t on t.id = page.id
      where page.bytes_before < ${PAGE_STORED_BYTES_MAX} ${inOrder} limit ${limit}`.execute(db)
    return { rows, hasMore: (rows[0]?.found ?? 0) > rows.length }
  })
}

function filtersOf(filter: EventQuery['event']): RawBuilder<unknown>[] {
  const { event_type, event_types, user_id, id } = filter ?? {}
  return [
    event_type === undefined ? null : hasType(event_type),
    event_types === undefined ? null : sql`t.type = any(${event_types}::text[])`,
    user_id === undefined ? null : sql`t.attributes->>'user_id' = ${user_id}`,
    id === undefined ? null : sql`t.attributes->'ids' ? ${id}`,
  ].filter(condition => condition !== null)
}

const hasType = (type: string): RawBuilder<unknown> =>
  type.endsWith('*') ? sql`starts_with(t.type, ${type.slice(0, -1)})` : sql`t.type = ${type}`

/** With who has done it. */
const toLoggedJson = (row: EventRow): JsonObject => ({
  ...toEventJson(row),
  ...(row.project_id !== null && { project_id: row.project_id }),
  ...(row.actor && { actor: row.actor }),
})
