import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { openPostgres, type Postgres } from './postgres.ts'
import { createDatabase, dropDatabase, postgresAvailable, TEMPLATE } from './postgres-server.testing.ts'
import type { Database } from './tables.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The Postgres server shared by all test files of a run, with the database `spanhouse_template`. */
    postgresUrl: string
  }
}

/** Runs one suite on both databases, each migrated and otherwise empty when the suite starts. */
export function onEachDatabase(name: string, define: (postgres: () => Postgres) => void): void {
  describe(`${name}, embedded`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'spanhouse-embedded-'))
    withDatabase(
      () => openPostgres({ dataDir: dir }),
      async () => rmSync(dir, { recursive: true, force: true }),
      define,
    )
  })
  onNetworkedDatabase(`${name}, networked`, define)
}

/** As {@link onEachDatabase}, for what only several transactions at a time show: the embedded database has one. */
export function onNetworkedDatabase(name: string, define: (postgres: () => Postgres) => void): void {
  describe.skipIf(!postgresAvailable)(name, () => {
    let url: string
    withDatabase(
      async () => {
        url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE })
        return openPostgres({ url })
      },
      () => dropDatabase(url),
      define,
    )
  })
}

/** How many sessions wait for a lock that another has. */
export async function sessionsWaiting(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return Number(rows[0]?.count)
}

function withDatabase(
  open: () => Promise<Postgres>,
  cleanUp: () => Promise<void>,
  define: (postgres: () => Postgres) => void,
): void {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await open()
  })
  afterAll(async () => {
    await postgres?.close()
    await cleanUp()
  })
  define(() => postgres)
}
