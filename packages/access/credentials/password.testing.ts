import { scryptSync } from 'node:crypto'

/** Whether this is the password of a hash as it is stored, by its own parameters. */
export function isHashOf(password: string, stored: string): boolean {
  const [, N, r, p, salt = '', hash = ''] = stored.split('$')
  const expected = Buffer.from(hash, 'base64')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  return scryptSync(password, Buffer.from(salt, 'base64'), expected.length, cost).equals(expected)
}
