import { isJsonObject, type Uuid } from '@spanhouse/model'
import { type Database, sql, type Trx } from '@spanhouse/postgres'
import { insertSecret } from './secrets.ts'
import type { Vault } from './vault.ts'

/** Whose secrets they are, and who changes them. Permissions are the caller's business. */
export interface WebhookSecretScope {
  vault: Vault
  project_id: Uuid
  user_id: Uuid | null
}

/**
 * Stores the secret of a webhook under `webhook-<name>`, and returns its id. Throws a Problem `invalid` beyond the
 * limit.
 */
export async function insertWebhookSecret(
  trx: Trx,
  scope: WebhookSecretScope,
  { name, key }: { name: string; key: string },
): Promise<Uuid> {
  const header = { name: headerName(name), description: undefined }
  const { id } = await insertSecret(trx, scope, {
    slug: undefined,
    header,
    secret: { kind: 'webhook_provider', data: { provider: { key } } },
  })
  return id
}

/** Gives the secret of a webhook the webhook's new name. */
export async function renameWebhookSecret(
  trx: Trx,
  { project_id, user_id }: WebhookSecretScope,
  { id, name }: { id: Uuid; name: string },
): Promise<void> {
  await trx
    .updateTable('secrets')
    .set({ name: headerName(name), updated_at: sql`now()`, updated_by_id: user_id })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .where('kind', '=', 'webhook_provider')
    .execute()
}

const headerName = (name: string): string => `webhook-${name}`

/** Replaces the key. False if the secret does not exist or is of another kind. */
export async function replaceWebhookSecret(
  trx: Trx,
  { vault, project_id, user_id }: WebhookSecretScope,
  { id, key }: { id: Uuid; key: string },
): Promise<boolean> {
  const sealed = vault.seal({ provider: { key } }, { project_id, id })
  const { numUpdatedRows } = await trx
    .updateTable('secrets')
    .set({ sealed, key_id: vault.keyId, updated_at: sql`now()`, updated_by_id: user_id })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .where('kind', '=', 'webhook_provider')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteWebhookSecret(trx: Trx, project_id: Uuid, id: Uuid): Promise<void> {
  const own = trx.deleteFrom('secrets').where('project_id', '=', project_id).where('id', '=', id)
  await own.where('kind', '=', 'webhook_provider').execute()
}

/**
 * The keys of webhook secrets by id, in any project. One that was deleted, or changed to another kind, is missing. One
 * that cannot be decrypted is an error in its place, so that it does not hold up the others.
 */
export async function openWebhookSecrets(
  db: Database,
  vault: Vault,
  ids: readonly Uuid[],
): Promise<Map<Uuid, string | Error>> {
  const rows = await db
    .selectFrom('secrets')
    .select(['id', 'project_id', 'sealed', 'key_id'])
    .where('id', '=', sql<Uuid>`any(${ids}::uuid[])`)
    .where('kind', '=', 'webhook_provider')
    .execute()
  const keys = rows.map(row => [row.id, keyIn(row, vault)] as const)
  return new Map(keys.filter((entry): entry is readonly [Uuid, string | Error] => entry[1] !== undefined))
}

function keyIn(row: Parameters<Vault['open']>[0], vault: Vault): string | Error | undefined {
  try {
    const { provider } = vault.open(row)
    return isJsonObject(provider) && typeof provider.key === 'string' ? provider.key : undefined
  } catch (error) {
    return error as Error
  }
}
