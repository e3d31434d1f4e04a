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

/** The user's role in the workspace, which is their role in its default project. Null if there is no such workspace. */
export async function workspaceRights(
  db: Database,
  user_id: Uuid,
  workspace_id: Uuid,
): Promise<WorkspaceRights | null> {
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
  return row === undefined ? null : { workspace_id, ...row }
}

/** A workspace, in the organization that the caller names. */
export interface WorkspacePlace {
  organization_id: Uuid
  workspace_id: Uuid
}

/**
 * As {@link workspaceRights}. Throws Problems: `forbidden` if the role lacks the permission; if the organization has no
 * such workspace, `not_found` for members of either, and `forbidden` for all others, as if there were one.
 */
export async function requireInWorkspace(
  db: Database,
  user_id: Uuid,
  { organization_id, workspace_id, permission }: WorkspacePlace & { permission: Permission },
): Promise<WorkspaceRights> {
  const rights = await workspaceRights(db, user_id, workspace_id)
  const isThere = rights?.organization_id === organization_id
  if (isThere && permissionsOf(rights.role).has(permission)) return rights
  if (!isThere && (rights?.role || (await isInOrganization(db, user_id, organization_id)))) {
    throw new Problem('not_found', { message: 'The workspace does not exist.', ref: workspace_id })
  }
  throw new Problem('forbidden', `You do not have the permission ${permission} in this workspace.`)
}

async function isInOrganization(db: Database, user_id: Uuid, organization_id: Uuid): Promise<boolean> {
  const joined = db.selectFrom('organization_memberships').select('organization_id').where('user_id', '=', user_id)
  const row = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organization_id)
    .where(either => either.or([either('owner_id', '=', user_id), either('id', 'in', joined)]))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the role may manage projects and members. */
export const isManager = (role: string | null): boolean => role === 'admin' || role === 'owner'
