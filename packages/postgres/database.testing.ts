import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { MIGRATIONS_DIR } from './migrate.ts'
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

/**
 * A folder with an embedded database that has all migrations and no rows. It is created once per version of PGlite and
 * of the migrations, and kept between runs: copying it takes 0.5 s, creating it 2 to 6 s (2 cores). Several test
 * processes may create it at once; one of them wins.
 */
export async function migratedCluster(): Promise<string> {
  const path = join(tmpdir(), `spanhouse-migrated-cluster-${versionOfCluster()}`)
  if (existsSync(path)) return path
  const own = mkdtempSync(`${path}-`)
  const postgres = await openPostgres({ dataDir: own })
  await postgres.migrate()
  await postgres.close()
  try {
    renameSync(own, path)
  } catch {
    rmSync(own, { recursive: true, force: true })
  }
  return path
}

function versionOfCluster(): string {
  const hash = createHash('sha256').update(
    String(statSync(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))).mtimeMs),
  )
  for (const name of readdirSync(MIGRATIONS_DIR).sort())
    hash.update(name).update(readFileSync(join(MIGRATIONS_DIR, name)))
  return hash.digest('hex').slice(0, 16)
}
