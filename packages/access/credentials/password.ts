import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { z } from '@spanhouse/validation'

/** OWASP's Password Storage Cheat Sheet: N = 2^14, r = 8, p = 5 (16 MB, about 0.2 s). */
const COST = { N: 16_384, r: 8, p: 5 }
const HASH_BYTES = 32
const SALT_BYTES = 16

const LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 1024

/** A password that is to replace another. */
export const newPassword = z.string().min(LENGTH_MIN).max(PASSWORD_LENGTH_MAX)

/**
 * `scrypt$N$r$p$salt$hash`, the last two in base64: everything needed to check a password, even after the cost changes.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/**
 * Whether the password matches the hash. Throws when `stored` does not have the form that {@link hashPassword} returns.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [algorithm, N, r, p, salt, hash] = stored.split('$')
  if (algorithm !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('unknown password hash')
  const expected = Buffer.from(hash, 'base64')
  const actual = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) })
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Passwords are compared in their NFKC form, so that equal-looking texts are equal (RFC 8265 requires more; NFKC is
 * what matters here).
 */
function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
