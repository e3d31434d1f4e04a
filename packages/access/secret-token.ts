import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { isJsonObject, type JsonObject, parseUuid, type Uuid } from '@spanhouse/model'
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

const HEADER = encode({ alg: 'HS256', typ: 'JWT' })
/** Three parts of base64url without padding (RFC 7515, section 3.1). */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** A JSON Web Token (RFC 7519) over the claims, signed with HMAC-SHA256. */
export function mintSecretToken(claims: SecretClaims, key: string, nowMs: number = Date.now()): string {
  const exp = Math.floor(nowMs / 1000) + SECRET_TOKEN_SECONDS
  const signed = `${HEADER}.${encode({ ...claims, exp })}`
  return `${signed}.${sign(signed, key).toString('base64url')}`
}

/**
 * Whom the token speaks for. Throws a Problem `unauthenticated`: reason `expired_signature` when it is genuine and its
 * time is over, otherwise `invalid_token`. Only HS256 is understood, whatever the token says of itself.
 */
export function verifySecretToken(
  token: string,
  key: string,
  nowMs: number = Date.now(),
): { user_id: Uuid; project_id: Uuid; isWorker: boolean } {
  const [, header, payload, signature] = COMPACT.exec(token) ?? []
  if (header === undefined || payload === undefined || signature === undefined) throw unauthenticated('invalid_token')
  if (!isGenuine(`${header}.${payload}`, signature, key)) throw unauthenticated('invalid_token')
  if (decode(header)?.alg !== 'HS256') throw unauthenticated('invalid_token')
  const { exp, user_id, project_id, for_caller } = decode(payload) ?? {}
  if (typeof exp !== 'number') throw unauthenticated('invalid_token')
  if (exp * 1000 <= nowMs) throw unauthenticated('expired_signature')
  const [user, project] = [uuidOf(user_id), uuidOf(project_id)]
  if (user === null || project === null) throw unauthenticated('invalid_token')
  return { user_id: user, project_id: project, isWorker: for_caller === undefined }
}

function isGenuine(signed: string, signature: string, key: string): boolean {
  const [expected, presented] = [sign(signed, key), Buffer.from(signature, 'base64url')]
  return expected.length === presented.length && timingSafeEqual(expected, presented)
}

const sign = (signed: string, key: string): Buffer => createHmac('sha256', key).update(signed).digest()

const uuidOf = (value: unknown): Uuid | null => (typeof value === 'string' ? parseUuid(value) : null)

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
