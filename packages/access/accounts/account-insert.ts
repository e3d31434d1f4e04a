import { Problem } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { AccountRows } from './account-rows.ts'

/**
 * Stores complete accounts. Throws a Problem `conflict` that names the email address when it is taken, before anything
 * else is stored. Other unique-key violations, such as an organization's slug, are thrown as the database reports them.
 */
export async function insertAccounts(trx: Trx, accounts: AccountRows[]): Promise<void> {
  if (accounts.length === 0) return
  await insertUsers(trx, accounts)
  await insertOrganizations(trx, accounts)
}

/** Stores everything in the accounts except the users, who must already exist. */
export async function insertOrganizations(trx: Trx, accounts: AccountRows[]): Promise<void> {
  await trx
    .insertInto('organizations')
    .values(accounts.map(one => one.organization))
    .execute()
  await trx
    .insertInto('workspaces')
    .values(accounts.map(one => one.workspace))
    .execute()
  await trx
    .insertInto('projects')
    .values(accounts.map(one => one.project))
    .execute()
  const inOrganizations = accounts.flatMap(one => one.organization_memberships)
  await trx
    .insertInto('organization_memberships')
    .values(inOrganizations.map(({ scope_id, ...row }) => ({ ...row, organization_id: scope_id })))
    .execute()
  const inWorkspaces = accounts.flatMap(one => one.workspace_memberships)
  await trx
    .insertInto('workspace_memberships')
    .values(inWorkspaces.map(({ scope_id, ...row }) => ({ ...row, workspace_id: scope_id })))
    .execute()
  const inProjects = accounts.flatMap(one => one.project_memberships)
  await trx
    .insertInto('project_memberships')
    .values(inProjects.map(({ scope_id, ...row }) => ({ ...row, project_id: scope_id })))
    .execute()
}

/**
 * Inserts in the order of the addresses, so that two requests that share some wait for each other instead of
 * deadlocking.
 */
async function insertUsers(trx: Trx, accounts: AccountRows[]): Promise<void> {
  const sortKey = (email: string) => email.toLowerCase()
  const users = accounts.map(one => one.user).sort((a, b) => (sortKey(a.email) < sortKey(b.email) ? -1 : 1))
  const inserted = await trx
    .insertInto('users')
    .values(users)
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .execute()
  const ids = new Set(inserted.map(row => row.id))
  const taken = accounts.find(one => !ids.has(one.user.id))
  if (taken === undefined) return
  const { email } = taken.user
  throw new Problem('conflict', { message: `A user with the email address ${email} already exists.`, email })
}
