import { Problem, parseUuid, type Uuid } from '@spanhouse/model'
import { type Database, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { list, optional, z } from '@spanhouse/validation'
import { type Deleted, deleteRecords, lockRoots, usersOf } from '../accounts/deletion.ts'
import { runOrTry } from '../accounts/dry-run.ts'
import type { CredentialCache } from '../credentials/authenticate.ts'
import { byEmail, byId, findReferences } from '../organizations/reference.ts'

const IDS_MAX = 1000
const ids = optional(list(z.string(), { max: IDS_MAX }))

/** `DELETE /admin/accounts/`. */
export const removalBody = z.object({
  target: z.object({
    user_ids: ids,
    user_emails: ids,
    organization_ids: ids,
    workspace_ids: ids,
    project_ids: ids,
  }),
  dry_run: optional(z.boolean()),
  reason: optional(z.string()),
})
export type RemovalBody = z.output<typeof removalBody>

/** The ids of what was deleted or, in a dry run, would be, by plural name. */
export interface RemovalAnswer {
  dry_run: boolean
  deleted: Record<string, { id: Uuid }[]>
}

/**
 * Deletes users with the organizations they own, and organizations, workspaces and projects with their contents; all or
 * none. Unknown email addresses are ignored. Nothing is deleted unless `dry_run` is false. Throws Problems `invalid`
 * for a malformed UUID, and `not_found`.
 */
export async function removeTargets(
  db: Database,
  cache: CredentialCache,
  { target, dry_run = true }: RemovalBody,
): Promise<RemovalAnswer> {
  const deleted = await withDatabaseProblems(() =>
    runOrTry(db, dry_run, async trx => deleteRecords(trx, await rootsOf(trx, target))),
  )
  if (!dry_run) cache.forget()
  const entries = Object.entries(deleted).map(([plural, list]: [string, Uuid[]]) => [plural, list.map(id => ({ id }))])
  return { dry_run, deleted: Object.fromEntries(entries) }
}

async function rootsOf(trx: Trx, target: RemovalBody['target']): Promise<Deleted> {
  const users = [...(target.user_ids ?? []).map(byId), ...(target.user_emails ?? []).map(byEmail)]
  const places = [
    ...(target.organization_ids ?? []).map(id => ['organizations', byId(id)] as const),
    ...(target.workspace_ids ?? []).map(id => ['workspaces', byId(id)] as const),
    ...(target.project_ids ?? []).map(id => ['projects', byId(id)] as const),
  ]
  const found = await findReferences(trx, places)
  const roots: Deleted = { users: await usersOf(trx, users), organizations: [], workspaces: [], projects: [] }
  for (const [table, reference] of places) roots[table].push(found.resolve(table, reference))
  return roots
}

/** What can be deleted individually: the table, and the singular name for errors. */
const REMOVABLE = {
  users: { table: 'users', name: 'user' },
  organizations: { table: 'organizations', name: 'organization' },
  workspaces: { table: 'workspaces', name: 'workspace' },
  projects: { table: 'projects', name: 'project' },
  api_keys: { table: 'api_keys', name: 'API key' },
  user_identities: { table: 'user_identities', name: 'identity' },
} as const

export type Removable = keyof typeof REMOVABLE

/**
 * Deletes one row with everything that depends on it, and returns only its id. Throws Problems `invalid` for a
 * malformed UUID, and `not_found`.
 */
export async function removeEntity(
  db: Database,
  cache: CredentialCache,
  { plural, id: text }: { plural: Removable; id: string },
): Promise<RemovalAnswer> {
  const { table, name } = REMOVABLE[plural]
  const id = parseUuid(text)
  if (id === null) throw new Problem('invalid', { message: `'${text.slice(0, 100)}' is not a UUID.`, ref: text })
  const removed = await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      if (plural === 'users') await lockRoots(trx, { users: [id] })
      return trx.deleteFrom(table).where('id', '=', id).executeTakeFirstOrThrow()
    }),
  )
  if (removed.numDeletedRows === 0n)
    throw new Problem('not_found', { message: `The ${name} '${id}' does not exist.`, ref: id })
  cache.forget()
  return { dry_run: false, deleted: { [plural]: [{ id }] } }
}
