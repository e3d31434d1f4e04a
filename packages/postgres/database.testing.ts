import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { migratedCluster } from './migrated-cluster.testing.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { createDatabase, dropDatabase, postgresAvailable, TEMPLATE } from './postgres-server.testing.ts'

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
      async () => {
        cpSync(await migratedCluster(), dir, { recursive: true })
        return openPostgres({ dataDir: dir })
      },
      async () => rmSync(dir, { recursive: true, force: true }),
      define,
    )
  })
  describe.skipIf(!postgresAvailable)(`${name}, networked`, () => {
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
