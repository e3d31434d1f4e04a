import type { Uuid } from '@spanhouse/model'
import type { AccountAnswer } from '../accounts/account-answer.ts'
import type { AccountError } from '../accounts/account-identities.ts'

type Named<T> = Record<string, T>

/** Entities under the names that the request gave them. Every map except `api_keys` is always present. */
export interface Graph {
  users: Named<AccountAnswer['user']>
  user_identities: Named<AccountAnswer['user_identities'][number]>
  organizations: Named<AccountAnswer['organizations']['org']>
  workspaces: Named<AccountAnswer['workspaces']['wrk']>
  projects: Named<AccountAnswer['projects']['prj']>
  organization_memberships: Named<AccountAnswer['organization_memberships'][number]>
  workspace_memberships: Named<AccountAnswer['workspace_memberships'][number]>
  project_memberships: Named<AccountAnswer['project_memberships'][number]>
  api_keys?: Named<{ id: Uuid; prefix: string; project_id: Uuid; user_id: Uuid; value?: string }>
}

export interface GraphAnswer {
  accounts: [Graph]
  /** Absent when there are no errors. */
  errors?: AccountError[]
}
