export { createAccountsBody, deleteAccountsBody } from './accounts/account-body.ts'
export { createAccounts } from './accounts/accounts.ts'
export { deleteAccounts } from './accounts/deletion.ts'
export {
  ensureDefaultProject,
  ensureSelfProject,
} from './accounts/first-start.ts'
export * from './accounts/profile.ts'
export type { NewProject, Seed } from './accounts/seed.ts'
export * from './admin/create.ts'
export * from './admin/graph-body.ts'
export { passwordsBody, setPasswords } from './admin/passwords.ts'
export { type Removable, removalBody, removeEntity, removeTargets } from './admin/removal.ts'
export { transferBody, transferOwnership } from './admin/transfer.ts'
export { type Authenticator, openAuthenticator, type ScopeParameters } from './credentials/authenticate.ts'
export { AWAY_MS_MAX } from './credentials/cached-lookup.ts'
export * from './credentials/principal.ts'
export { projectQuotas, setProjectQuotas } from './credentials/project-quotas.ts'
export { type Quota, quotasBody } from './credentials/quota.ts'
export { randomText } from './credentials/random-text.ts'
export { answerKeyOf, tokenKeyOf } from './credentials/secret-token.ts'
export { createApiKey, listApiKeys, revokeApiKey } from './credentials/stored-keys.ts'
export {
  acceptBody,
  acceptInvitation,
  invite,
  inviteBody,
  resendBody,
  resendInvitation,
} from './organizations/invitations.ts'
export { assignRole, memberRole, removeMember, unassignRole } from './organizations/members.ts'
export {
  createOrganization,
  createOrganizationBody,
  createWorkspace,
  createWorkspaceBody,
  deleteOrganization,
  editOrganization,
  editOrganizationBody,
  editWorkspace,
  editWorkspaceBody,
  organizationSummary,
} from './organizations/organizations.ts'
export { transferOrganization } from './organizations/ownership.ts'
export {
  createProject,
  createProjectBody,
  deleteProject,
  editProject,
  editProjectBody,
  fetchProject,
  listProjects,
  projectJson,
} from './organizations/projects.ts'
export {
  fetchOrganization,
  listOrganizations,
  listWorkspaces,
  organizationDetails,
  organizationJson,
  workspaceJson,
} from './organizations/read-organizations.ts'
export { checkPermission, permissionCheckQuery } from './roles/permission-check.ts'
export { listRoles, PERMISSIONS, type Permission } from './roles/roles.ts'
export * from './roles/sql-readers.ts'
export type { StandardProvider } from './secrets/providers.ts'
export { createSecretBody, editSecretBody, type ProbeBody, probeBody } from './secrets/secret-body.ts'
export { secretJson } from './secrets/secret-json.ts'
export { createSecret, deleteSecret, editSecret, fetchSecret, listSecrets, openSecrets } from './secrets/secrets.ts'
export { openVault, type Vault } from './secrets/vault.ts'
export * from './secrets/webhook-secrets.ts'
