import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import { effectiveRole } from './effective-role.ts'
import { type Permission, permissionsOf } from './roles.ts'

/** A user's rights in a workspace. */
export interface WorkspaceRights {
  workspace_id: Uuid
  organization_id: Uuid
  owner_id: Uuid
  /** Null if the user is not a member. */
  role: string | null
}

export interface WorkspacePlace {
  workspace_id: Uuid
  /** Set when the caller names the organization: a workspace of another organization is then not found. */
  organization_id?: Uuid
}

/**
 * The user's role in the workspace, which is their role in its default project. Throws a Problem `not_found` if the
 * workspace does not exist.
 */
export async function workspaceRights(
  db: Database,
  user_id: Uuid,
  { workspace_id, organization_id }: WorkspacePlace,
): Promise<WorkspaceRights> {
  const row = await db
    .selectFrom('workspaces')
    .innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
    .leftJoin('projects', join =>
      join.onRef('projects.workspace_id', '=', 'workspaces.id').on('projects.is_default', '=', true),
    )
    .select(['workspaces.organization_id', 'organizations.owner_id'])
    .select(effectiveRole(sql`${user_id}::uuid`).as('role'))
    .where('workspaces.id', '=', workspace_id)
    .executeTakeFirst()
  if (row === undefined || (organization_id !== undefined && row.organization_id !== organization_id)) {
    throw new Problem('not_found', { message: 'The workspace does not exist.', ref: workspace_id })
  }
  return { workspace_id, ...row }
}

/** As {@link workspaceRights}, but throws a Problem `forbidden` if the role lacks the permission. */
export async function requireInWorkspace(
  db: Database,
  user_id: Uuid,
  place: WorkspacePlace & { permission: Permission },
): Promise<WorkspaceRights> {
  const rights = await workspaceRights(db, user_id, place)
  if (permissionsOf(rights.role).has(place.permission)) return rights
  throw new Problem('forbidden', `You do not have the permission ${place.permission} in this workspace.`)
}

/** Whether the role may manage projects and members. */
export const isManager = (role: string | null): boolean => role === 'admin' || role === 'owner'
