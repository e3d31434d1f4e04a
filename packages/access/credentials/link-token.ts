import { hash, randomBytes } from 'node:crypto'

/** The token in a link, and the hash that is stored. 32 random bytes need no slow hash. */
export interface LinkToken {
  token: string
  token_hash: string
}

export function makeLinkToken(): LinkToken {
  const token = randomBytes(32).toString('base64url')
  return { token, token_hash: hashLinkToken(token) }
}

export const hashLinkToken = (token: string): string => hash('sha256', token)

const DAY_MS = 24 * 3_600_000

/** The time that many days from now, in the database's format. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
