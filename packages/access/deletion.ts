import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import type { DeleteAccountsBody } from './account-body.ts'
import type { CredentialCache } from './authenticate.ts'
import { findReferenced, type Reference } from './reference.ts'

/** The ids of what was deleted. Whoever stores something by project outside Postgres removes that of these projects. */
export interface Deleted {
  users: Uuid[]
  organizations: Uuid[]
  workspaces: Uuid[]
  projects: Uuid[]
}

/**
 * `DELETE /admin/simple/accounts/`: users and the organizations they own, whoever else is a member there; all or none.
 * An unknown email is passed over. A dry run deletes nothing and answers what would be deleted. Throws Problems:
 * `invalid` (a `ref`, a `slug` or a bad UUID) and `not_found` (an unknown id).
 */
export async function deleteAccounts(
  db: Database,
  cache: CredentialCache,
  request: DeleteAccountsBody,
): Promise<Deleted> {
  const references = [...request.accounts.values()].map(account => account.user)
  const deleted = await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const users = await usersOf(trx, references)
      return request.dry_run ? ownedBy(trx, users) : deleteUsers(trx, users)
    }),
  )
  if (!request.dry_run) cache.forget()
  return deleted
}

/** Deletes users with all that is theirs. The caller forgets cached credentials once this is committed. */
export async function deleteUsers(trx: Trx, ids: readonly Uuid[]): Promise<Deleted> {
  const deleted = await ownedBy(trx, ids)
  if (deleted.users.length > 0) await trx.deleteFrom('users').where('id', 'in', deleted.users).execute()
  return deleted
}

async function usersOf(trx: Trx, references: Reference[]): Promise<Uuid[]> {
  const ids = new Set<Uuid>()
  for (const reference of references) {
    const id = await findReferenced(trx, 'users', reference)
    const { by, value } = reference
    if (id !== null) ids.add(id)
    else if (by === 'id') throw new Problem('not_found', { message: `There is no user '${value}'.`, ref: value })
  }
  return [...ids]
}

/** Locks the users, so that they cannot come to own anything between the reading and the deleting. */
async function ownedBy(trx: Trx, ids: readonly Uuid[]): Promise<Deleted> {
  const inside = [...ids].sort()
  if (inside.length === 0) return { users: [], organizations: [], workspaces: [], projects: [] }
  const users = await trx.selectFrom('users').select('id').where('id', 'in', inside).orderBy('id').forUpdate().execute()
  const organizations = trx.selectFrom('organizations').select('id').where('owner_id', 'in', inside)
  const workspaces = trx.selectFrom('workspaces').select('id').where('organization_id', 'in', organizations)
  const projects = trx.selectFrom('projects').select('id').where('organization_id', 'in', organizations)
  return {
    users: idsOf(users),
    organizations: idsOf(await organizations.orderBy('id').execute()),
    workspaces: idsOf(await workspaces.orderBy('id').execute()),
    projects: idsOf(await projects.orderBy('id').execute()),
  }
}

const idsOf = (rows: { id: Uuid }[]): Uuid[] => rows.map(row => row.id)
