import { type Database, withDatabaseProblems } from '@spanhouse/postgres'
import type { Logger } from 'pino'

/** Callers' tokens are signed with a key derived from the secret key: a short one can be guessed. */
const SECRET_KEY_LENGTH_MIN = 24

/**
 * Throws an Error for the operator if the configured secret key is too short. An installation that has already used one
 * continues with a warning: what is encrypted with the key could not be read with another. Must be called before the
 * first account is created.
 */
export async function requireLongSecretKey(key: string | undefined, db: Database, log: Logger): Promise<void> {
  if (key === undefined || key.length >= SECRET_KEY_LENGTH_MIN) return
  const short = `SPANHOUSE_SECRET_KEY is shorter than ${SECRET_KEY_LENGTH_MIN} characters and could be guessed`
  const user = await withDatabaseProblems(() => db.selectFrom('users').select('id').limit(1).executeTakeFirst())
  if (!user) throw new Error(`${short}; generate one with: openssl rand -hex 32`)
  log.warn(short)
}
