import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres, type Postgres } from './postgres.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from './postgres-server.testing.ts'

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
  describe.skipIf(!postgresAvailable)(`${name}, networked`, () => {
    let server: PostgresServer
    withDatabase(
      async () => {
        server = await startPostgres()
        return openPostgres({ url: server.url })
      },
      () => server.stop(),
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
    await postgres.migrate()
  })
  afterAll(async () => {
    await postgres?.close()
    await cleanUp()
  })
  define(() => postgres)
}
