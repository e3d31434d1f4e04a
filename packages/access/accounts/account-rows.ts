import { randomUUID } from 'node:crypto'
import { microsNow, microsToIso, type Uuid } from '@spanhouse/model'
import { type Database, type Insertable, newId, type Tables, toJsonb } from '@spanhouse/postgres'
import {
  type FoundReferences,
  findReferences,
  type LocalNames,
  named,
  type Reference,
  type WantedReference,
} from '../organizations/reference.ts'
import type { AccountBody } from './account-body.ts'

/** A membership at one of the three scopes; `scope_id` is the organization, workspace or project. */
export interface MembershipRow {
  id: Uuid
  scope_id: Uuid
  user_id: Uuid
  role: string
}

/** The rows that make up an account, ready to be stored. Their ids ascend in the order of the members below. */
export interface AccountRows {
  user: Insertable<Tables['users']> & { created_at: string }
  organization: Insertable<Tables['organizations']> & { created_at: string }
  workspace: Insertable<Tables['workspaces']>
  project: Insertable<Tables['projects']> & { is_default: boolean }
  organization_memberships: MembershipRow[]
  workspace_memberships: MembershipRow[]
  project_memberships: MembershipRow[]
}

export type MembershipRows = Pick<
  AccountRows,
  'organization_memberships' | 'workspace_memberships' | 'project_memberships'
>

/**
 * The rows of one account, with defaults for everything the request left out: the organization is named after the user,
 * the workspace and project are called Default, and the user is the owner at every scope without explicit memberships.
 * Reads the database only to resolve references to rows outside the account, and throws as `findReferences` does.
 * `user` is the id of an existing user.
 */
export async function accountRowsOf(db: Database, body: AccountBody, user: Uuid = newId()): Promise<AccountRows> {
  const [org, wrk, prj] = [newId(), newId(), newId()]
  const local = { users: { user }, organizations: { org }, workspaces: { wrk }, projects: { prj } }
  const created_at = microsToIso(microsNow())
  const username = usernameOf(body.user)
  const found = await findReferences(db, referencesOf(body))
  const ownerRef = body.organization?.owner_user_ref
  const owner_id = ownerRef === undefined ? user : found.resolve('users', ownerRef, local)
  const author = { created_at, created_by_id: user }
  return {
    user: { id: user, uid: randomUUID(), email: body.user.email, username, created_at },
    organization: {
      id: org,
      name: body.organization?.name ?? username,
      slug: body.organization?.slug,
      meta: toJsonb(body.organization?.metadata),
      owner_id,
      ...author,
    },
    workspace: {
      id: wrk,
      name: body.workspace?.name ?? 'Default',
      slug: body.workspace?.slug,
      organization_id: org,
      ...author,
    },
    project: {
      id: prj,
      name: body.project?.name ?? 'Default',
      organization_id: org,
      workspace_id: wrk,
      is_default: true,
      ...author,
    },
    ...membershipsOf(body, found, local),
  }
}

/** The username, or a default when none was given: the part of the address before the @-sign. */
export function usernameOf(user: AccountBody['user']): string {
  return user.username || user.name || user.email.slice(0, user.email.indexOf('@'))
}

interface MembershipBody {
  user_ref: Reference
  role: string
}

/** Every reference in the account, so that all are looked up together. */
function referencesOf(body: AccountBody): WantedReference[] {
  const wanted: WantedReference[] = []
  if (body.organization?.owner_user_ref) wanted.push(['users', body.organization.owner_user_ref])
  for (const { organization_ref, user_ref } of body.organization_memberships ?? [])
    wanted.push(['organizations', organization_ref], ['users', user_ref])
  for (const { workspace_ref, user_ref } of body.workspace_memberships ?? [])
    wanted.push(['workspaces', workspace_ref], ['users', user_ref])
  for (const { project_ref, user_ref } of body.project_memberships ?? [])
    wanted.push(['projects', project_ref], ['users', user_ref])
  return wanted
}

function membershipsOf(body: AccountBody, { resolve }: FoundReferences, local: LocalNames): MembershipRows {
  const rowOf = (scope_id: Uuid, { user_ref, role }: MembershipBody): MembershipRow => ({
    id: newId(),
    scope_id,
    user_id: resolve('users', user_ref, local),
    role,
  })
  const organizations = orOwner(body.organization_memberships, { organization_ref: named('org') })
  const workspaces = orOwner(body.workspace_memberships, { workspace_ref: named('wrk') })
  const projects = orOwner(body.project_memberships, { project_ref: named('prj') })
  return {
    organization_memberships: organizations.map(one =>
      rowOf(resolve('organizations', one.organization_ref, local), one),
    ),
    workspace_memberships: workspaces.map(one => rowOf(resolve('workspaces', one.workspace_ref, local), one)),
    project_memberships: projects.map(one => rowOf(resolve('projects', one.project_ref, local), one)),
  }
}

/** The given memberships, or else the user as owner. An empty list counts as absent. */
function orOwner<Scope>(given: (MembershipBody & Scope)[] | undefined, scope: Scope): (MembershipBody & Scope)[] {
  return given?.length ? given : [{ ...scope, user_ref: named('user'), role: 'owner' }]
}
