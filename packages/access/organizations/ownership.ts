import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import type { CredentialCache } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { lockOwned } from './organizations.ts'

/** The scopes at which users have roles: the membership table, and the column that holds the scope's id. */
const SCOPES = {
  organizations: { table: 'organization_memberships', column: 'organization_id', inside: sql`id` },
  workspaces: { table: 'workspace_memberships', column: 'workspace_id', inside: sql`organization_id` },
  projects: { table: 'project_memberships', column: 'project_id', inside: sql`organization_id` },
} as const

export type Scope = keyof typeof SCOPES

export interface Handover {
  organization_ids: readonly Uuid[]
  from: Uuid
  to: Uuid
  /** The scopes at which the two users swap roles. */
  scopes: readonly Scope[]
}

/**
 * `POST /organizations/{id}/transfer/{user_id}`: makes a member the owner; the two swap roles. Throws Problems:
 * `forbidden` for everyone but the owner, `invalid` if the user is not a member.
 */
export async function transferOrganization(
  db: Database,
  { cache, principal }: { cache: CredentialCache; principal: ProjectPrincipal },
  { organization_id, user_id }: { organization_id: Uuid; user_id: Uuid },
): Promise<{ organization_id: Uuid; owner_id: Uuid }> {
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockOwned(trx, principal, organization_id)
      const members = await membersAmong(trx, [organization_id], user_id)
      if (!members.has(organization_id)) {
        throw new Problem('invalid', { message: 'The new owner must be a member of the organization.', ref: user_id })
      }
      const scopes: Scope[] = ['organizations', 'workspaces', 'projects']
      await handOver(trx, { organization_ids: [organization_id], from: principal.user_id, to: user_id, scopes })
    }),
  )
  cache.forget()
  return { organization_id, owner_id: user_id }
}

/** Those of the organizations in which the user is a member. */
export async function membersAmong(trx: Trx, organization_ids: readonly Uuid[], user_id: Uuid): Promise<Set<Uuid>> {
  if (organization_ids.length === 0) return new Set()
  const rows = await trx
    .selectFrom('organization_memberships')
    .select('organization_id')
    .where('organization_id', 'in', organization_ids)
    .where('user_id', '=', user_id)
    .execute()
  return new Set(rows.map(row => row.organization_id))
}

/** Makes `to` the owner of the organizations; they must be a member of each. */
export async function handOver(trx: Trx, handover: Handover): Promise<void> {
  const { organization_ids, from, to, scopes } = handover
  if (organization_ids.length === 0 || from === to) return
  await trx
    .updateTable('organizations')
    .set({ owner_id: to, updated_at: sql`now()` })
    .where('id', 'in', organization_ids)
    .execute()
  for (const scope of scopes) await swapRoles(trx, scope, handover)
}

interface RoleRow {
  scope_id: Uuid
  user_id: Uuid
  role: string
}

/**
 * Swaps the roles in every scope in which at least one of the two is a member. Where the new owner had no role, the old
 * one becomes a viewer, so that they keep sight of what they built.
 */
async function swapRoles(trx: Trx, scope: Scope, { organization_ids, from, to }: Handover): Promise<void> {
  const { table, column, inside } = SCOPES[scope]
  const { rows } = await sql<RoleRow>`
    select ${sql.ref(column)} as scope_id, user_id, role from ${sql.table(table)}
    where user_id in (${from}, ${to}) and ${sql.ref(column)} in
      (select id from ${sql.table(scope)} where ${inside} in (${sql.join(organization_ids)}))
    for update`.execute(trx)
  const swapped = [...Map.groupBy(rows, row => row.scope_id)].flatMap(([scope_id, both]) => {
    const roleOf = (user: Uuid): string | undefined => both.find(row => row.user_id === user)?.role
    return [
      { scope_id, user_id: to, role: roleOf(from) ?? 'owner' },
      { scope_id, user_id: from, role: roleOf(to) ?? 'viewer' },
    ]
  })
  if (swapped.length === 0) return
  const values = swapped.map(row => sql`(${newId()}, ${row.scope_id}, ${row.user_id}, ${row.role})`)
  await sql`
    insert into ${sql.table(table)} (id, ${sql.ref(column)}, user_id, role) values ${sql.join(values)}
    on conflict (${sql.ref(column)}, user_id) do update set role = excluded.role, updated_at = now()`.execute(trx)
}
