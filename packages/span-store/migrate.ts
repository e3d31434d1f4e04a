import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { INSERT_COLUMNS } from './bytes/row-columns.ts'
import { replicated } from './cluster/replicated.ts'
import type { Engine } from './engine/engine.ts'

export interface Migration {
  /** From 1, without gaps. */
  version: number
  /** The name of the file without `.sql`. */
  name: string
  statements: string[]
}

/** A newer version has migrated the store. */
export class NewerStore extends Error {}

/** Resolves when spans can be read: the server responds and has the table. */
export const checkReadable = (engine: Engine): Promise<unknown> =>
  engine.rows({ text: 'SELECT 1 FROM spans LIMIT 1', params: {} })

/**
 * Brings ClickHouse's tables up to date: runs the numbered files in `folder` (`001_initial.sql`, `002_….sql`) that are
 * not in the store's ledger, `schema_migrations`, and returns their names. A released file is never edited; a change is
 * a new file.
 *
 * ClickHouse has neither transactions nor locks for this, so every statement can be repeated (`IF NOT EXISTS`, `IF
 * EXISTS`): several processes may start at once, and an interrupted run is repeated from the file it had reached.
 *
 * It does not wait until stored parts have changed, which takes minutes in a large store: an index that a migration
 * builds or drops is a mutation, which ClickHouse carries out in the background and continues after a restart.
 * Migrations are written so that reads are right meanwhile. {@link partsToChange} says how much is left.
 *
 * With `isReplicated` the tables are those of a shard with several replicas, see `replicated`.
 *
 * Throws an Error for the operator if it has tables that no migration created, and a {@link NewerStore} if a newer
 * version has migrated it.
 */
export async function migrateSpans(
  engine: Engine,
  folder: string,
  { isReplicated = false }: { isReplicated?: boolean } = {},
): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const versions = new Set((await appliedVersions(engine)).map(({ version }) => version))
  const newest = Math.max(0, ...versions)
  if (newest > migrations.length)
    throw new NewerStore(
      `The ClickHouse store has schema version ${newest}, but this version of Spanhouse supports at most ${migrations.length}: start a newer version.`,
    )
  const missing = migrations.filter(({ version }) => !versions.has(version))
  await requireColumns(engine, missing)
  const form = (statement: string): string =>
    inBackground(isReplicated ? replicated(statement) : statement, isReplicated)
  for (const migration of missing) await apply(engine, { ...migration, statements: migration.statements.map(form) })
  return missing.map(({ name }) => name)
}

/** How many parts migrations have not changed yet, each counted once for every mutation that is left. */
export async function partsToChange(engine: Engine): Promise<number> {
  const [left] = await engine.rows<{ parts: number }>({ text: LEFT, params: {} })
  return left?.parts ?? 0
}

const LEFT = `SELECT toUInt32(sum(parts_to_do)) AS parts FROM system.mutations
WHERE database = currentDatabase() AND table = 'spans' AND NOT is_done`

/** The migrations in the store's ledger. Creates it if there is none. */
export async function appliedVersions(engine: Engine): Promise<Pick<Migration, 'version' | 'name'>[]> {
  await engine.command({ text: LEDGER, params: {} })
  return engine.rows({ text: 'SELECT DISTINCT version, name FROM schema_migrations ORDER BY version', params: {} })
}

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (version UInt32, name String, applied_at DateTime DEFAULT now())
ENGINE = MergeTree ORDER BY version`

async function apply(engine: Engine, { version, name, statements }: Migration): Promise<void> {
  for (const text of statements) await engine.command({ text, params: {} })
  await engine.command({
    text: 'INSERT INTO schema_migrations (version, name) SELECT {version:UInt32}, {name:String}',
    params: { version, name },
  })
}

/**
 * An ALTER that returns when the table has changed, before its parts have. By default ClickHouse waits for both, until
 * the statement's time is up, and the repeated migration would begin another mutation for the same index. Replicas are
 * waited for (`alter_sync` is for both), since a later statement may name a column that this one adds.
 *
 * Of another TTL replicas learn when they merge parts. At once it would be a mutation, for which each replica has a
 * setting of its own whether it reads one column or writes all parts again, and it begins before they all have that.
 */
const inBackground = (statement: string, isReplicated: boolean): string =>
  /^ALTER TABLE /m.test(statement)
    ? `${statement}\nSETTINGS mutations_sync = 0, ${isReplicated ? 'materialize_ttl_after_modify' : 'alter_sync'} = 0`
    : statement

const PRESENT_COLUMNS = `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'spans'`

/**
 * Tables older than the ledger may lack columns; the writer could then never store a span. Checked before anything is
 * changed: a table without a column is not one that the migrations that are missing were written for.
 */
async function requireColumns(engine: Engine, missing: readonly Migration[]): Promise<void> {
  const present = await engine.rows<{ name: string }>({ text: PRESENT_COLUMNS, params: {} })
  if (present.length === 0 && missing[0]?.version === 1) return
  const known = new Set([...present.map(({ name }) => name), ...missing.flatMap(addedColumns)])
  const absent = INSERT_COLUMNS.filter(name => !known.has(name))
  if (absent.length > 0)
    throw new Error(
      `The table spans of the ClickHouse store lacks ${absent.join(', ')}: no released version created it.`,
    )
}

const addedColumns = ({ statements }: Migration): string[] =>
  statements.flatMap(text => [...text.matchAll(/ADD COLUMN IF NOT EXISTS (\w+)/g)].map(([, name = '']) => name))

const FILE_NAME = /^(\d{3})_[a-z0-9_]+\.sql$/

/** The numbered files of a folder. Throws an Error for a file that is not named like a migration, or for a gap. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number(FILE_NAME.exec(file)?.[1])
      if (version !== index + 1)
        throw new Error(`${join(folder, file)} should be named ${String(index + 1).padStart(3, '0')}_NAME.sql`)
      const statements = statementsOf(await readFile(join(folder, file), 'utf8'))
      return { version, name: file.slice(0, -'.sql'.length), statements }
    }),
  )
}

/** Statements end with a `;` at the end of a line. */
const statementsOf = (text: string): string[] =>
  text
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement.replace(/^\s*--.*$/gm, '').trim() !== '')
