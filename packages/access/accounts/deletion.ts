import { NIL_UUID, Problem, type Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import type { CredentialCache } from '../credentials/authenticate.ts'
import { findReferences, type Reference } from '../organizations/reference.ts'
import type { DeleteAccountsBody } from './account-body.ts'
import { runOrTry } from './dry-run.ts'

/**
 * The ids of everything deleted. A caller that stores data by project outside Postgres must delete that of these
 * projects.
 */
export interface Deleted {
  users: Uuid[]
  organizations: Uuid[]
  workspaces: Uuid[]
  projects: Uuid[]
}

/**
 * `DELETE /admin/simple/accounts/`: deletes users and the organizations they own, including those that have other
 * members; all or none. Unknown email addresses are ignored. A dry run deletes nothing and returns what would be
 * deleted. Throws Problems: `invalid` for a `ref`, a `slug` or a malformed UUID, `not_found` for an unknown id.
 */
export async function deleteAccounts(
  db: Database,
  cache: CredentialCache,
  { accounts, dry_run = false }: DeleteAccountsBody,
): Promise<Deleted> {
  const references = [...accounts.values()].map(account => account.user)
  const deleted = await withDatabaseProblems(() =>
    runOrTry(db, dry_run, async trx => deleteRecords(trx, { users: await usersOf(trx, references) })),
  )
  if (!dry_run) cache.forget()
  return deleted
}

/**
 * Deletes the given rows and their contents, and the organizations that deleted users own. The caller clears cached
 * credentials after the commit.
 */
export async function deleteRecords(trx: Trx, roots: Partial<Deleted>): Promise<Deleted> {
  const deleted = await contentsOf(trx, roots)
  // The database cascades the deletion to their contents.
  for (const table of ['users', 'organizations', 'workspaces', 'projects'] as const) {
    if (roots[table]?.length) await trx.deleteFrom(table).where('id', 'in', roots[table]).execute()
  }
  return deleted
}

type Owners = Partial<Pick<Deleted, 'users' | 'organizations'>>

/**
 * Locks what is to be deleted: the organizations with those of the users, then the users, as all who lock both, so that
 * no two wait for each other. From then on no organization changes hands between these users and others.
 */
export async function lockRoots(trx: Trx, roots: Owners): Promise<void> {
  await trx.selectFrom('organizations').select('id').where(isAmong(roots)).orderBy('id').forUpdate().execute()
  await trx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', orNobody(roots.users))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Whether an organization is deleted, itself or with its owner. */
const isAmong = ({ users = [], organizations = [] }: Owners): RawBuilder<boolean> =>
  sql<boolean>`(owner_id = any(${users}::uuid[]) or id = any(${organizations}::uuid[]))`

async function contentsOf(trx: Trx, roots: Partial<Deleted>): Promise<Deleted> {
  await lockRoots(trx, roots)
  const organizations = await trx.selectFrom('organizations').select('id').where(isAmong(roots)).orderBy('id').execute()
  const inside = orNobody(idsOf(organizations))
  const workspaces = await trx
    .selectFrom('workspaces')
    .select('id')
    .where(either =>
      either.or([either('organization_id', 'in', inside), either('id', 'in', orNobody(roots.workspaces))]),
    )
    .orderBy('id')
    .execute()
  const projects = await trx
    .selectFrom('projects')
    .select('id')
    .where(either =>
      either.or([
        either('workspace_id', 'in', orNobody(idsOf(workspaces))),
        either('id', 'in', orNobody(roots.projects)),
      ]),
    )
    .orderBy('id')
    .execute()
  return {
    users: [...(roots.users ?? [])].sort(),
    organizations: idsOf(organizations),
    workspaces: idsOf(workspaces),
    projects: idsOf(projects),
  }
}

/** The ids of the users. Throws a Problem `not_found` for an unknown id; unknown email addresses are ignored. */
export async function usersOf(trx: Trx, references: Reference[]): Promise<Uuid[]> {
  const found = await findReferences(
    trx,
    references.map(reference => ['users', reference] as const),
  )
  const ids = references.flatMap(reference => {
    const id = found.find('users', reference)
    if (id !== null) return id
    if (reference.by === 'email') return []
    throw new Problem('not_found', { message: `The user '${reference.value}' does not exist.`, ref: reference.value })
  })
  return [...new Set(ids)]
}

/** SQL has no empty list. */
const orNobody = (ids: readonly Uuid[] = []): readonly Uuid[] => (ids.length > 0 ? ids : [NIL_UUID])

const idsOf = (rows: { id: Uuid }[]): Uuid[] => rows.map(row => row.id)
