import { type Database, withDatabaseProblems } from '@spanhouse/postgres'
import type { Logger } from 'pino'

/** Tokens that callers hold are signed with what is derived from the secret key: a short one can be guessed by trying. */
const SECRET_KEY_LENGTH_MIN = 24

/**
 * Throws an Error for the person who starts the program when the secret key that is set is too short. Where an installation
 * has begun with one it goes on with a warning: what is sealed with the key could not be read with another. To be
 * called before the first account is made.
 */
export async function requireLongSecretKey(key: string | undefined, db: Database, log: Logger): Promise<void> {
  if (key === undefined || key.length >= SECRET_KEY_LENGTH_MIN) return
  const short = `SPANHOUSE_SECRET_KEY: shorter than ${SECRET_KEY_LENGTH_MIN} characters, so it can be guessed by trying`
  const user = await withDatabaseProblems(() => db.selectFrom('users').select('id').limit(1).executeTakeFirst())
  if (!user) throw new Error(`${short}; make one with: openssl rand -hex 32`)
  log.warn(short)
}
