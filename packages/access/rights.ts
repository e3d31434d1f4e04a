import { Problem, type Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import { type Permission, permissionsOf } from './roles.ts'

/** What a user is in a workspace. */
export interface WorkspaceRights {
  workspace_id: Uuid
  organization_id: Uuid
  owner_id: Uuid
  /** Null: not a member. */
  role: string | null
}

export interface WorkspacePlace {
  workspace_id: Uuid
  /** Where the caller names it: a workspace of another organization does not exist there. */
  organization_id?: Uuid
}

/**
 * The user's role in the workspace, which is their role in its default project. Throws a Problem `not_found` when there
 * is no such workspace.
 */
export async function workspaceRights(
  db: Database,
  user_id: Uuid,
  { workspace_id, organization_id }: WorkspacePlace,
): Promise<WorkspaceRights> {
  const row = await db
    .selectFrom('workspaces')
    .innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
    .leftJoin('organization_memberships as in_organization', join =>
      join
        .onRef('in_organization.organization_id', '=', 'organizations.id')
        .on('in_organization.user_id', '=', user_id),
    )
    .leftJoin('workspace_memberships as in_workspace', join =>
      join.onRef('in_workspace.workspace_id', '=', 'workspaces.id').on('in_workspace.user_id', '=', user_id),
    )
    .leftJoin('projects', join =>
      join.onRef('projects.workspace_id', '=', 'workspaces.id').on('projects.is_default', '=', true),
    )
    .leftJoin('project_memberships as in_project', join =>
      join.onRef('in_project.project_id', '=', 'projects.id').on('in_project.user_id', '=', user_id),
    )
    .select(['workspaces.organization_id', 'organizations.owner_id', 'projects.id as project_id'])
    .select(['in_organization.role as organization_role', 'in_workspace.role as workspace_role'])
    .select('in_project.role as project_role')
    .where('workspaces.id', '=', workspace_id)
    .executeTakeFirst()
  if (row === undefined || (organization_id !== undefined && row.organization_id !== organization_id)) {
    throw new Problem('not_found', { message: 'There is no such workspace.', ref: workspace_id })
  }
  return { workspace_id, organization_id: row.organization_id, owner_id: row.owner_id, role: roleOf(row, user_id) }
}

interface Roles {
  owner_id: Uuid
  project_id: Uuid | null
  organization_role: string | null
  workspace_role: string | null
  project_role: string | null
}

function roleOf(row: Roles, user_id: Uuid): string | null {
  if (row.owner_id === user_id) return 'owner'
  if (row.organization_role === null || row.workspace_role === null) return null
  return row.project_id === null ? row.workspace_role : row.project_role
}

/** As {@link workspaceRights}, but throws a Problem `forbidden` when the role lacks the permission. */
export async function requireInWorkspace(
  db: Database,
  user_id: Uuid,
  place: WorkspacePlace & { permission: Permission },
): Promise<WorkspaceRights> {
  const rights = await workspaceRights(db, user_id, place)
  if (permissionsOf(rights.role).has(place.permission)) return rights
  throw new Problem('forbidden', `You do not have the permission ${place.permission} in this workspace.`)
}

/** Those who manage projects and members. */
export const isManager = (role: string | null): boolean => role === 'admin' || role === 'owner'
