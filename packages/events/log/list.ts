import { type Json, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { list, optional, uuid, windowing, z } from '@spanhouse/validation'
import { batchesOf, bytesMaxOf, type RowSize } from '../batches.ts'
import { echoedWindow, windowOf } from '../window.ts'
import { type EventRow, toEventJson } from './record.ts'

/** Events in one page. */
const EVENTS_PAGE_MAX = 1_000

const TYPE_LENGTH_MAX = 200
const type = z.string().max(TYPE_LENGTH_MAX)

export const eventQuery = z.object({
  event: optional(
    z.object({
      event_type: optional(type).meta({ description: 'A kind, or its start and an asterisk: `secrets.*`.' }),
      event_types: optional(list(type, { max: 100 })),
      user_id: optional(uuid),
      id: optional(z.string().max(100)).meta({ description: 'Of an entity that was changed.' }),
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

/** A page of events, newest first, which are read while they are sent, and how to get the next page if there is one. */
export interface EventPage {
  count: number
  events: AsyncIterable<JsonObject>
  /** Of the most that are in memory at once. */
  bytesMax: number
  windowing?: JsonObject
}

export async function listEvents(scope: EventScope, query: EventQuery): Promise<EventPage> {
  const limit = Math.min(query.windowing?.limit ?? EVENTS_PAGE_MAX, EVENTS_PAGE_MAX)
  const sizes = await readSizes(scope, query, limit + 1)
  const batches = batchesOf(sizes.slice(0, limit))
  const next = { ...echoedWindow(query.windowing), limit, next: sizes[limit - 1]?.id as Json }
  const count = Math.min(sizes.length, limit)
  return {
    count,
    events: eventsOf(readBatches(scope, batches), count),
    bytesMax: bytesMaxOf(batches),
    ...(sizes.length > limit && { windowing: next }),
  }
}

/** All events that match, one line of JSON each; read page by page while they are sent. */
export async function* exportEvents(scope: EventScope, query: EventQuery): AsyncGenerator<string> {
  let left = query.windowing?.limit ?? Number.POSITIVE_INFINITY
  let next = query.windowing?.next
  while (left > 0) {
    const limit = Math.min(left, EVENTS_PAGE_MAX)
    const windowing = { ...query.windowing, next } as EventQuery['windowing']
    const sizes = await readSizes(scope, { ...query, windowing }, limit)
    for await (const events of readBatches(scope, batchesOf(sizes)))
      yield events.map(event => `${JSON.stringify(event)}\n`).join('')
    if (sizes.length < limit) return
    left -= sizes.length
    next = sizes.at(-1)?.id
  }
}

/** A commit to an environment holds all of its deployments. */
function readSizes({ db, project_id }: EventScope, query: EventQuery, limit: number): Promise<RowSize[]> {
  const { conditions, tail } = windowOf({ ...query.windowing, limit })
  const own = project_id === undefined ? sql`true` : sql`t.project_id = ${project_id}`
  const where = sql.join([own, ...filtersOf(query.event), ...conditions], sql` and `)
  return withDatabaseProblems(async () => {
    const { rows } = await sql<RowSize>`
      select t.id, octet_length(t.attributes::text) as bytes from events t where ${where} ${tail}`.execute(db)
    return rows
  })
}

/** Without those that were deleted meanwhile. */
async function* readBatches({ db }: EventScope, batches: readonly RowSize[][]): AsyncGenerator<JsonObject[]> {
  for (const batch of batches) {
    const ids = batch.map(({ id }) => id)
    const { rows } = await withDatabaseProblems(() =>
      sql<EventRow>`select t.* from events t where t.id = any(${ids}::uuid[])`.execute(db),
    )
    const byId = new Map(rows.map(row => [row.id, row]))
    yield ids.flatMap(id => byId.get(id) ?? []).map(toLoggedJson)
  }
}

async function* eventsOf(batches: AsyncIterable<JsonObject[]>, count: number): AsyncGenerator<JsonObject> {
  let read = 0
  for await (const batch of batches) {
    yield* batch
    read += batch.length
  }
  if (read < count) throw new Problem('overloaded', 'An event was deleted while the list was being read; try again.')
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
