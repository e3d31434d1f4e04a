import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIGRATIONS_DIR } from './migrate.ts'
import { openPostgres } from './postgres.ts'

/**
 * A folder with an embedded database that has all migrations and no rows. It is created once per version of PGlite and
 * of the migrations, and kept between runs: copying it takes 0.3 s, creating it 2 to 6 s (2 cores). Several test
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
  // Set-ups of tests are run by Vite, which has no import.meta.resolve.
  const { resolve } = createRequire(import.meta.url)
  const hash = createHash('sha256').update(String(statSync(resolve('@electric-sql/pglite')).mtimeMs))
  for (const name of readdirSync(MIGRATIONS_DIR).sort())
    hash.update(name).update(readFileSync(join(MIGRATIONS_DIR, name)))
  return hash.digest('hex').slice(0, 16)
}
