import type { Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import type { KeyIdentity } from './api-key.ts'
import type { ProjectPrincipal } from './principal.ts'
import { permissionsOf } from './roles.ts'

/** A stored key as authentication needs it. */
export interface StoredKey extends KeyIdentity {
  id: Uuid
  user_id: Uuid
  project_id: Uuid
  /** Milliseconds since 1970; infinite: never. */
  expiresMs: number
  /** Milliseconds since 1970; zero: not known to have been used. */
  usedMs: number
}

/** The keys with these prefixes, by prefix. */
export async function loadKeys(db: Database, prefixes: string[]): Promise<Map<string, StoredKey>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'prefix', 'hash', 'user_id', 'project_id', 'expires_at', 'last_used_at'])
    .where('prefix', 'in', prefixes)
    .execute()
  return new Map(
    rows.map(({ expires_at, last_used_at, ...key }) => {
      const expiresMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
      const usedMs = last_used_at === null ? 0 : Date.parse(last_used_at)
      return [key.prefix, { ...key, expiresMs, usedMs }]
    }),
  )
}

/** Names a user in a project, for {@link loadPrincipals}. */
export const scopeKey = (user_id: Uuid, project_id: Uuid): string => `${user_id} ${project_id}`

/**
 * Who the users are in the projects, by {@link scopeKey}. A user or project that does not exist is left out; a user who
 * is not a member is there without a role. The owner of the organization has the role `owner` everywhere in it.
 */
export async function loadPrincipals(db: Database, keys: string[]): Promise<Map<string, ProjectPrincipal>> {
  const pairs = keys.map(key => key.split(' '))
  const [users, projects] = [pairs.map(([user]) => user), pairs.map(([, project]) => project)]
  const rows = await db
    // A list of pairs in a condition would make Postgres look at every user in every project.
    .selectFrom(
      sql<{ user_id: Uuid; project_id: Uuid }>`unnest(${users}::uuid[], ${projects}::uuid[])`.as<'wanted'>(
        sql`wanted (user_id, project_id)`,
      ),
    )
    .innerJoin('users', 'users.id', 'wanted.user_id')
    .innerJoin('projects', 'projects.id', 'wanted.project_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .leftJoin('organization_memberships as in_organization', join =>
      join
        .onRef('in_organization.organization_id', '=', 'projects.organization_id')
        .onRef('in_organization.user_id', '=', 'users.id'),
    )
    .leftJoin('workspace_memberships as in_workspace', join =>
      join
        .onRef('in_workspace.workspace_id', '=', 'projects.workspace_id')
        .onRef('in_workspace.user_id', '=', 'users.id'),
    )
    .leftJoin('project_memberships as in_project', join =>
      join.onRef('in_project.project_id', '=', 'projects.id').onRef('in_project.user_id', '=', 'users.id'),
    )
    .select(['projects.id as project_id', 'projects.workspace_id', 'projects.organization_id'])
    .select(['organizations.name as organization_name', 'organizations.owner_id'])
    .select(['users.id as user_id', 'users.email as user_email'])
    .select(['in_organization.role as organization_role', 'in_workspace.role as workspace_role'])
    .select('in_project.role as project_role')
    .execute()
  return new Map(rows.map(row => [scopeKey(row.user_id, row.project_id), toPrincipal(row)]))
}

interface ScopeRow extends Omit<ProjectPrincipal, 'kind' | 'role' | 'permissions'> {
  owner_id: Uuid
  organization_role: string | null
  workspace_role: string | null
  project_role: string | null
}

function toPrincipal(row: ScopeRow): ProjectPrincipal {
  const { owner_id, organization_role, workspace_role, project_role, ...scope } = row
  const isMember = organization_role !== null && workspace_role !== null
  const role = owner_id === row.user_id ? 'owner' : isMember ? project_role : null
  return { kind: 'project', ...scope, role, permissions: permissionsOf(role) }
}
