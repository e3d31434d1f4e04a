import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { uuid, z } from '@spanhouse/validation'
import type { CredentialCache } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { isManager, requireInWorkspace, type WorkspaceRights, workspaceRights } from '../roles/rights.ts'
import { isRoleName, type RoleName } from '../roles/roles.ts'
import { lockWorkspace } from './projects.ts'
import { byEmail, findUser } from './reference.ts'

/** The member and role in `POST` and `DELETE /workspaces/{id}/roles`. */
export const memberRole = z.object({ email: z.string(), organization_id: uuid, role: z.string() })

/** What a change of members needs besides the database. */
interface Change {
  cache: CredentialCache
  principal: ProjectPrincipal
  workspace_id: Uuid
}

/**
 * Gives a member of the organization a role in the workspace and in all its projects. Throws Problems: `forbidden`
 * without the permission `modify_user_roles`, for the organization's owner, and for roles that only owners may grant or
 * revoke; `invalid` for an unknown role; `not_found`.
 */
export async function assignRole(
  db: Database,
  change: Change,
  { email, organization_id, role }: z.output<typeof memberRole>,
): Promise<true> {
  await changeMembers(db, change, async trx => {
    const place = { workspace_id: change.workspace_id, organization_id, permission: 'modify_user_roles' } as const
    const rights = await requireInWorkspace(trx, change.principal.user_id, place)
    const given = grantedRole(rights, role)
    const member = await memberOf(trx, rights, email)
    if (member === null || member.organization_role === null) throw unknownMember(email)
    requireChangeable(rights, member)
    await putMember(trx, { ...rights, user_id: member.user_id, role: given })
  })
  return true
}

/**
 * Revokes a member's role. They stay a member of the organization, without a role in the workspace and its projects
 * until they are given another. Throws as {@link assignRole}; `not_found` when the member has a different role.
 */
export async function unassignRole(
  db: Database,
  change: Change,
  { email, organization_id, role }: z.output<typeof memberRole>,
): Promise<true> {
  await changeMembers(db, change, async trx => {
    const place = { workspace_id: change.workspace_id, organization_id, permission: 'modify_user_roles' } as const
    const rights = await requireInWorkspace(trx, change.principal.user_id, place)
    if (!isRoleName(role)) throw unknownRole(role)
    const member = await memberOf(trx, rights, email)
    if (member === null) throw unknownMember(email)
    requireChangeable(rights, member)
    if (member.workspace_role !== role) {
      throw new Problem('not_found', { message: `The member does not have the role ${role}.`, ref: email })
    }
    await leaveWorkspace(trx, rights, member.user_id)
  })
  return true
}

/**
 * `DELETE /workspaces/{id}/users`: ends the user's memberships and deletes the pending invitation of the address.
 * Returns true even if there are none. Throws a Problem `forbidden` unless the caller is an admin or owner, and for the
 * organization's owner.
 */
export async function removeMember(db: Database, change: Change, email: string): Promise<true> {
  const { principal, workspace_id } = change
  await changeMembers(db, change, async trx => {
    const rights = await workspaceRights(trx, principal.user_id, workspace_id)
    if (rights === null || !isManager(rights.role)) {
      throw new Problem('forbidden', 'Only admins and owners can remove members.')
    }
    const member = await memberOf(trx, rights, email)
    if (member !== null) {
      requireChangeable(rights, member)
      await leaveWorkspace(trx, rights, member.user_id)
      await leaveOrganization(trx, rights.organization_id, member.user_id)
    }
    await trx
      .deleteFrom('invitations')
      .where('workspace_id', '=', workspace_id)
      .where(sql<boolean>`lower(email) = lower(${email})`)
      .where('accepted_at', 'is', null)
      .execute()
  })
  return true
}

/**
 * The role, if the caller may grant it. Throws Problems: `invalid` for an unknown role, `forbidden` for a role that
 * only owners may grant.
 */
export function grantedRole(rights: WorkspaceRights, role: string): RoleName {
  if (!isRoleName(role)) throw unknownRole(role)
  if (role === 'owner' && rights.role !== 'owner') throw new Problem('forbidden', 'Only owners can make owners.')
  return role
}

export interface NewMember {
  user_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  role: RoleName
}

/** Makes the user a member of the organization, and of the workspace and its projects with this role. */
export async function putMember(trx: Trx, { user_id, workspace_id, organization_id, role }: NewMember): Promise<void> {
  await trx
    .insertInto('organization_memberships')
    .values({ id: newId(), organization_id, user_id, role })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const changed = { role, updated_at: sql<string>`now()` }
  await trx
    .insertInto('workspace_memberships')
    .values({ id: newId(), workspace_id, user_id, role })
    .onConflict(conflict => conflict.columns(['workspace_id', 'user_id']).doUpdateSet(changed))
    .execute()
  const projects = await trx.selectFrom('projects').select('id').where('workspace_id', '=', workspace_id).execute()
  if (projects.length === 0) return
  await trx
    .insertInto('project_memberships')
    .values(projects.map(project => ({ id: newId(), project_id: project.id, user_id, role })))
    .onConflict(conflict => conflict.columns(['project_id', 'user_id']).doUpdateSet(changed))
    .execute()
}

async function changeMembers(
  db: Database,
  { cache, workspace_id }: Change,
  change: (trx: Trx) => Promise<void>,
): Promise<void> {
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockWorkspace(trx, workspace_id)
      await change(trx)
    }),
  )
  cache.forget()
}

interface Member {
  user_id: Uuid
  organization_role: string | null
  workspace_role: string | null
  /** In the workspace, or in any of its projects. */
  isAnOwner: boolean
}

/** The roles of the user with this address, or null if there is no such user. */
async function memberOf(
  trx: Trx,
  { workspace_id, organization_id }: WorkspaceRights,
  email: string,
): Promise<Member | null> {
  const user_id = await findUser(trx, byEmail(email))
  if (user_id === null) return null
  const inOrganization = await trx
    .selectFrom('organization_memberships')
    .select('role')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  const inWorkspace = await trx
    .selectFrom('workspace_memberships')
    .select('role')
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  const inProjects = await trx
    .selectFrom('project_memberships')
    .innerJoin('projects', 'projects.id', 'project_memberships.project_id')
    .select('role')
    .where('projects.workspace_id', '=', workspace_id)
    .where('project_memberships.user_id', '=', user_id)
    .execute()
  return {
    user_id,
    organization_role: inOrganization?.role ?? null,
    workspace_role: inWorkspace?.role ?? null,
    isAnOwner: [inWorkspace, ...inProjects].some(membership => membership?.role === 'owner'),
  }
}

/** The role of the organization's owner cannot change; other owners can be changed by owners only. */
function requireChangeable(rights: WorkspaceRights, { user_id, isAnOwner }: Member): void {
  if (user_id === rights.owner_id) throw new Problem('forbidden', "The owner's role cannot be changed.")
  if (isAnOwner && rights.role !== 'owner') {
    throw new Problem('forbidden', 'Only owners can change owners.')
  }
}

async function leaveWorkspace(trx: Trx, { workspace_id }: WorkspaceRights, user_id: Uuid): Promise<void> {
  await trx
    .deleteFrom('workspace_memberships')
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .execute()
  const projects = trx.selectFrom('projects').select('id').where('workspace_id', '=', workspace_id)
  await trx
    .deleteFrom('project_memberships')
    .where('project_id', 'in', projects)
    .where('user_id', '=', user_id)
    .execute()
}

/** Keeps the membership if the user is a member of another workspace of the organization. */
async function leaveOrganization(trx: Trx, organization_id: Uuid, user_id: Uuid): Promise<void> {
  const others = trx
    .selectFrom('workspace_memberships')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_memberships.workspace_id')
    .select('workspace_memberships.user_id')
    .where('workspaces.organization_id', '=', organization_id)
  await trx
    .deleteFrom('organization_memberships')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('user_id', 'not in', others)
    .execute()
}

const unknownRole = (role: string): Problem => invalid(`The role '${role.slice(0, 100)}' does not exist.`)

const unknownMember = (email: string): Problem =>
  new Problem('not_found', { message: `No member of the organization has the address ${email}.`, ref: email })
