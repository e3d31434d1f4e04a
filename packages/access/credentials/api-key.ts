import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { randomText } from './random-text.ts'

const PREFIX_LENGTH = 8
const SECRET_BYTES = 32
const FORMAT = /^([A-Za-z0-9]{8})\.([0-9a-f]{64})$/
/** Any other text that may be a key: visible ASCII, so that it can be sent in a header. */
const CUSTOM = /^[\x21-\x7e]{1,256}$/

/** The stored form of a key: enough to find and check it, not enough to use it. */
export interface KeyIdentity {
  /** Unique; identifies the key in lists. */
  prefix: string
  /** `<prefix>.<hex sha-256 of the secret>`. */
  hash: string
}

/** Creates a key: `<8 letters or digits>.<64 hex digits>`, 73 characters. It is shown once and never stored. */
export function makeApiKey(): string {
  return `${randomText(PREFIX_LENGTH)}.${randomBytes(SECRET_BYTES).toString('hex')}`
}

/**
 * The values by which a key is found and checked, or null when the text cannot be a key. A key chosen by an operator
 * need not have this format: its prefix is then derived from the whole text, and the whole text is the secret.
 */
export function identifyApiKey(key: string): KeyIdentity | null {
  const [, prefix, secret] = FORMAT.exec(key) ?? []
  if (prefix !== undefined && secret !== undefined) return { prefix, hash: `${prefix}.${sha256(secret)}` }
  if (!CUSTOM.test(key)) return null
  const derived = sha256(`prefix of ${key}`).slice(0, PREFIX_LENGTH)
  return { prefix: derived, hash: `${derived}.${sha256(key)}` }
}

/** Whether the presented key is the stored one. The time taken does not depend on where they differ. */
export function isSameKey(presented: KeyIdentity, stored: KeyIdentity): boolean {
  const [one, other] = [Buffer.from(presented.hash), Buffer.from(stored.hash)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const sha256 = (text: string): string => hash('sha256', text)
