import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { databaseProblem } from './database-problem.ts'
import { MIGRATIONS_DIR } from './migrations-dir.ts'
import type { Database } from './tables.ts'

const FILE_NAME = /^\d{3}_[a-z0-9_]+\.sql$/

/**
 * Brings the database to the newest of the numbered SQL files in `dir` and returns the names of those applied now. All
 * run in one transaction, under a lock for which other processes wait; it can be repeated. A released file is never
 * edited. Throws an Error for the operator if a migration fails, or if a newer version has migrated the database. A
 * failure that may pass is thrown as it is: a server that went away, or a deadlock with a process of an earlier version.
 */
export async function migrateToLatest(db: Database, dir: string = MIGRATIONS_DIR): Promise<string[]> {
  const { error, results = [] } = await new Migrator({ db, provider: new SqlFiles(dir) }).migrateToLatest()
  if (error === undefined) return results.map(one => one.migrationName)
  const [, unknown] = UNKNOWN_MIGRATION.exec(String(error)) ?? []
  if (unknown !== undefined)
    throw new Error(
      `The database has migration ${unknown}, which is unknown to this version of Spanhouse: start a newer version.`,
    )
  const failed = results.find(one => one.status === 'Error')
  if (failed === undefined || databaseProblem(error)?.retryable) throw error
  throw new Error(`migration ${failed.migrationName} failed: ${String(error)}`, { cause: error })
}

/** Kysely's message for an applied migration whose file is missing. */
const UNKNOWN_MIGRATION = /previously executed migration (\S+) is missing/

class SqlFiles implements MigrationProvider {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const names = await readdir(this.#dir)
    const odd = names.find(name => !FILE_NAME.test(name))
    if (odd !== undefined)
      throw new Error(`${odd} is not a valid migration name: expected three digits, _, a name, .sql`)
    return Object.fromEntries(await Promise.all(names.map(name => this.#migration(name))))
  }

  async #migration(name: string): Promise<[string, Migration]> {
    const text = await readFile(`${this.#dir}/${name}`, 'utf8')
    return [name.slice(0, -'.sql'.length), { up: db => runScript(db, text) }]
  }
}

/**
 * Runs several statements as one. PGlite accepts one statement per query, so the text is executed inside a block:
 * Postgres' own parser then splits it.
 */
async function runScript(db: Database, text: string): Promise<void> {
  await sql`do ${sql.raw(literal(`begin execute ${literal(text)}; end`))}`.execute(db)
}

/** With `standard_conforming_strings`, the default since Postgres 9.1, only quotes need escaping. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
