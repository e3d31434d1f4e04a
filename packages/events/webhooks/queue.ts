import { openWebhookSecrets, type Vault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import { type Database, sql, toJsonb } from '@spanhouse/postgres'
import { deliveryIdOf, type Message } from './message.ts'
import type { SubscriptionRow } from './rows.ts'

/** How long a claimed delivery is left to its process, unless that renews the claim. */
const CLAIM_SECONDS = 20

/** A delivery that this process attempts. */
export interface Claim {
  message: Message
  subscription_id: Uuid
  event_id: Uuid
  /** Attempts that have ended without success. */
  attempts: number
  /** Of the room for attempts, as large events take more memory. */
  places: number
  /**
   * Tells the claim from others of the same delivery: of those that it was left to, and of a later one. Changes when
   * the claim is renewed.
   */
  claimed_until: string
}

/** Where deliveries are claimed. */
export interface ClaimSource {
  db: Database
  vault: Vault
  /** Called for each claimed delivery whose secret cannot be decrypted. */
  onUnreadable(error: Error): void
}

export interface Room {
  /** The places of all claims together, at most, but one claim is made in any case. */
  max: number
  /** Of a subscription that is not among `held`. */
  each: number
  held: readonly { id: Uuid; room: number }[]
}

type ClaimedRow = Omit<Claim, 'message'>

/** What an event takes in the database for each place, about half of its text. */
const BYTES_A_PLACE = 32 * 1024

/**
 * Claims deliveries that are due, some of each subscription. The recursive part finds the subscriptions with queued
 * deliveries, one look into the index each, however long a queue is.
 */
export async function claimDue(source: ClaimSource, { max, each, held }: Room): Promise<Claim[]> {
  const { db } = source
  if (await isEmpty(db)) return []
  const { rows } = await sql<ClaimedRow>`
    with recursive queued as (
      (select subscription_id from webhook_queue order by subscription_id limit 1)
      union all
      select (select q.subscription_id from webhook_queue q where q.subscription_id > queued.subscription_id
        order by q.subscription_id limit 1)
      from queued where queued.subscription_id is not null
    ), receiving as (
      select subscription.id, coalesce(held.room, ${each}::int) as room
      from queued join webhook_subscriptions subscription on subscription.id = queued.subscription_id
      left join jsonb_to_recordset(${toJsonb(held as object as [])}::jsonb) as held (id uuid, room int)
        on held.id = subscription.id
      where subscription.is_active
      order by random()
    ), due as (
      select due.*, 1 + coalesce((
        select pg_column_size(event.attributes) from events event where event.id = due.event_id
      ), 0) / ${BYTES_A_PLACE}::int as places
      from receiving cross join lateral (
        select q.subscription_id, q.event_id from webhook_queue q
        where q.subscription_id = receiving.id and q.due_at <= now()
        order by q.due_at limit receiving.room for update skip locked
      ) due
      limit ${max}
    ), fitting as (
      select due.*, sum(places) over (rows unbounded preceding) - places as before from due
    )
    update webhook_queue q set due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    from fitting where q.subscription_id = fitting.subscription_id and q.event_id = fitting.event_id
      and (before + places <= ${max} or before = 0)
    returning q.subscription_id, q.event_id, q.attempts, places, q.due_at as claimed_until`.execute(db)
  return rows.length === 0 ? [] : claimsOf(source, rows)
}

/** Mostly nothing is queued, and planning the statement above takes longer than to see that. */
async function isEmpty(db: Database): Promise<boolean> {
  const { rows } = await sql`select from webhook_queue order by subscription_id limit 1`.execute(db)
  return rows.length === 0
}

/**
 * A row whose event is no longer kept is taken from the queue. One whose secret cannot be decrypted is left to its
 * claim, so it is due again when that has run out: the right key may be set meanwhile.
 */
async function claimsOf({ db, vault, onUnreadable }: ClaimSource, rows: readonly ClaimedRow[]): Promise<Claim[]> {
  const [events, subscriptions] = await Promise.all([
    readById<Message['event']>(
      db,
      'events',
      rows.map(row => row.event_id),
    ),
    readById<SubscriptionRow>(
      db,
      'webhook_subscriptions',
      rows.map(row => row.subscription_id),
    ),
  ])
  const secretIds = [...subscriptions.values()].map(({ secret_id }) => secret_id).filter(id => id !== null)
  const secrets = await openWebhookSecrets(db, vault, secretIds)
  const claims: Claim[] = []
  const orphans: ClaimedRow[] = []
  for (const row of rows) {
    const [event, subscription] = [events.get(row.event_id), subscriptions.get(row.subscription_id)]
    if (!event || !subscription) {
      orphans.push(row)
      continue
    }
    const { data, secret_id } = subscription
    const secret = secret_id === null ? undefined : secrets.get(secret_id)
    if (secret instanceof Error) {
      onUnreadable(secret)
      continue
    }
    const id = deliveryIdOf(subscription.id, event.id)
    claims.push({ message: { id, event, subscription, data, secret }, ...row })
  }
  await takeFromQueue(db, orphans)
  return claims
}

async function readById<Row extends { id: Uuid }>(
  db: Database,
  table: 'events' | 'webhook_subscriptions',
  ids: readonly Uuid[],
): Promise<Map<Uuid, Row>> {
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} where id = any(${[...new Set(ids)]}::uuid[])`.execute(db)
  return new Map(rows.map(row => [row.id, row]))
}

async function takeFromQueue(db: Database, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    delete from webhook_queue q using jsonb_to_recordset(${toJsonb(rows as object as [])}::jsonb)
      as gone (subscription_id uuid, event_id uuid)
    where q.subscription_id = gone.subscription_id and q.event_id = gone.event_id`.execute(db)
}

/**
 * Leaves claimed deliveries to this process for another {@link CLAIM_SECONDS}, and sets the time of their claims; not
 * those that were queued again or claimed by others meanwhile.
 */
export async function renew(db: Database, claims: readonly Claim[]): Promise<void> {
  const held = claims.map(({ subscription_id, event_id, claimed_until }, n) => ({
    n,
    subscription_id,
    event_id,
    claimed_until,
  }))
  const { rows } = await sql<{ n: number; claimed_until: string }>`
    update webhook_queue q set due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    from jsonb_to_recordset(${toJsonb(held as object as [])}::jsonb)
      as held (n int, subscription_id uuid, event_id uuid, claimed_until timestamptz)
    where q.subscription_id = held.subscription_id and q.event_id = held.event_id and q.due_at = held.claimed_until
    returning held.n, q.due_at as claimed_until`.execute(db)
  for (const { n, claimed_until } of rows) (claims[n] as Claim).claimed_until = claimed_until
}

export interface Postponed {
  subscription_id: Uuid
  event_id: Uuid
  attempts: number
  claimed_until: string
  /** Until the next attempt. */
  seconds: number
}

/** Sets when the next attempts are due, of what was not queued again during the last ones. */
export async function postpone(db: Database, rows: readonly Postponed[]): Promise<void> {
  await sql`
    update webhook_queue q set attempts = later.attempts, due_at = now() + make_interval(secs => later.seconds)
    from jsonb_to_recordset(${toJsonb(rows as object as [])}::jsonb)
      as later (subscription_id uuid, event_id uuid, attempts int, claimed_until timestamptz, seconds double precision)
    where q.subscription_id = later.subscription_id and q.event_id = later.event_id
      and q.due_at = later.claimed_until`.execute(db)
}
