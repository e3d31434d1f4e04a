import { hash, timingSafeEqual } from 'node:crypto'
import { NIL_UUID, parseUuid, type Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import { identifyApiKey, isSameKey } from './api-key.ts'
import { CachedLookup } from './cached-lookup.ts'
import { loadKeys, loadPrincipals, type StoredKey, scopeKey } from './credentials.ts'
import { KeyUsage } from './key-usage.ts'
import { type Principal, type ProjectPrincipal, unauthenticated } from './principal.ts'
import { importTokenKey, mintSecretToken, type TokenKey, verifySecretToken } from './secret-token.ts'

export interface AuthenticatorOptions {
  /** The key for the `Access` scheme on admin paths. Without one, these paths are closed. */
  adminKey?: string
  /**
   * Signs Secret tokens; without it no tokens are accepted or created. Never use a key that a person made up: callers
   * receive tokens and could try keys against them offline.
   */
  tokenKey?: string
  /**
   * How long another process may still accept credentials that were revoked in this one; up to a quarter of an hour if
   * it cannot reach the database.
   */
  cacheSeconds?: number
}

/** The query parameters that name a project. A parameter given several times is a list. */
export interface ScopeParameters {
  project_id?: unknown
  workspace_id?: unknown
}

/** A cache of credentials. Code that revokes rights calls `forget` after the commit. */
export interface CredentialCache {
  forget(): void
}

/** Identifies callers. */
export interface Authenticator extends CredentialCache {
  /**
   * The principal that the `Authorization` header identifies on this path. Throws a Problem `unauthenticated` (401) for
   * credentials that are not valid, and `overloaded` (503) when they cannot be checked. While the database is
   * unavailable, credentials that were valid within the last quarter of an hour are accepted. Admin paths, which
   * contain `/admin/`, accept only the admin key.
   */
  authenticate(header: string | undefined, path: string, parameters?: ScopeParameters): Promise<Principal>
  /**
   * Creates an `Authorization` header, valid for 15 minutes, with which a worker acts for the principal. A header
   * created `forCaller` gives no more access than the caller already has, and ends with the caller's key.
   */
  mintSecret(principal: ProjectPrincipal, options?: { forCaller?: boolean }): Promise<string>
  /**
   * The principal as whom a worker acts for a user; null if the user or the project no longer exists. Throws a Problem
   * `overloaded` when the database cannot be asked.
   */
  workerFor(user_id: Uuid, project_id: Uuid): Promise<ProjectPrincipal | null>
  /** Resolves when no background write is in progress. */
  close(): Promise<void>
}

export const openAuthenticator = (db: Database, options: AuthenticatorOptions): Authenticator =>
  new DatabaseAuthenticator(db, options)

class DatabaseAuthenticator implements Authenticator {
  readonly #adminKey: string | undefined
  readonly #tokenKey: TokenKey | undefined
  readonly #keys: CachedLookup<StoredKey>
  readonly #principals: CachedLookup<ProjectPrincipal>
  readonly #usage: KeyUsage

  constructor(db: Database, { adminKey, tokenKey, cacheSeconds = 1 }: AuthenticatorOptions) {
    this.#adminKey = adminKey || undefined
    this.#tokenKey = tokenKey ? importTokenKey(tokenKey) : undefined
    const ttlMs = cacheSeconds * 1000
    this.#keys = new CachedLookup({ ttlMs, load: prefixes => loadKeys(db, prefixes) })
    this.#principals = new CachedLookup({ ttlMs, load: keys => loadPrincipals(db, keys) })
    this.#usage = new KeyUsage(db)
  }

  async authenticate(header: string | undefined, path: string, parameters: ScopeParameters = {}): Promise<Principal> {
    if (!header || [parameters.project_id, parameters.workspace_id].some(namesNothing)) throw unauthenticated()
    const [scheme, credential] = partsOf(header)
    if (isAdminPath(path)) return this.#admin(scheme, credential)
    if (scheme === null || scheme === 'ApiKey') return this.#byKey(credential)
    if (scheme === 'Secret') return this.#byToken(credential)
    throw unauthenticated()
  }

  async mintSecret(principal: ProjectPrincipal, { forCaller = false }: { forCaller?: boolean } = {}): Promise<string> {
    if (this.#tokenKey === undefined) throw new Error('Secret tokens need a signing key')
    const { user_id, user_email, project_id, workspace_id, organization_id, organization_name, key_prefix } = principal
    const claims = { user_id, user_email, project_id, workspace_id, organization_id, organization_name }
    const ofCaller = forCaller && { for_caller: true as const, key_prefix }
    const token = await mintSecretToken({ ...claims, ...ofCaller }, this.#tokenKey)
    return `Secret ${token}`
  }

  async workerFor(user_id: Uuid, project_id: Uuid): Promise<ProjectPrincipal | null> {
    const principal = await this.#principals.get(scopeKey(user_id, project_id))
    return principal && { ...principal, isWorker: true }
  }

  forget(): void {
    this.#keys.forget()
    this.#principals.forget()
  }

  close(): Promise<void> {
    return this.#usage.settled()
  }

  #admin(scheme: string | null, key: string): Principal {
    if (scheme !== 'Access' || this.#adminKey === undefined) throw unauthenticated()
    if (!isSameText(key, this.#adminKey)) throw unauthenticated()
    return { kind: 'admin' }
  }

  async #byKey(text: string): Promise<Principal> {
    const presented = identifyApiKey(text)
    const stored = presented && (await this.#keys.get(presented.prefix))
    if (!presented || !stored || !isSameKey(presented, stored)) throw unauthenticated()
    const nowMs = Date.now()
    if (stored.expiresMs <= nowMs) throw unauthenticated()
    const principal = await this.#principals.get(scopeKey(stored.user_id, stored.project_id))
    if (principal === null) throw unauthenticated()
    this.#usage.note(stored, nowMs)
    return { ...principal, ...partsOfKey(stored) }
  }

  /**
   * The token identifies the user; their rights are looked up as for a key. One that was asked for with a key is valid
   * while that is: otherwise whoever had a key could go on without it, asking for one token with another.
   */
  async #byToken(token: string): Promise<Principal> {
    if (this.#tokenKey === undefined) throw unauthenticated('invalid_token')
    const { user_id, project_id, isWorker, key_prefix } = await verifySecretToken(token, this.#tokenKey)
    const key = key_prefix === undefined ? undefined : await this.#keys.get(key_prefix)
    if (key === null || (key && key.expiresMs <= Date.now())) throw unauthenticated('invalid_token')
    const principal = await this.#principals.get(scopeKey(user_id, project_id))
    if (principal === null) throw unauthenticated('invalid_token')
    return { ...principal, ...(isWorker && { isWorker }), ...(key && partsOfKey(key)) }
  }
}

const partsOfKey = ({ prefix, quota }: StoredKey) => ({ key_prefix: prefix, ...(quota && { key_quota: quota }) })

const isAdminPath = (path: string): boolean => (path.split('?', 1)[0] ?? '').includes('/admin/')

/** Scheme and credential. A header without a scheme is a key, as it was sent before schemes existed. */
function partsOf(header: string): [string | null, string] {
  const space = header.indexOf(' ')
  return space < 0 ? [null, header] : [header.slice(0, space), header.slice(space + 1)]
}

/** The nil UUID and the word `null`, as sent by a client that has lost track of its project. */
function namesNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesNothing)
  return typeof value === 'string' && (value === 'null' || parseUuid(value) === NIL_UUID)
}

/** Compares digests, so that the time taken reveals neither content nor length. */
const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
