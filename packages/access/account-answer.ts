import type { Uuid } from '@spanhouse/model'
import type { AccountError, IdentityPlan } from './account-identities.ts'
import type { AccountRows, MembershipRow } from './account-rows.ts'

interface MembershipAnswer {
  id: Uuid
  user_id: Uuid
  role: string
}

/** One account as `POST /admin/simple/accounts/` answers it. The keys of its maps are fixed. */
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
  /** The key's text. Absent when none was made or none was to be returned. */
  api_keys?: { key: string }
}

export interface AccountsAnswer {
  /** By the keys of the request, in its order. */
  accounts: Record<string, AccountAnswer>
  /** Absent when there are none. */
  errors?: AccountError[]
}

export function accountAnswerOf(rows: AccountRows, identities: IdentityPlan[], apiKey: string | null): AccountAnswer {
  const { user, organization, workspace, project } = rows
  return {
    user: {
      id: user.id,
      uid: user.uid,
      email: user.email,
      username: user.username,
      name: user.username,
      created_at: user.created_at,
    },
    user_identities: identities.map(({ row }) => ({
      id: row.id,
      user_id: row.user_id,
      method: row.method,
      subject: row.subject,
      email: row.email,
      status: 'created',
      verified: row.verified,
    })),
    organizations: {
      org: {
        id: organization.id,
        name: organization.name,
        ...(organization.slug != null && { slug: organization.slug }),
        owner_user_id: organization.owner_id,
        created_at: organization.created_at,
      },
    },
    workspaces: {
      wrk: {
        id: workspace.id,
        name: workspace.name,
        ...(workspace.slug != null && { slug: workspace.slug }),
        organization_id: workspace.organization_id,
      },
    },
    projects: {
      prj: {
        id: project.id,
        name: project.name,
        organization_id: project.organization_id,
        workspace_id: project.workspace_id,
        is_default: project.is_default,
      },
    },
    organization_memberships: rows.organization_memberships.map(row => membership(row, 'organization_id')),
    workspace_memberships: rows.workspace_memberships.map(row => membership(row, 'workspace_id')),
    project_memberships: rows.project_memberships.map(row => membership(row, 'project_id')),
    ...(apiKey !== null && { api_keys: { key: apiKey } }),
  }
}

function membership<C extends string>(row: MembershipRow, column: C): MembershipAnswer & Record<C, Uuid> {
  const { id, scope_id, user_id, role } = row
  return { id, [column]: scope_id, user_id, role } as MembershipAnswer & Record<C, Uuid>
}
