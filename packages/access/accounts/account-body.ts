import { list, mapOf, optional, storedObject, z } from '@spanhouse/validation'
import { PASSWORD_LENGTH_MAX } from '../credentials/password.ts'
import { reference, referenceOrEmail } from '../organizations/reference.ts'

/** Accounts in one request, all stored in one transaction. */
export const ACCOUNTS_MAX = 200
/** Identities whose passwords one request may set: hashing each takes 0.2 s. */
export const IDENTITIES_MAX = 50
/** Identities, or memberships of one scope, in one account. */
const ITEMS_MAX = 50
const IDEMPOTENCY_KEY_LENGTH_MAX = 256
/** RFC 5321, section 4.5.3.1.3. */
const EMAIL_LENGTH_MAX = 254

/** Whether the text has the form of an email address. Only sending mail can show whether the address exists. */
export const isEmail = (value: string): boolean => /^[^\s@]+@[^\s@]+$/.test(value) && value.length <= EMAIL_LENGTH_MAX

export const email = z
  .string()
  .refine(isEmail, 'Value error, an email address must have exactly one @-sign with text on both sides')

const idempotencyKey = z
  .string()
  .refine(
    value => value.length > 0 && value.length <= IDEMPOTENCY_KEY_LENGTH_MAX,
    `Value error, an idempotency key must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
  )

const listOf = <S extends z.ZodType>(schema: S) => optional(list(schema, { max: ITEMS_MAX }))

/** Some of these texts are index keys, and an index entry holds about 2,700 bytes at most. */
const TEXT_LENGTH_MAX = 512

const words = z.string().max(TEXT_LENGTH_MAX)
const text = optional(words)
const flag = optional(z.boolean())

export const user = z.object({ email, username: text, name: text })

export const identity = z.object({
  method: words,
  subject: words,
  email: text,
  password: optional(z.string().max(PASSWORD_LENGTH_MAX)),
  verified: flag,
  user_ref: optional(referenceOrEmail),
  domain: text,
  provider_user_id: text,
  claims: optional(storedObject),
})

export const organization = z.object({
  name: words,
  slug: text,
  owner_user_ref: optional(reference),
  metadata: optional(storedObject),
})

export const workspace = z.object({ name: words, organization_ref: reference, slug: text })

export const project = z.object({
  name: words,
  organization_ref: reference,
  workspace_ref: reference,
  is_default: flag,
})

export const organizationMembership = z.object({ organization_ref: reference, user_ref: reference, role: words })
export const workspaceMembership = z.object({ workspace_ref: reference, user_ref: reference, role: words })
export const projectMembership = z.object({ project_ref: reference, user_ref: reference, role: words })

export const accountOptions = z.object({
  dry_run: flag,
  idempotency_key: optional(idempotencyKey),
  create_identities: flag,
  create_api_keys: flag,
  return_api_keys: flag,
  seed_defaults: flag,
  reason: text,
})

export const account = z.object({
  user,
  options: optional(accountOptions),
  user_identities: listOf(identity),
  organization: optional(organization),
  workspace: optional(workspace),
  project: optional(project),
  organization_memberships: listOf(organizationMembership),
  workspace_memberships: listOf(workspaceMembership),
  project_memberships: listOf(projectMembership),
  subscription: optional(z.object({ plan: words })),
})

/** `POST /admin/simple/accounts/`. */
export const createAccountsBody = z.object({
  accounts: mapOf(account, ACCOUNTS_MAX),
  options: optional(accountOptions),
})

/** `DELETE /admin/simple/accounts/`. */
export const deleteAccountsBody = z.object({
  accounts: mapOf(z.object({ user: referenceOrEmail }), ACCOUNTS_MAX),
  dry_run: flag,
  reason: text,
})

export type AccountBody = z.output<typeof account>
export type IdentityBody = z.output<typeof identity>
export type AccountOptionsBody = z.output<typeof accountOptions>
export type CreateAccountsBody = z.output<typeof createAccountsBody>
export type DeleteAccountsBody = z.output<typeof deleteAccountsBody>
