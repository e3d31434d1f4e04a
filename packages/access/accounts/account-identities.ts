import type { Uuid } from '@spanhouse/model'
import { type Insertable, newId, type Tables, type Trx, toJsonb } from '@spanhouse/postgres'
import { hashPassword, PASSWORD_METHOD } from '../credentials/password.ts'
import { type IdentityBody, isEmail } from './account-body.ts'

/** A part of an account that failed although the account itself was created. */
export interface AccountError {
  code:
    | 'not_implemented'
    | 'invalid_identity'
    | 'identity_already_exists'
    | 'identity_method_unavailable'
    | 'identity_creation_failed'
    | 'subscription_provision_failed'
  message: string
  details: Record<string, string>
}

export interface IdentityPlan {
  /** Its name in the request. */
  ref: string
  row: Insertable<Tables['user_identities']> & { email: string; verified: boolean }
}

/** The identities of a request that can be created, and an error for each that cannot. */
export interface IdentityPlans {
  plans: IdentityPlan[]
  errors: AccountError[]
}

/** Requires a mail server. */
const CODE_METHOD = 'email:otp'

/** Identities by the names that the request gives them. */
export type NamedIdentities = ReadonlyMap<string, IdentityBody>

/** The hashes of the passwords of those identities that can be created, by name. Each takes about 0.2 s. */
export async function hashPasswords(identities: NamedIdentities): Promise<Map<string, string>> {
  const usable = [...identities].filter(([ref, identity]) => identityError(ref, identity) === null)
  const hashed = usable.map(async ([ref, { password }]) => [ref, await hashPassword(password ?? '')] as const)
  return new Map(await Promise.all(hashed))
}

interface Planning {
  /** From {@link hashPasswords}; empty in a dry run, which stores nothing. */
  hashes: ReadonlyMap<string, string>
  /** The user to whom an identity belongs. Not called for those that cannot be created. */
  ownerOf(identity: IdentityBody): Uuid
}

export function planIdentities(identities: NamedIdentities, { hashes, ownerOf }: Planning): IdentityPlans {
  const planned: IdentityPlans = { plans: [], errors: [] }
  for (const [ref, identity] of identities) {
    const error = identityError(ref, identity)
    if (error !== null) planned.errors.push(error)
    else {
      const owner = { user_id: ownerOf(identity), password_hash: hashes.get(ref) ?? null }
      planned.plans.push({ ref, row: identityRow(identity, owner) })
    }
  }
  return planned
}

/** Stores the identities. An identity whose address is already taken is skipped and reported as an error. */
export async function insertIdentities(trx: Trx, { plans, errors }: IdentityPlans): Promise<IdentityPlans> {
  if (plans.length === 0) return { plans, errors }
  const rows = await trx
    .insertInto('user_identities')
    .values(plans.map(plan => plan.row))
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .execute()
  const stored = new Set(rows.map(row => row.id))
  const taken = plans.filter(plan => !stored.has(plan.row.id))
  return { plans: plans.filter(plan => stored.has(plan.row.id)), errors: [...errors, ...taken.map(alreadyExists)] }
}

/** The reason why the identity cannot be created, or null when it can. */
function identityError(ref: string, { method, subject, email, password }: IdentityBody): AccountError | null {
  if (method !== PASSWORD_METHOD) {
    const message = `Identities with the method '${method}' are not supported.`
    const code = method === CODE_METHOD ? 'identity_method_unavailable' : 'not_implemented'
    return { code, message, details: { ref, method } }
  }
  const address = email ?? subject
  if (!isEmail(address)) {
    return { code: 'invalid_identity', message: 'The identity needs an email address.', details: { ref, method } }
  }
  if (password) return null
  return {
    code: 'invalid_identity',
    message: 'The identity needs a password.',
    details: { ref, method, email: address },
  }
}

function identityRow(
  { method, subject, email, domain, provider_user_id, verified, claims }: IdentityBody,
  owner: { user_id: Uuid; password_hash: string | null },
): IdentityPlan['row'] {
  return {
    id: newId(),
    ...owner,
    method,
    subject: email ?? subject,
    email: email ?? subject,
    verified: verified ?? false,
    domain,
    provider_user_id,
    claims: toJsonb(claims),
  }
}

function alreadyExists({ ref, row }: IdentityPlan): AccountError {
  const message = `An identity with the method '${row.method}' already exists for '${row.email}'.`
  return { code: 'identity_already_exists', message, details: { ref, method: row.method, email: row.email } }
}
