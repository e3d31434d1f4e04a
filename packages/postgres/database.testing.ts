import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres, type Postgres } from './postgres.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from './postgres-server.testing.ts'

/** Runs one suite on both databases, each migrated and otherwise empty when the suite starts. */
export function onEachDatabase(name: string, define: (postgres: () => Postgres) => void): void {
  describe(`${name}, embedded`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'spanhouse-embedded-'))
    withDatabase(
      async () => {
        cpSync(await emptyCluster(), dir, { recursive: true })
        return openPostgres({ dataDir: dir })
      },
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

/**
 * A folder with an empty embedded database, made once for each version of PGlite and kept between runs: copying it takes
 * 0.5 s where making one takes 1.5 to 4 s (2 cores). Several test processes may make it at once; one of them wins.
 */
export async function emptyCluster(): Promise<string> {
  const { mtimeMs } = statSync(fileURLToPath(import.meta.resolve('@electric-sql/pglite')))
  const path = join(tmpdir(), `spanhouse-empty-cluster-${Math.round(mtimeMs)}`)
  if (existsSync(path)) return path
  const own = mkdtempSync(`${path}-`)
  await (await openPostgres({ dataDir: own })).close()
  try {
    renameSync(own, path)
  } catch {
    rmSync(own, { recursive: true, force: true })
  }
  return path
}
