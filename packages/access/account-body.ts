import { flag, listOf, mapOf, type Of, object, optional, record, text, textThat } from './body.ts'
import { reference, referenceOrEmail } from './reference.ts'

/** Accounts in one request: they are stored in one transaction. */
const ACCOUNTS_MAX = 200
/** Identities, or memberships of one scope, of one account. */
const ITEMS_MAX = 50
const IDEMPOTENCY_KEY_LENGTH_MAX = 256
/** RFC 5321, section 4.5.3.1.3. */
const EMAIL_LENGTH_MAX = 254

const email = textThat(
  value => /^[^\s@]+@[^\s@]+$/.test(value) && value.length <= EMAIL_LENGTH_MAX,
  'Value error, an email address must have text on both sides of one @-sign',
)

const idempotencyKey = textThat(
  value => value.length > 0 && value.length <= IDEMPOTENCY_KEY_LENGTH_MAX,
  `Value error, an idempotency key must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
)

export const user = record({ email, username: optional(text), name: optional(text) })

export const identity = record({
  method: text,
  subject: text,
  email: optional(text),
  password: optional(text),
  verified: optional(flag),
  user_ref: optional(referenceOrEmail),
  domain: optional(text),
  provider_user_id: optional(text),
  claims: optional(object),
})

export const organization = record({
  name: text,
  slug: optional(text),
  owner_user_ref: optional(reference),
  metadata: optional(object),
})

export const workspace = record({ name: text, organization_ref: reference, slug: optional(text) })

export const project = record({
  name: text,
  organization_ref: reference,
  workspace_ref: reference,
  is_default: optional(flag),
})

export const organizationMembership = record({ organization_ref: reference, user_ref: reference, role: text })
export const workspaceMembership = record({ workspace_ref: reference, user_ref: reference, role: text })
export const projectMembership = record({ project_ref: reference, user_ref: reference, role: text })

export const accountOptions = record({
  dry_run: optional(flag),
  idempotency_key: optional(idempotencyKey),
  create_identities: optional(flag),
  create_api_keys: optional(flag),
  return_api_keys: optional(flag),
  seed_defaults: optional(flag),
  reason: optional(text),
})

const account = record({
  user,
  options: optional(accountOptions),
  user_identities: optional(listOf(identity, ITEMS_MAX)),
  organization: optional(organization),
  workspace: optional(workspace),
  project: optional(project),
  organization_memberships: optional(listOf(organizationMembership, ITEMS_MAX)),
  workspace_memberships: optional(listOf(workspaceMembership, ITEMS_MAX)),
  project_memberships: optional(listOf(projectMembership, ITEMS_MAX)),
  subscription: optional(record({ plan: text })),
})

/** `POST /admin/simple/accounts/`. */
export const createAccountsBody = record({
  accounts: mapOf(account, ACCOUNTS_MAX),
  options: optional(accountOptions),
})

/** `DELETE /admin/simple/accounts/`. */
export const deleteAccountsBody = record({
  accounts: mapOf(record({ user: referenceOrEmail }), ACCOUNTS_MAX),
  dry_run: optional(flag),
  reason: optional(text),
})

export type AccountBody = Of<typeof account>
export type IdentityBody = Of<typeof identity>
export type AccountOptionsBody = Of<typeof accountOptions>
