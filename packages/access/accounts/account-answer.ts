import type { Uuid } from '@spanhouse/model'
import type { Insertable, Tables } from '@spanhouse/postgres'
import type { AccountError, IdentityPlan } from './account-identities.ts'
import type { AccountRows, MembershipRow } from './account-rows.ts'

interface MembershipAnswer {
  id: Uuid
  user_id: Uuid
  role: string
}

/** One account in the response of `POST /admin/simple/accounts/`. The keys of its maps are fixed. */
export interface AccountAnswer {
  user: { id: Uuid; uid: string; email: string; username: string; name: string; created_at: string }
  user_identities: {
    id: Uuid
    user_id: Uuid
    method: string
    subject: string
    email: string
    status: 'created'
    verified: boolean
  }[]
  organizations: { org: { id: Uuid; name: string; slug?: string; owner_user_id: Uuid; created_at: string } }
  workspaces: { wrk: { id: Uuid; name: string; slug?: string; organization_id: Uuid } }
  projects: { prj: { id: Uuid; name: string; organization_id: Uuid; workspace_id: Uuid; is_default: boolean } }
  organization_memberships: (MembershipAnswer & { organization_id: Uuid })[]
  workspace_memberships: (MembershipAnswer & { workspace_id: Uuid })[]
  project_memberships: (MembershipAnswer & { project_id: Uuid })[]
  /** The text of the key. Absent when no key was created or when it must not be returned. */
  api_keys?: { key: string }
}

export interface AccountsAnswer {
  /** Keyed and ordered as in the request. */
  accounts: Record<string, AccountAnswer>
  /** Absent when there are no errors. */
  errors?: AccountError[]
}

export const userAnswer = (row: AccountRows['user']): AccountAnswer['user'] => ({
  id: row.id,
  uid: row.uid,
  email: row.email,
  username: row.username,
  name: row.username,
  created_at: row.created_at,
})

export const identityAnswer = ({ row }: IdentityPlan): AccountAnswer['user_identities'][number] => ({
  id: row.id,
  user_id: row.user_id,
  method: row.method,
  subject: row.subject,
  email: row.email,
  status: 'created',
  verified: row.verified,
})

export const organizationAnswer = (row: AccountRows['organization']): AccountAnswer['organizations']['org'] => ({
  id: row.id,
  name: row.name,
  ...(row.slug != null && { slug: row.slug }),
  owner_user_id: row.owner_id,
  created_at: row.created_at,
})

export const workspaceAnswer = (row: Insertable<Tables['workspaces']>): AccountAnswer['workspaces']['wrk'] => ({
  id: row.id,
  name: row.name,
  ...(row.slug != null && { slug: row.slug }),
  organization_id: row.organization_id,
})

export const projectAnswer = (row: AccountRows['project']): AccountAnswer['projects']['prj'] => ({
  id: row.id,
  name: row.name,
  organization_id: row.organization_id,
  workspace_id: row.workspace_id,
  is_default: row.is_default,
})

export const organizationMembership = (row: MembershipRow) => membership(row, 'organization_id')
export const workspaceMembership = (row: MembershipRow) => membership(row, 'workspace_id')
export const projectMembership = (row: MembershipRow) => membership(row, 'project_id')

export const accountAnswerOf = (
  rows: AccountRows,
  identities: IdentityPlan[],
  apiKey: string | null,
): AccountAnswer => ({
  user: userAnswer(rows.user),
  user_identities: identities.map(identityAnswer),
  organizations: { org: organizationAnswer(rows.organization) },
  workspaces: { wrk: workspaceAnswer(rows.workspace) },
  projects: { prj: projectAnswer(rows.project) },
  organization_memberships: rows.organization_memberships.map(organizationMembership),
  workspace_memberships: rows.workspace_memberships.map(workspaceMembership),
  project_memberships: rows.project_memberships.map(projectMembership),
  ...(apiKey !== null && { api_keys: { key: apiKey } }),
})

function membership<C extends string>(row: MembershipRow, column: C): MembershipAnswer & Record<C, Uuid> {
  const { id, scope_id, user_id, role } = row
  return { id, [column]: scope_id, user_id, role } as MembershipAnswer & Record<C, Uuid>
}
