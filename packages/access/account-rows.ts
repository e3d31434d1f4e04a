import { randomUUID } from 'node:crypto'
import { microsNow, microsToIso, type Uuid } from '@spanhouse/model'
import { type Database, type Insertable, newId, type Tables, toJsonb } from '@spanhouse/postgres'
import type { AccountBody } from './account-body.ts'
import { type LocalNames, type Reference, resolveReference } from './reference.ts'

/** A membership at one of the three scopes; `scope_id` is the organization, workspace or project. */
export interface MembershipRow {
  id: Uuid
  scope_id: Uuid
  user_id: Uuid
  role: string
}

/** The records that make up an account, ready to be stored. Their ids ascend in the order in which they stand here. */
export interface AccountRows {
  user: Insertable<Tables['users']> & { created_at: string }
  organization: Insertable<Tables['organizations']> & { created_at: string }
  workspace: Insertable<Tables['workspaces']>
  project: Insertable<Tables['projects']> & { is_default: boolean }
  organization_memberships: MembershipRow[]
  workspace_memberships: MembershipRow[]
  project_memberships: MembershipRow[]
}

/**
 * The records of one account with everything filled in that the request left out: the organization is named after the
 * user, workspace and project are called Default, and the user is owner at every scope for which no memberships were
 * given. Reads the database only to resolve references to records outside the account; throws as `resolveReference`. The
 * id of the user is given where they exist already.
 */
export async function accountRowsOf(db: Database, body: AccountBody, user: Uuid = newId()): Promise<AccountRows> {
  const [org, wrk, prj] = [newId(), newId(), newId()]
  const local = { users: { user }, organizations: { org }, workspaces: { wrk }, projects: { prj } }
  const created_at = microsToIso(microsNow())
  const username = usernameOf(body.user)
  const ownerRef = body.organization?.owner_user_ref
  const owner_id = ownerRef === undefined ? user : await resolveReference(db, 'users', ownerRef, local)
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
    ...(await membershipsOf(db, body, local)),
  }
}

/** The name a user goes by when they gave none: what stands before the @-sign. */
export function usernameOf(user: AccountBody['user']): string {
  return user.username || user.name || user.email.slice(0, user.email.indexOf('@'))
}

interface MembershipBody {
  user_ref: Reference
  role: string
}

async function membershipsOf(
  db: Database,
  body: AccountBody,
  local: LocalNames,
): Promise<Pick<AccountRows, 'organization_memberships' | 'workspace_memberships' | 'project_memberships'>> {
  const rowOf = async (
    target: 'organizations' | 'workspaces' | 'projects',
    scope: Reference,
    { user_ref, role }: MembershipBody,
  ): Promise<MembershipRow> => ({
    id: newId(),
    scope_id: await resolveReference(db, target, scope, local),
    user_id: await resolveReference(db, 'users', user_ref, local),
    role,
  })
  const organizations = orOwner(body.organization_memberships, { organization_ref: named('org') })
  const workspaces = orOwner(body.workspace_memberships, { workspace_ref: named('wrk') })
  const projects = orOwner(body.project_memberships, { project_ref: named('prj') })
  return {
    organization_memberships: await inOrder(organizations, one => rowOf('organizations', one.organization_ref, one)),
    workspace_memberships: await inOrder(workspaces, one => rowOf('workspaces', one.workspace_ref, one)),
    project_memberships: await inOrder(projects, one => rowOf('projects', one.project_ref, one)),
  }
}

const named = (value: string): Reference => ({ by: 'ref', value })

/** The memberships given, or the user's own as owner. An empty list gives none, and so counts as left out. */
function orOwner<Scope>(given: (MembershipBody & Scope)[] | undefined, scope: Scope): (MembershipBody & Scope)[] {
  return given?.length ? given : [{ ...scope, user_ref: named('user'), role: 'owner' }]
}

/** One after the other, so that ids ascend in the order of the request. */
async function inOrder<T, R>(items: T[], convert: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await convert(item))
  return results
}
