import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, withDatabaseProblems } from '@spanhouse/postgres'
import { refuseBeyondLimit } from '../limits.ts'
import { identifyApiKey, type KeyIdentity, makeApiKey } from './api-key.ts'
import type { CredentialCache } from './authenticate.ts'
import { type Principal, requirePermission } from './principal.ts'

/** A key as shown to its owner in a list. */
export interface ApiKeyJson {
  prefix: string
  created_at: string
  /** Precise to a minute; null until the key is first used. */
  last_used_at: string | null
  expiration_date: string | null
}

export interface NewApiKey {
  user_id: Uuid
  project_id: Uuid
  expires_at?: string
  hidden?: boolean
}

/** Prefixes have 47 bits, so even one collision is unlikely. */
const ATTEMPTS_MAX = 3

/** Stores a new key and returns its text, which cannot be retrieved later. */
export async function insertApiKey(db: Database, key: NewApiKey): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const text = makeApiKey()
    const row = await db
      .insertInto('api_keys')
      .values({ id: newId(), ...(identifyApiKey(text) as KeyIdentity), ...key })
      .onConflict(conflict => conflict.column('prefix').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (row !== undefined) return text
  }
  throw new Error(`no free API key prefix in ${ATTEMPTS_MAX} attempts`)
}

/** `GET /keys`: the caller's own visible keys in the current project, newest first. Requires `view_api_keys`. */
export function listApiKeys(db: Database, principal: Principal): Promise<ApiKeyJson[]> {
  requirePermission(principal, 'view_api_keys')
  return withDatabaseProblems(() =>
    db
      .selectFrom('api_keys')
      .select(['prefix', 'created_at', 'last_used_at', 'expires_at as expiration_date'])
      .where('user_id', '=', principal.user_id)
      .where('project_id', '=', principal.project_id)
      .where('hidden', '=', false)
      .orderBy('id', 'desc')
      .execute(),
  )
}

/** `POST /keys`: creates a key of the caller for the current project and returns its text. Requires `edit_api_keys`. */
export function createApiKey(db: Database, principal: Principal): Promise<string> {
  requirePermission(principal, 'edit_api_keys')
  const { user_id, project_id } = principal
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      // One key of a user at a time, so that the limit holds for requests at the same time.
      await trx.selectFrom('users').select('id').where('id', '=', user_id).forNoKeyUpdate().execute()
      await refuseBeyondLimit(trx, 'api_keys', user_id)
      return insertApiKey(trx, { user_id, project_id })
    }),
  )
}

/**
 * `DELETE /keys/{prefix}`: revokes one of the caller's own keys, in any project, immediately. Requires `edit_api_keys`.
 * Throws a Problem `not_found` if the caller has no such key.
 */
export async function revokeApiKey(
  db: Database,
  cache: CredentialCache,
  principal: Principal,
  prefix: string,
): Promise<{ message: string }> {
  requirePermission(principal, 'edit_api_keys')
  const { numDeletedRows } = await withDatabaseProblems(() =>
    db
      .deleteFrom('api_keys')
      .where('prefix', '=', prefix)
      .where('user_id', '=', principal.user_id)
      .executeTakeFirstOrThrow(),
  )
  if (numDeletedRows === 0n)
    throw new Problem('not_found', { message: 'You have no API key with this prefix.', prefix })
  cache.forget()
  return { message: 'The API key was deleted.' }
}
