import { invalid, type JsonObject, Problem, parseJson, parseUuid, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { type ProjectPrincipal, requirePermission } from '../credentials/principal.ts'
import { nameOf } from '../organizations/names.ts'
import { STANDARD_PROVIDERS } from './providers.ts'
import type { ChangedSecretBody, CreateSecretBody, EditSecretBody, SecretKind } from './secret-body.ts'
import { type SecretJson, toSecretJson } from './secret-json.ts'
import type { Vault } from './vault.ts'

/** Secrets in one project: lists return all of them. */
const SECRETS_MAX = 1000
const SLUG_NAME_LENGTH_MAX = 100

/** The caller, and the vault that opens the project's secrets. */
export interface SecretAccess {
  vault: Vault
  principal: ProjectPrincipal
}

/** A decrypted secret, for the parts of the server that use it. */
export interface OpenedSecret {
  id: Uuid
  kind: SecretKind
  slug: string | null
  name: string | null
  data: JsonObject
}

/** The project's secrets of these kinds, oldest first. Never return or log the result. */
export function openSecrets(
  db: Database,
  vault: Vault,
  { project_id, kinds }: { project_id: Uuid; kinds: readonly SecretKind[] },
): Promise<OpenedSecret[]> {
  return withDatabaseProblems(async () => {
    const rows = await rowsOf(db, project_id).where('kind', 'in', kinds).execute()
    return rows.map(row => ({
      id: row.id,
      kind: row.kind as SecretKind,
      slug: row.slug,
      name: row.name,
      data: vault.open(row),
    }))
  })
}

/** `GET /secrets`: oldest first, masked for callers who may not edit secrets. Requires `view_secret`. */
export function listSecrets(db: Database, { vault, principal }: SecretAccess): Promise<SecretJson[]> {
  requirePermission(principal, 'view_secret')
  return withDatabaseProblems(async () => {
    const rows = await rowsOf(db, principal.project_id).execute()
    return rows.map(row => toSecretJson(row, vault.open(row), isMaskedFor(principal)))
  })
}

/** `GET /secrets/{id or slug}`; a reference that parses as a UUID is an id. Throws a Problem `not_found`. */
export function fetchSecret(db: Database, access: SecretAccess, reference: string): Promise<SecretJson> {
  const { vault, principal } = access
  requirePermission(principal, 'view_secret')
  return withDatabaseProblems(async () => {
    const id = parseUuid(reference)
    const rows = rowsOf(db, principal.project_id)
    const row = await (id === null ? rows.where('slug', '=', reference) : rows.where('id', '=', id)).executeTakeFirst()
    if (row === undefined) throw unknownSecret()
    return toSecretJson(row, vault.open(row), isMaskedFor(principal))
  })
}

/**
 * `POST /secrets`. Throws Problems: `forbidden` without `edit_secret`, `invalid` when the project already has a
 * thousand secrets, `conflict` for a slug that is taken.
 */
export function createSecret(
  db: Database,
  { vault, principal }: SecretAccess,
  body: CreateSecretBody,
): Promise<SecretJson> {
  requirePermission(principal, 'edit_secret')
  return withDatabaseProblems(() => db.transaction().execute(trx => insertSecret(trx, { vault, ...principal }, body)))
}

/** As {@link createSecret}, in the caller's transaction and without a check of permissions. */
export async function insertSecret(
  trx: Trx,
  { vault, project_id, user_id }: { vault: Vault; project_id: Uuid; user_id: Uuid | null },
  { slug, header, secret }: CreateSecretBody,
): Promise<SecretJson> {
  const others = await lockNames(trx, project_id)
  if (others.length >= SECRETS_MAX) throw invalid(`A project may have at most ${SECRETS_MAX} secrets.`)
  const id = newId()
  const ofProvider = secret.kind === 'provider_key' ? freeName(STANDARD_PROVIDERS[secret.data.kind], others) : null
  const name = header.name?.trim() ? nameOf(header.name) : ofProvider
  const data = toStored(secret.data)
  const sealed = { sealed: vault.seal(data, { project_id, id }), key_id: vault.keyId }
  const fields = { slug: slug ?? slugOf(name, id), kind: secret.kind, name, description: header.description }
  const row = await trx
    .insertInto('secrets')
    .values({ id, project_id, ...fields, ...sealed, created_by_id: user_id })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toSecretJson(row, data, false)
}

/**
 * `PUT /secrets/{id}`: replaces what is given; omitted models and harnesses stay, and so does the slug. Throws
 * Problems: `forbidden` without `edit_secret`, `not_found`.
 */
export function editSecret(
  db: Database,
  { vault, principal }: SecretAccess,
  { id, body }: { id: Uuid; body: EditSecretBody },
): Promise<SecretJson> {
  requirePermission(principal, 'edit_secret')
  const { project_id, user_id } = principal
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const row = await rowsOf(trx, project_id).where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) throw unknownSecret()
      const data = changedData(row.kind, vault.open(row), body.secret)
      const sealed = { sealed: vault.seal(data, row), key_id: vault.keyId, kind: body.secret?.kind }
      const changed = await trx
        .updateTable('secrets')
        .set({ ...sealed, ...changedHeader(body.header), updated_at: sql`now()`, updated_by_id: user_id })
        .where('project_id', '=', project_id)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toSecretJson(changed, data, false)
    }),
  )
}

/** `DELETE /secrets/{id}`; succeeds if the secret does not exist. Otherwise throws as {@link editSecret}. */
export async function deleteSecret(db: Database, principal: ProjectPrincipal, id: Uuid): Promise<void> {
  requirePermission(principal, 'edit_secret')
  await withDatabaseProblems(() =>
    db.deleteFrom('secrets').where('project_id', '=', principal.project_id).where('id', '=', id).execute(),
  )
}

const rowsOf = (db: Database, project_id: Uuid) =>
  db.selectFrom('secrets').selectAll().where('project_id', '=', project_id).orderBy('id')

/** Viewers see masked values. Users who can replace a secret may read it, and workers need it. */
const isMaskedFor = ({ permissions, isWorker }: ProjectPrincipal): boolean =>
  !(isWorker || permissions.has('edit_secret'))

/** The names in use. Holds a lock on the names of the project's secrets until the transaction ends. */
async function lockNames(trx: Trx, project_id: Uuid): Promise<(string | null)[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`secrets of ${project_id}`}, 0))`.execute(trx)
  const rows = await trx.selectFrom('secrets').select('name').where('project_id', '=', project_id).execute()
  return rows.map(row => row.name)
}

/** `OpenAI`, then `OpenAI 2`, and so on. */
function freeName(name: string, taken: readonly (string | null)[]): string {
  const names = new Set(taken)
  if (!names.has(name)) return name
  let number = 2
  while (names.has(`${name} ${number}`)) number++
  return `${name} ${number}`
}

/** A secret without a name has no slug. The last 12 digits of a UUIDv7 are random. */
function slugOf(name: string | null, id: Uuid): string | null {
  if (name === null) return null
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['secret']
  return `${words.join('-').slice(0, SLUG_NAME_LENGTH_MAX)}-${id.slice(-12)}`
}

const unknownSecret = (): Problem => new Problem('not_found', 'The secret does not exist in the project.')

/** As JSON, without undefined members. */
const toStored = (data: object): JsonObject => parseJson(JSON.stringify(data)) as JsonObject

function changedData(kind: string, stored: JsonObject, change: ChangedSecretBody | undefined): JsonObject {
  if (change === undefined) return stored
  const kept = change.kind === kind ? stored : {}
  const { models, harnesses } = {
    models: change.kind === 'custom_provider' ? [] : undefined,
    harnesses: undefined,
    ...kept,
  }
  return toStored({ models, harnesses, ...toStored(change.data) })
}

function changedHeader(header: EditSecretBody['header']): { name?: string; description?: string } {
  if (header === undefined) return {}
  const { name, description } = header
  return { ...(name !== undefined && { name: nameOf(name, 'header.name') }), description }
}
