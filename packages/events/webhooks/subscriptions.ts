import {
  deleteWebhookSecret,
  insertWebhookSecret,
  openWebhookSecrets,
  randomText,
  renameWebhookSecret,
  replaceWebhookSecret,
} from '@spanhouse/access'
import { invalid, type Json, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { headerMistakeIn, mistakeIn } from '@spanhouse/outbound'
import { newId, type RawBuilder, sql, type Trx, toJsonb, withDatabaseProblems } from '@spanhouse/postgres'
import { windowOf } from '../window.ts'
import type { EditedSubscription, NewSubscription, SubscriptionData, SubscriptionQuery } from './body.ts'
import { type SubscriptionRow, toSubscriptionJson } from './rows.ts'
import type { WebhookScope } from './scope.ts'
import { requireRenderable } from './template.ts'

/** In one project: each of them adds a row to the transaction of every commit that it asks for. */
export const SUBSCRIPTIONS_MAX = 500

const SECRET_LENGTH = 32

/**
 * Creates an active subscription. 400 for an address that may not be called, for a template beyond its limits, for
 * `authorization` without a secret that can be sent, and beyond the limit of subscriptions.
 */
export function createSubscription(scope: WebhookScope, input: NewSubscription): Promise<JsonObject> {
  const { project_id, user_id } = scope
  const { data, secret } = input
  requireUsable(scope, data)
  requireSecret(data, secret)
  return inTransaction(scope, async trx => {
    await refuseBeyondLimit(trx, project_id)
    const id = newId()
    const key = secret ?? randomSecret()
    const secret_id = await insertWebhookSecret(trx, scope, { name: secretName(input.name, id), key })
    const row = await trx
      .insertInto('webhook_subscriptions')
      .values({
        project_id,
        id,
        ...labelsOf(input),
        ...dataOf(data),
        secret_id,
        is_secret_given: secret !== undefined,
        created_by_id: user_id,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toSubscriptionJson(row as unknown as SubscriptionRow, key)
  })
}

/** The subscription, with its secret for those who may see it. 404 if it does not exist. */
export const fetchSubscription = (scope: WebhookScope, id: Uuid): Promise<JsonObject> =>
  withDatabaseProblems(async () => shown(scope, await findSubscription(scope, id)))

/**
 * Replaces a subscription: omitted labels are cleared, an omitted secret and omitted flags stay. One whose secret was
 * deleted from the vault gets a new one, without which nothing could be delivered. 404 if it does not exist, otherwise
 * as {@link createSubscription}.
 */
export function editSubscription(scope: WebhookScope, id: Uuid, input: EditedSubscription): Promise<JsonObject> {
  const { data, flags } = input
  requireUsable(scope, data)
  return inTransaction(scope, async trx => {
    const stored = await findSubscription({ ...scope, db: trx }, id, sql`for update`)
    const is_secret_given = input.secret !== undefined || (stored.is_secret_given && stored.secret_id !== null)
    if (data.auth_mode === 'authorization')
      requireSecret(data, input.secret ?? (is_secret_given ? await secretOf({ ...scope, db: trx }, stored) : undefined))
    const secret = input.secret ?? (stored.secret_id === null ? randomSecret() : undefined)
    const secret_id = secret === undefined ? stored.secret_id : await storeSecret(trx, scope, { stored, secret })
    if (secret_id !== null && (input.name ?? null) !== stored.name)
      await renameWebhookSecret(trx, scope, { id: secret_id, name: secretName(input.name, id) })
    const is_active = flags?.is_active ?? stored.is_active
    if (is_active !== stored.is_active) await forgetQueued(trx, id)
    const changes = { ...labelsOf(input), ...dataOf(data), secret_id, is_secret_given, is_active }
    return shown({ ...scope, db: trx }, await update(trx, scope, id, changes))
  })
}

/** Deletes the subscription with its deliveries and its secret. 404 if it does not exist. */
export function deleteSubscription(scope: WebhookScope, id: Uuid): Promise<void> {
  return inTransaction(scope, async trx => {
    const { secret_id } = await findSubscription({ ...scope, db: trx }, id, sql`for update`)
    await trx.deleteFrom('webhook_subscriptions').where('id', '=', id).execute()
    await forgetQueued(trx, id)
    if (secret_id !== null) await deleteWebhookSecret(trx, scope.project_id, secret_id)
  })
}

/**
 * Starts or stops a subscription. What was queued is dropped: a stopped one gets nothing, and nothing is made up for
 * later. 404 if it does not exist.
 */
export function setSubscriptionActive(scope: WebhookScope, id: Uuid, is_active: boolean): Promise<JsonObject> {
  return inTransaction(scope, async trx => {
    const stored = await findSubscription({ ...scope, db: trx }, id, sql`for update`)
    if (stored.is_active === is_active) return shown({ ...scope, db: trx }, stored)
    await forgetQueued(trx, id)
    return shown({ ...scope, db: trx }, await update(trx, scope, id, { is_active }))
  })
}

/** The subscriptions that match, without their secrets, by id. */
export function listSubscriptions(scope: WebhookScope, query: SubscriptionQuery): Promise<JsonObject[]> {
  const { conditions, tail } = windowOf(query.windowing)
  const where = [...conditionsOf(scope, query.subscription), ...conditions]
  return withDatabaseProblems(async () => (await select(scope, where, tail)).map(row => toSubscriptionJson(row)))
}

/** The row of a subscription of the scope's project. 404 if it does not exist. */
export async function findSubscription(
  scope: WebhookScope,
  id: Uuid,
  lock: RawBuilder<unknown> = sql``,
): Promise<SubscriptionRow> {
  const [row] = await select(scope, [sql`t.project_id = ${scope.project_id}`, sql`t.id = ${id}`], lock)
  if (!row) throw noSubscription(id)
  return row
}

export const noSubscription = (id: Uuid): Problem =>
  new Problem('not_found', `The webhook subscription ${id} does not exist.`)

/** The secret of a subscription; undefined if it was deleted from the vault. Throws if it cannot be decrypted. */
export async function secretOf(scope: WebhookScope, { secret_id }: SubscriptionRow): Promise<string | undefined> {
  if (secret_id === null) return undefined
  const secret = (await openWebhookSecrets(scope.db, scope.vault, [secret_id])).get(secret_id)
  if (secret instanceof Error) throw secret
  return secret
}

/** 400 if the address may not be called, or the template is beyond its limits. Names are not resolved. */
function requireUsable({ outbound }: WebhookScope, { url, payload_fields }: SubscriptionData): void {
  const mistake = mistakeIn(url, outbound)
  if (mistake !== null) throw invalid(`data.url ${mistake}.`)
  if (payload_fields) requireRenderable(payload_fields)
}

/** 400 for `authorization` without a secret that a caller gave, now or earlier, or with one that the header cannot have. */
export function requireSecret({ auth_mode }: SubscriptionData, given: string | undefined): void {
  if (auth_mode !== 'authorization') return
  if (given === undefined) throw invalid('secret is required when auth_mode is authorization.')
  const mistake = headerMistakeIn('Authorization', given)
  if (mistake !== null) throw invalid(`secret: the header Authorization ${mistake}.`)
}

const inTransaction = <T>({ db }: WebhookScope, work: (trx: Trx) => Promise<T>): Promise<T> =>
  withDatabaseProblems(() => db.transaction().execute(work))

async function shown(scope: WebhookScope, row: SubscriptionRow): Promise<JsonObject> {
  return toSubscriptionJson(row, scope.maySeeSecrets ? await secretOf(scope, row) : undefined)
}

async function select(
  { db }: WebhookScope,
  where: readonly RawBuilder<unknown>[],
  tail: RawBuilder<unknown>,
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select t.* from webhook_subscriptions t where ${sql.join(where, sql` and `)} ${tail}`.execute(db)
  return rows
}

async function update(trx: Trx, { user_id }: WebhookScope, id: Uuid, changes: object): Promise<SubscriptionRow> {
  const row = await trx
    .updateTable('webhook_subscriptions')
    .set({ ...changes, updated_at: sql`now()`, updated_by_id: user_id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return row as unknown as SubscriptionRow
}

async function storeSecret(
  trx: Trx,
  scope: WebhookScope,
  { stored, secret }: { stored: SubscriptionRow; secret: string },
): Promise<Uuid> {
  const { id, name, secret_id } = stored
  if (secret_id !== null && (await replaceWebhookSecret(trx, scope, { id: secret_id, key: secret }))) return secret_id
  return insertWebhookSecret(trx, scope, { name: secretName(name, id), key: secret })
}

const forgetQueued = (trx: Trx, id: Uuid): Promise<unknown> =>
  trx.deleteFrom('webhook_queue').where('subscription_id', '=', id).execute()

/** Locks the project until the transaction ends, so that the limit holds for requests at the same time. */
async function refuseBeyondLimit(trx: Trx, project_id: Uuid): Promise<void> {
  await trx.selectFrom('projects').select('id').where('id', '=', project_id).forNoKeyUpdate().execute()
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_subscriptions where project_id = ${project_id}`.execute(trx)
  if ((rows[0]?.count ?? 0) >= SUBSCRIPTIONS_MAX)
    throw invalid(`A project may have at most ${SUBSCRIPTIONS_MAX} webhook subscriptions.`)
}

/** The secret of a subscription whose caller gives none. */
export const randomSecret = (): string => randomText(SECRET_LENGTH)

const NAME_LENGTH_MAX = 200
const secretName = (name: string | null | undefined, id: Uuid): string => (name?.trim() || id).slice(0, NAME_LENGTH_MAX)

const labelsOf = ({ name, description, tags, meta }: Omit<NewSubscription, 'data'>) => ({
  name: name ?? null,
  description: description ?? null,
  tags: toJsonb(tags),
  meta: toJsonb(meta),
})

const dataOf = (data: SubscriptionData) => ({
  data: toJsonb(data as unknown as Json) as string,
  event_types: data.event_types ?? null,
})

function conditionsOf(
  { project_id }: WebhookScope,
  filter: SubscriptionQuery['subscription'] = {} as NonNullable<SubscriptionQuery['subscription']>,
): RawBuilder<unknown>[] {
  const { name, description, tags, meta, flags } = filter
  const has = (column: 'name' | 'description', text: string) =>
    sql`strpos(lower(${sql.ref(`t.${column}`)}), lower(${text})) > 0`
  return [
    sql`t.project_id = ${project_id}`,
    name === undefined ? null : has('name', name),
    description === undefined ? null : has('description', description),
    tags === undefined ? null : sql`t.tags @> ${toJsonb(tags)}::jsonb`,
    meta === undefined ? null : sql`t.meta::jsonb @> ${toJsonb(meta)}::jsonb`,
    flags?.is_active === undefined ? null : sql`t.is_active = ${flags.is_active}`,
  ].filter(condition => condition !== null)
}
