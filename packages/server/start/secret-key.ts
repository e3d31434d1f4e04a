import { type Database, withDatabaseProblems } from '@spanhouse/postgres'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** Callers' tokens are signed with a key derived from the secret key: a short one can be guessed. */
const SECRET_KEY_LENGTH_MIN = 24

/**
 * Throws an Error for the operator if the configured secret key is too short. An installation that has already used one
 * continues with a warning: what is encrypted with the key could not be read with another. Warns as well of a key that
 * only this process has, and of stored secrets that were encrypted with another key than that with `keyId`. Must be
 * called before the first account is created.
 */
export async function checkSecretKey(config: Config, keyId: string, db: Database, log: Logger): Promise<void> {
  await requireLongKey(config.secretKey, db, log)
  if (config.secretKey === undefined && config.databaseUrl !== undefined)
    log.warn(
      `SPANHOUSE_SECRET_KEY is not set: this process uses the key in ${config.dataDir}/secret-key. Processes with other data folders can neither read the secrets that it stores nor accept the tokens that it signs`,
    )
  const unreadable = await withDatabaseProblems(() =>
    db
      .selectFrom('secrets')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('key_id', '!=', keyId)
      .executeTakeFirstOrThrow(),
  )
  if (Number(unreadable.count) > 0)
    log.error(
      { secrets: Number(unreadable.count) },
      `stored secrets were encrypted with a different SPANHOUSE_SECRET_KEY, and requests that need them fail: set that key, or restore ${config.dataDir}/secret-key if none was set`,
    )
}

async function requireLongKey(key: string | undefined, db: Database, log: Logger): Promise<void> {
  if (key === undefined || key.length >= SECRET_KEY_LENGTH_MIN) return
  const short = `SPANHOUSE_SECRET_KEY is shorter than ${SECRET_KEY_LENGTH_MIN} characters and could be guessed`
  const user = await withDatabaseProblems(() => db.selectFrom('users').select('id').limit(1).executeTakeFirst())
  if (!user) throw new Error(`${short}; generate one with: openssl rand -hex 32`)
  log.warn(short)
}
