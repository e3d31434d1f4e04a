import { invalid, type JsonObject, NIL_UUID, Problem, type Uuid } from '@spanhouse/model'
import type { OutboundFetch } from '@spanhouse/outbound'
import {
  type Database,
  listOf,
  newId,
  type RawBuilder,
  type RowList,
  type RowSize,
  sql,
  toJsonb,
  withDatabaseProblems,
  withoutNuls,
} from '@spanhouse/postgres'
import { TESTED } from '../log/kinds.ts'
import type { EventRow } from '../log/record.ts'
import { windowOf } from '../window.ts'
import type { DeliveryQuery, DraftSubscription, NewDelivery } from './body.ts'
import { deliveryIdOf, type Message } from './message.ts'
import { type DeliveryRow, toDeliveryJson } from './rows.ts'
import type { WebhookScope } from './scope.ts'
import { type Outcome, send } from './send.ts'
import { findSubscription, noSubscription, randomSecret, requireSecret, secretOf } from './subscriptions.ts'
import { requireRenderable } from './template.ts'

/** How a delivery has ended. */
export interface EndedDelivery {
  project_id: Uuid
  subscription_id: Uuid
  event_id: Uuid
  status: object
  data?: JsonObject | undefined
  /** That of the claim for which it was attempted; absent if it was not taken from the queue. */
  claimed_until?: string
}

/** 404 if the delivery does not exist. */
export const fetchDelivery = (scope: WebhookScope, id: Uuid): Promise<JsonObject> =>
  withDatabaseProblems(async () => toDeliveryJson(await findDelivery(scope, id)))

/**
 * The deliveries that match, by the time of their creation, newest first. 400 for a cursor that does not exist, or not
 * any more: what follows it is not known.
 */
export async function listDeliveries(
  scope: WebhookScope,
  { delivery, windowing }: DeliveryQuery,
): Promise<RowList<DeliveryRow>> {
  const { subscription_id, event_id, status } = delivery ?? {}
  if (windowing?.next !== undefined) await requireCursor(scope, windowing.next)
  const cursor = (id: string) =>
    sql`select created_at, id from webhook_deliveries where project_id = ${scope.project_id} and id = ${id}`
  const window = windowOf(windowing, cursor)
  const where = [
    sql`t.project_id = ${scope.project_id}`,
    ...(subscription_id === undefined ? [] : [sql`t.subscription_id = ${subscription_id}`]),
    ...(event_id === undefined ? [] : [sql`t.event_id = ${event_id}`]),
    ...(status?.code === undefined ? [] : [sql`t.status->>'code' = ${status.code}`]),
    ...window.conditions,
  ]
  const bytes = sql`coalesce(octet_length(t.data::text), 0)`
  const { rows } = await withDatabaseProblems(() =>
    sql<RowSize>`select t.id, ${bytes} as bytes from webhook_deliveries t
      where ${sql.join(where, sql` and `)} ${window.tail}`.execute(scope.db),
  )
  return listOf(rows, batch => selectDeliveries(scope, batch))
}

async function requireCursor(scope: WebhookScope, id: Uuid): Promise<void> {
  const row = await withDatabaseProblems(() => selectDelivery(scope, id))
  if (!row) throw invalid(`windowing.next: the webhook delivery ${id} does not exist.`)
}

function selectDeliveries({ db }: WebhookScope, batch: readonly RowSize[]): Promise<DeliveryRow[]> {
  const isAmong = sql<boolean>`id = any(${batch.map(({ id }) => id)}::uuid[])`
  return withDatabaseProblems(() => db.selectFrom('webhook_deliveries').selectAll().where(isAmong).execute())
}

/** Writes a delivery by hand, which sends nothing. 404 for an unknown subscription. */
export function writeDelivery(scope: WebhookScope, input: NewDelivery): Promise<JsonObject> {
  const { project_id } = scope
  const { subscription_id, event_id, status, data } = input
  return withDatabaseProblems(async () => {
    await findSubscription(scope, subscription_id)
    return toDeliveryJson(await store(scope, { project_id, subscription_id, event_id, status, data }))
  })
}

/**
 * Queues the event of a delivery once more, with all its attempts; receivers recognise it by its id. 404 for an unknown
 * delivery, and for an event that is no longer kept.
 */
export function redeliver(scope: WebhookScope, id: Uuid): Promise<JsonObject> {
  return withDatabaseProblems(async () => {
    const row = await findDelivery(scope, id)
    const { subscription_id, event_id } = row
    const { numInsertedOrUpdatedRows } = await scope.db
      .insertInto('webhook_queue')
      .columns(['subscription_id', 'event_id'])
      .expression(
        scope.db
          .selectFrom('events')
          .select([sql<Uuid>`${subscription_id}::uuid`.as('subscription_id'), 'id as event_id'])
          .where('id', '=', event_id)
          .where('project_id', '=', scope.project_id),
      )
      .onConflict(conflict =>
        conflict.columns(['subscription_id', 'event_id']).doUpdateSet({ attempts: 0, due_at: sql`now()` }),
      )
      .executeTakeFirstOrThrow()
    if (!numInsertedOrUpdatedRows) throw new Problem('not_found', `The event ${event_id} has expired.`)
    return toDeliveryJson(row)
  })
}

/**
 * Sends a test event once, now, and returns the delivery, whatever came of it. That of a stored subscription is stored.
 * 404 for an unknown subscription, also for one that was deleted meanwhile; 400 for a template beyond its limits, and
 * for `authorization` without a secret that can be sent. An address that may not be called is a delivery that failed.
 */
export async function testSubscription(
  scope: WebhookScope,
  fetch: OutboundFetch,
  { subscription_id, draft }: { subscription_id?: Uuid | undefined; draft?: DraftSubscription | undefined },
): Promise<JsonObject> {
  const id = subscription_id ?? draft?.id
  const stored = id === undefined ? undefined : await withDatabaseProblems(() => findSubscription(scope, id))
  const storedSecret = stored && (await withDatabaseProblems(() => secretOf(scope, stored)))
  const data = draft?.data ?? stored?.data
  if (!data) throw invalid('subscription.data is required without subscription.id.')
  if (data.payload_fields) requireRenderable(data.payload_fields)
  requireSecret(data, draft?.secret ?? (stored?.is_secret_given ? storedSecret : undefined))
  const event = testEventOf(scope, id)
  const nowhere = { created_at: event.created_at, updated_at: null }
  const message = {
    id: deliveryIdOf(id ?? NIL_UUID, event.id),
    event,
    subscription: {
      ...(stored ?? nowhere),
      ...(draft?.data && { name: draft.name ?? null, tags: draft.tags ?? null, meta: draft.meta ?? null }),
      id: id ?? 'draft',
    },
    data,
    secret: draft?.secret ?? (stored ? storedSecret : randomSecret()),
  } as Message
  const outcome = await send(fetch, message)
  const ended = endedOf(message, id ?? NIL_UUID, outcome)
  if (id === undefined) return draftDelivery(message, ended, scope)
  await withDatabaseProblems(() => keepEvent(scope.db, event))
  return toDeliveryJson(await withDatabaseProblems(() => store(scope, ended)))
}

/** What was sent may have NUL characters, as a template and `meta` may; outcomes are written together, so none may fail. */
export const endedOf = ({ event }: Message, subscription_id: Uuid, { status, data }: Outcome): EndedDelivery => ({
  project_id: event.project_id,
  subscription_id,
  event_id: event.id,
  status,
  data: withoutNuls(data),
})

function testEventOf({ project_id, user_id }: WebhookScope, id: Uuid | undefined): Message['event'] {
  const now = new Date().toISOString()
  return {
    id: newId(),
    project_id,
    type: TESTED,
    timestamp: now,
    created_at: now,
    actor: null,
    attributes: { user_id, subscription_id: id ?? 'draft' },
  }
}

const draftDelivery = ({ id, event }: Message, ended: EndedDelivery, { user_id }: WebhookScope): JsonObject =>
  toDeliveryJson({
    ...ended,
    id,
    created_at: event.created_at,
    created_by_id: user_id,
    updated_at: null,
    updated_by_id: null,
  } as unknown as DeliveryRow)

const keepEvent = (db: Database, { id, project_id, type, timestamp, attributes }: EventRow): Promise<unknown> =>
  db
    .insertInto('events')
    .values({ id, project_id, type, timestamp, attributes: toJsonb(attributes) as string })
    .execute()

const selectDelivery = ({ db, project_id }: WebhookScope, id: Uuid): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .executeTakeFirst()

async function findDelivery(scope: WebhookScope, id: Uuid): Promise<DeliveryRow> {
  const row = await selectDelivery(scope, id)
  if (!row) throw new Problem('not_found', `The webhook delivery ${id} does not exist.`)
  return row
}

/** 404 if the subscription was deleted meanwhile. */
async function store(scope: WebhookScope, ended: EndedDelivery): Promise<DeliveryRow> {
  await storeEnded(scope.db, [ended], scope.user_id)
  const { subscription_id, event_id } = ended
  const row = await selectDelivery(scope, deliveryIdOf(subscription_id, event_id))
  if (!row) throw noSubscription(subscription_id)
  return row
}

/**
 * Writes how deliveries have ended and takes them from the queue, in one statement; what was queued again during an
 * attempt stays for another one. Writing again replaces what is there. Those of subscriptions that were deleted
 * meanwhile are left out.
 */
export async function storeEnded(db: Database, ended: readonly EndedDelivery[], user_id: Uuid | null): Promise<void> {
  // A statement writes each row once: of an event that was queued again during an attempt, the later outcome.
  const rows = ended.map((one, n) => ({ ...one, n, id: deliveryIdOf(one.subscription_id, one.event_id), user_id }))
  await sql`
    with ended as (
      select ended.* from json_to_recordset(${toJsonb(rows as object as JsonObject[])}::json) as ended
        (n int, id uuid, project_id uuid, subscription_id uuid, event_id uuid, status json, data json, user_id uuid,
          claimed_until timestamptz)
      join webhook_subscriptions subscription on subscription.id = ended.subscription_id
      for key share of subscription
    ), stored as (
      insert into webhook_deliveries (id, project_id, subscription_id, event_id, status, data, created_by_id)
      select distinct on (id) id, project_id, subscription_id, event_id, status, data, user_id from ended
      order by id, n desc
      on conflict (subscription_id, event_id) do update
        set status = excluded.status, data = excluded.data, updated_at = now(), updated_by_id = excluded.created_by_id
    )
    ${TAKEN_FROM_QUEUE}`.execute(db)
}

const TAKEN_FROM_QUEUE: RawBuilder<unknown> = sql`
  delete from webhook_queue queued using ended
  where queued.subscription_id = ended.subscription_id and queued.event_id = ended.event_id
    and (ended.claimed_until is null or queued.due_at = ended.claimed_until)`
