import { hkdfSync } from 'node:crypto'
import { parseUuid, type Uuid } from '@spanhouse/model'
import { type CryptoKey, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { unauthenticated } from './principal.ts'

/** Lifetime of a token: long enough for one piece of a worker's work. */
export const SECRET_TOKEN_SECONDS = 15 * 60

export interface SecretClaims {
  user_id: Uuid
  user_email: string
  project_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  organization_name: string
  /** Set in tokens that were handed to the user, who then sees no more with it than without. */
  for_caller?: true
}

/** What signs tokens: every process that has the deployment's secret key agrees on it. */
export const tokenKeyOf = (secretKey: string): string => derivedKey(secretKey, 'Secret tokens')

/** What hides remembered answers of administration, as {@link tokenKeyOf}. */
export const answerKeyOf = (secretKey: string): string => derivedKey(secretKey, 'Remembered answers')

const derivedKey = (secretKey: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32)).toString('hex')

const HEADER = { alg: 'HS256', typ: 'JWT' }

/** Keys that sign and check tokens are imported once, since that takes longer than either. */
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

/**
 * Whom the token speaks for. Throws a Problem `unauthenticated`: reason `expired_signature` when it is genuine and its
 * time is over, otherwise `invalid_token`. Only HS256 is understood, whatever the token says of itself.
 */
export async function verifySecretToken(
  token: string,
  key: TokenKey,
  nowMs: number = Date.now(),
): Promise<{ user_id: Uuid; project_id: Uuid; isWorker: boolean }> {
  const { user_id, project_id, for_caller } = await claimsOf(token, await key, nowMs)
  const [user, project] = [uuidOf(user_id), uuidOf(project_id)]
  if (user === null || project === null) throw unauthenticated('invalid_token')
  return { user_id: user, project_id: project, isWorker: for_caller === undefined }
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
