import { hkdfSync } from 'node:crypto'
import { parseUuid, type Uuid } from '@spanhouse/model'
import { type CryptoKey, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { unauthenticated } from './principal.ts'

/** Lifetime of a token: long enough for one unit of a worker's work. */
export const SECRET_TOKEN_SECONDS = 15 * 60

export interface SecretClaims {
  user_id: Uuid
  user_email: string
  project_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  organization_name: string
  /** Set in tokens that are given to the user; such a token reads no more than the user's own key. */
  for_caller?: true
  /** The API key it was asked for with: the token is valid no longer than that key, and uses its quota. */
  key_prefix?: string | undefined
}

/** The key that signs tokens; the same in every process with the same secret key. */
export const tokenKeyOf = (secretKey: string): string => derivedKey(secretKey, 'Secret tokens')

/** The key that encrypts stored responses of administration; derived as in {@link tokenKeyOf}. */
export const answerKeyOf = (secretKey: string): string => derivedKey(secretKey, 'Remembered answers')

const derivedKey = (secretKey: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32)).toString('hex')

const HEADER = { alg: 'HS256', typ: 'JWT' }

/** A key that signs and checks tokens. It is imported once, because importing takes longer than signing or checking. */
export type TokenKey = Promise<CryptoKey>

export const importTokenKey = (key: string): TokenKey =>
  crypto.subtle.importKey('raw', Buffer.from(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

/** A JSON Web Token (RFC 7519) over the claims, signed with HMAC-SHA256. */
export async function mintSecretToken(
  claims: SecretClaims,
  key: TokenKey,
  nowMs: number = Date.now(),
): Promise<string> {
  const exp = Math.floor(nowMs / 1000) + SECRET_TOKEN_SECONDS
  return new SignJWT({ ...claims })
    .setProtectedHeader(HEADER)
    .setExpirationTime(exp)
    .sign(await key)
}

/** What a token says about its bearer. */
export interface TokenIdentity {
  user_id: Uuid
  project_id: Uuid
  isWorker: boolean
  key_prefix: string | undefined
}

/**
 * The user and project that the token identifies. Throws a Problem `unauthenticated`: with the reason
 * `expired_signature` if the token is genuine but expired, otherwise `invalid_token`. Only HS256 is accepted, whatever
 * algorithm the token names.
 */
export async function verifySecretToken(
  token: string,
  key: TokenKey,
  nowMs: number = Date.now(),
): Promise<TokenIdentity> {
  const { user_id, project_id, for_caller, key_prefix } = await claimsOf(token, await key, nowMs)
  const [user, project] = [uuidOf(user_id), uuidOf(project_id)]
  if (user === null || project === null) throw unauthenticated('invalid_token')
  return {
    user_id: user,
    project_id: project,
    isWorker: for_caller === undefined,
    key_prefix: typeof key_prefix === 'string' ? key_prefix : undefined,
  }
}

async function claimsOf(token: string, key: CryptoKey, nowMs: number): Promise<JWTPayload> {
  const rules = { algorithms: [HEADER.alg], requiredClaims: ['exp'], currentDate: new Date(nowMs) }
  try {
    return (await jwtVerify(token, key, rules)).payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw unauthenticated(error instanceof errors.JWTExpired ? 'expired_signature' : 'invalid_token')
  }
}

const uuidOf = (value: unknown): Uuid | null => (typeof value === 'string' ? parseUuid(value) : null)
