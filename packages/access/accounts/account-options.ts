import type { AccountBody, AccountOptionsBody } from './account-body.ts'

/** The options that apply to one account. */
export interface AccountOptions {
  isDryRun: boolean
  idempotencyKey: string | undefined
  createIdentities: boolean
  createApiKey: boolean
  returnApiKey: boolean
  seedDefaults: boolean
}

/**
 * An account's own options replace those of the whole request. The two options that make a request safe to send are
 * exempt, because ignoring them would store a trial run or store it twice: a dry run of the request is a dry run of
 * every account, and the request's idempotency key applies to every account without one of its own.
 */
export function accountOptionsOf(account: AccountBody, ofRequest: AccountOptionsBody | undefined): AccountOptions {
  const chosen = account.options ?? ofRequest
  return {
    isDryRun: ofRequest?.dry_run === true || account.options?.dry_run === true,
    idempotencyKey: account.options?.idempotency_key ?? ofRequest?.idempotency_key,
    createIdentities: chosen?.create_identities ?? account.user_identities !== undefined,
    createApiKey: chosen?.create_api_keys ?? true,
    returnApiKey: chosen?.return_api_keys ?? true,
    seedDefaults: chosen?.seed_defaults ?? true,
  }
}
