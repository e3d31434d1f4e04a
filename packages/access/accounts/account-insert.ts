import { Problem } from '@spanhouse/model'
import type { Trx } from '@spanhouse/postgres'
import type { AccountRows, MembershipRows } from './account-rows.ts'

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
  await insertMemberships(trx, {
    organization_memberships: accounts.flatMap(one => one.organization_memberships),
    workspace_memberships: accounts.flatMap(one => one.workspace_memberships),
    project_memberships: accounts.flatMap(one => one.project_memberships),
  })
}

export async function insertMemberships(trx: Trx, rows: MembershipRows): Promise<void> {
  const organizations = rows.organization_memberships.map(({ scope_id, ...row }) => ({
    ...row,
    organization_id: scope_id,
  }))
  const workspaces = rows.workspace_memberships.map(({ scope_id, ...row }) => ({ ...row, workspace_id: scope_id }))
  const projects = rows.project_memberships.map(({ scope_id, ...row }) => ({ ...row, project_id: scope_id }))
  if (organizations.length > 0) await trx.insertInto('organization_memberships').values(organizations).execute()
  if (workspaces.length > 0) await trx.insertInto('workspace_memberships').values(workspaces).execute()
  if (projects.length > 0) await trx.insertInto('project_memberships').values(projects).execute()
}

/** Users are inserted in this order, so that two requests that share some wait for each other instead of deadlocking. */
export const byAddress = ({ email: one }: { email: string }, { email: other }: { email: string }): number =>
  one.toLowerCase() < other.toLowerCase() ? -1 : 1

async function insertUsers(trx: Trx, accounts: AccountRows[]): Promise<void> {
  const inserted = await trx
    .insertInto('users')
    .values(accounts.map(one => one.user).sort(byAddress))
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .execute()
  const ids = new Set(inserted.map(row => row.id))
  const taken = accounts.find(one => !ids.has(one.user.id))
  if (taken === undefined) return
  const { email } = taken.user
  throw new Problem('conflict', { message: `A user with the email address ${email} already exists.`, email })
}
