import type { JsonObject, Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import { effectiveRole } from '../roles/effective-role.ts'
import { permissionsOf } from '../roles/roles.ts'
import type { KeyIdentity } from './api-key.ts'
import type { ProjectPrincipal } from './principal.ts'
import { type Quota, readQuota } from './quota.ts'

/** A stored key as authentication needs it. */
export interface StoredKey extends KeyIdentity {
  id: Uuid
  user_id: Uuid
  project_id: Uuid
  /** Milliseconds since 1970; infinite for a key that never expires. */
  expiresMs: number
  /** Milliseconds since 1970; zero if no use is known. */
  usedMs: number
  quota?: Quota | undefined
}

/** The keys with these prefixes, by prefix. */
export async function loadKeys(db: Database, prefixes: string[]): Promise<Map<string, StoredKey>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'prefix', 'hash', 'user_id', 'project_id', 'expires_at', 'last_used_at', 'quota'])
    .where('prefix', 'in', prefixes)
    .execute()
  return new Map(
    rows.map(({ expires_at, last_used_at, quota, ...key }) => {
      const expiresMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
      const usedMs = last_used_at === null ? 0 : Date.parse(last_used_at)
      return [key.prefix, { ...key, expiresMs, usedMs, quota: readQuota(quota) }]
    }),
  )
}

/** Identifies a user in a project, for {@link loadPrincipals}. */
export const scopeKey = (user_id: Uuid, project_id: Uuid): string => `${user_id} ${project_id}`

/**
 * The principals of users in projects, by {@link scopeKey}. An unknown user or project is missing from the result; a
 * user who is not a member has no role.
 */
export async function loadPrincipals(db: Database, keys: string[]): Promise<Map<string, ProjectPrincipal>> {
  const pairs = keys.map(key => key.split(' '))
  const [users, projects] = [pairs.map(([user]) => user), pairs.map(([, project]) => project)]
  const rows = await db
    // With a list of pairs as the condition, Postgres would scan every user in every project.
    .selectFrom(
      sql<{ user_id: Uuid; project_id: Uuid }>`unnest(${users}::uuid[], ${projects}::uuid[])`.as<'wanted'>(
        sql`wanted (user_id, project_id)`,
      ),
    )
    .innerJoin('users', 'users.id', 'wanted.user_id')
    .innerJoin('projects', 'projects.id', 'wanted.project_id')
    .innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select(['projects.quota', 'projects.id as project_id', 'projects.workspace_id', 'projects.organization_id'])
    .select(['organizations.name as organization_name', 'users.id as user_id', 'users.email as user_email'])
    .select(effectiveRole(sql.ref('users.id')).as('role'))
    .execute()
  return new Map(rows.map(row => [scopeKey(row.user_id, row.project_id), toPrincipal(row)]))
}

type PrincipalRow = Omit<ProjectPrincipal, 'kind' | 'permissions' | 'quota'> & { quota: JsonObject | null }

const toPrincipal = ({ quota, ...row }: PrincipalRow): ProjectPrincipal => ({
  kind: 'project',
  ...row,
  permissions: permissionsOf(row.role),
  ...(quota && { quota: readQuota(quota) as Quota }),
})
