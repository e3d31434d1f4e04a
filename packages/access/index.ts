export type { AccountAnswer, AccountsAnswer } from './account-answer.ts'
export { createAccountsBody, deleteAccountsBody } from './account-body.ts'
export type { AccountError } from './account-identities.ts'
export { type CreateAccountsOptions, createAccounts } from './accounts.ts'
export * from './admin/graph-body.ts'
export { passwordsBody, setPasswords } from './admin/passwords.ts'
export * from './admin/records.ts'
export { type Removable, removalBody, removeRecord, removeTargets } from './admin/removal.ts'
export { transferBody, transferOwnership } from './admin/transfer.ts'
export { makeApiKey } from './api-key.ts'
export * from './authenticate.ts'
export { AWAY_MS_MAX } from './cached-lookup.ts'
export { type Deleted, deleteAccounts } from './deletion.ts'
export { type DefaultProject, ensureDefaultProject, type FirstStartOptions } from './first-start.ts'
export * from './invitations.ts'
export { assignRole, memberRole, removeMember, unassignRole } from './members.ts'
export * from './organization-records.ts'
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
} from './organizations.ts'
export { transferOrganization } from './ownership.ts'
export { checkPermission, permissionCheckQuery } from './permission-check.ts'
export * from './principal.ts'
export * from './profile.ts'
export {
  createProject,
  createProjectBody,
  deleteProject,
  editProject,
  editProjectBody,
  fetchProject,
  listProjects,
  projectRecord,
} from './projects.ts'
export * from './roles.ts'
export { answerKeyOf, tokenKeyOf } from './secret-token.ts'
export { createSecretBody, editSecretBody, type ProbeBody, probeBody, type SecretKind } from './secrets/secret-body.ts'
export { secretRecord } from './secrets/secret-record.ts'
export * from './secrets/secrets.ts'
export { openVault, type Vault } from './secrets/vault.ts'
export type { NewProject, Seed } from './seed.ts'
export { type ApiKeyRecord, createApiKey, listApiKeys, revokeApiKey } from './stored-keys.ts'
