import type { JsonObject, Uuid } from '@spanhouse/model'
import { type Database, newId, sql, toJsonb } from '@spanhouse/postgres'
import type { EventKind } from './kinds.ts'

/** Something that has happened in a project. */
export interface NewEvent {
  project_id: Uuid
  type: EventKind
  attributes: JsonObject
}

/** A stored event. */
export interface EventRow {
  id: Uuid
  /** Null for what belongs to no project. */
  project_id: Uuid | null
  type: string
  timestamp: string
  created_at: string
  actor: JsonObject | null
  attributes: JsonObject
}

/**
 * Records events, and queues them for the active subscriptions of their projects, in one statement: with the
 * transaction of what they report, or not at all.
 */
export const recordEvents = (db: Database, events: readonly NewEvent[]): Promise<void> => record(db, events, sql`true`)

/** As {@link recordEvents}, but only the events that an active subscription asks for. */
export const recordAskedFor = (db: Database, events: readonly NewEvent[]): Promise<void> =>
  record(db, events, sql`exists (select from asking where asking.event_id = event.id)`)

/** A subscription may be deleted meanwhile: what is queued for it is removed later, and never sent. */
async function record(db: Database, events: readonly NewEvent[], isRecorded: ReturnType<typeof sql>): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(event => ({ id: newId(), ...event }))
  await sql`
    with event as (
      select * from jsonb_to_recordset(${toJsonb(rows)}::jsonb)
        as event (id uuid, project_id uuid, type text, attributes jsonb)
    ), asking as (
      select subscription.id as subscription_id, event.id as event_id
      from event join webhook_subscriptions subscription on subscription.project_id = event.project_id
      where subscription.is_active and (event_types is null or event.type = any(event_types))
    ), recorded as (
      insert into events (id, project_id, type, attributes)
      select id, project_id, type, attributes from event where ${isRecorded}
    )
    insert into webhook_queue (subscription_id, event_id) select subscription_id, event_id from asking`.execute(db)
}

/** A change that no trigger of the database notes: see `migrations/081_audit.sql`. */
export interface OtherChange {
  /** Null for administration. */
  project_id: Uuid | null
  user_id: Uuid | null
  /** As the types of other changes: what and how, such as `traces.deleted`. */
  type: string
  ids: readonly string[]
}

/** Records the change in the log only: it is queued for nobody. The caller of `actingAs` is who makes it. */
export async function recordChange(db: Database, { project_id, user_id, type, ids }: OtherChange): Promise<void> {
  const attributes = toJsonb({ user_id, count: ids.length, ids: [...ids] })
  await sql`insert into events (id, project_id, type, attributes)
    values (${newId()}, ${project_id}, ${type}, ${attributes}::jsonb)`.execute(db)
}

/** An event as receivers and callers see it. */
export const toEventJson = ({ id, type, timestamp, created_at, attributes }: EventRow): JsonObject => ({
  event_id: id,
  event_type: type,
  timestamp,
  created_at,
  attributes,
})
