import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { z } from '@spanhouse/validation'

/** OWASP's Password Storage Cheat Sheet: N = 2^14, r = 8, p = 5 (16 MB, about 0.2 s). */
const COST = { N: 16_384, r: 8, p: 5 }
const HASH_BYTES = 32
const SALT_BYTES = 16

/** The method of an identity that has a password. */
export const PASSWORD_METHOD = 'email:password'

const LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 1024

/** A password that is to replace another. */
export const newPassword = z.string().min(LENGTH_MIN).max(PASSWORD_LENGTH_MAX)

/**
 * `scrypt$N$r$p$salt$hash`, the last two in base64: everything needed to check a password, even after the cost changes.
 * Nothing checks one yet: callers have keys and tokens, and there is no sign-in.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/**
 * Passwords are hashed in their NFKC form, so that equal-looking texts are equal (RFC 8265 requires more; NFKC is what
 * matters here).
 */
function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
