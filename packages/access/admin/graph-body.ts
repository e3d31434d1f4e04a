import { mapOf, nearestTime, optional, z } from '@spanhouse/validation'
import {
  ACCOUNTS_MAX,
  accountOptions,
  IDENTITIES_MAX,
  identity,
  organization,
  organizationMembership,
  project,
  projectMembership,
  user,
  workspace,
  workspaceMembership,
} from '../accounts/account-body.ts'
import { reference, referenceOrEmail } from '../organizations/reference.ts'

const apiKey = z.object({
  project_ref: reference,
  user_ref: reference,
  name: optional(z.string().max(255)),
  expires_at: optional(nearestTime),
})

const options = optional(accountOptions)

/** `POST /admin/accounts/`: entities under names that the caller chooses, by which they may refer to each other. */
export const graphBody = z.object({
  options,
  users: optional(mapOf(user, ACCOUNTS_MAX)),
  user_identities: optional(mapOf(identity, IDENTITIES_MAX)),
  organizations: optional(mapOf(organization, ACCOUNTS_MAX)),
  workspaces: optional(mapOf(workspace, ACCOUNTS_MAX)),
  projects: optional(mapOf(project, ACCOUNTS_MAX)),
  organization_memberships: optional(mapOf(organizationMembership, ACCOUNTS_MAX)),
  workspace_memberships: optional(mapOf(workspaceMembership, ACCOUNTS_MAX)),
  project_memberships: optional(mapOf(projectMembership, ACCOUNTS_MAX)),
  api_keys: optional(mapOf(apiKey, ACCOUNTS_MAX)),
  subscriptions: optional(mapOf(z.object({ plan: z.string() }), ACCOUNTS_MAX)),
})
export type GraphBody = z.output<typeof graphBody>

/** The bodies that create one entity each, below `/admin/simple/accounts/`. */
export const userBody = z.object({ user, options })
export const identityBody = z.object({ user_ref: referenceOrEmail, user_identity: identity, options })
export const organizationBody = z.object({ organization, owner: optional(referenceOrEmail), options })
export const workspaceBody = z.object({ workspace, options })
export const projectBody = z.object({ project, options })
export const organizationMembershipBody = z.object({ membership: organizationMembership, options })
export const workspaceMembershipBody = z.object({ membership: workspaceMembership, options })
export const projectMembershipBody = z.object({ membership: projectMembership, options })
export const apiKeyBody = z.object({ api_key: apiKey, options })
