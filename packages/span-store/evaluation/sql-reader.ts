import type { Uuid } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/** The versioned views; see `docs/sql.md`. */
export const VIEWS = ['v1_spans', 'v1_traces', 'v1_evaluation_results'] as const
/** The tables that the views read, each by its column `project_id`. */
const TABLES = ['spans', 'evaluation_cells', 'evaluation_runs'] as const

/**
 * What a reader of one project may read. The condition holds in the tables, so that the views cannot show other rows.
 */
export interface ProjectReader {
  name: string
  tables: readonly string[]
  conditions: Record<string, string>
}

/** The name of a project's reader. */
export const readerName = (project_id: Uuid): string => `project_${project_id.replaceAll('-', '')}`

/**
 * The reader of a project. The views have the rights of whoever reads them, and the tables show only rows of the
 * project: ClickHouse tests a policy of a table before anything that a statement says, whereas a policy of a view may
 * be tested after a condition that fails with the value of a row of another project.
 */
export function projectReader(project_id: Uuid): ProjectReader {
  const condition = `project_id = toUUID('${project_id}')`
  return {
    name: readerName(project_id),
    tables: [...VIEWS, ...TABLES],
    conditions: Object.fromEntries(TABLES.map(table => [table, condition])),
  }
}

const LIMITS =
  'readonly = 2, max_concurrent_queries_for_user = 4 CONST, max_execution_time = 30 MIN 1 MAX 30, ' +
  'max_memory_usage = 1073741824 MIN 1 MAX 1073741824, max_threads = 2 MIN 1 MAX 2, ' +
  'max_result_bytes = 268435456 MIN 1 MAX 268435456, max_rows_to_read = 2000000000 MIN 1 MAX 2000000000'

/**
 * The statements that make a reader on a server with users of its own, or replace its password. Rights come last, when
 * the policies are there.
 */
export const createReaderStatements = (
  { name, tables, conditions }: ProjectReader,
  passwordSha256: string,
): string[] => [
  `CREATE USER OR REPLACE ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256}' SETTINGS ${LIMITS}`,
  ...Object.entries(conditions).map(
    ([table, condition]) => `CREATE ROW POLICY OR REPLACE ${name} ON ${table} FOR SELECT USING ${condition} TO ${name}`,
  ),
  ...tables.map(table => `GRANT SELECT ON ${table} TO ${name}`),
]

/** The statements that remove a reader. */
export const dropReaderStatements = (name: string): string[] => [
  `DROP USER IF EXISTS ${name}`,
  ...TABLES.map(table => `DROP ROW POLICY IF EXISTS ${name} ON ${table}`),
]

/** Runs statements without parameters, one after the other. */
export async function runStatements(engine: Engine, statements: readonly string[]): Promise<void> {
  for (const text of statements) await engine.command({ text, params: {} })
}

/** Whether a server has this user. */
export async function hasUser(engine: Engine, name: string): Promise<boolean> {
  const rows = await engine.rows({ text: 'SELECT 1 FROM system.users WHERE name = {name:String}', params: { name } })
  return rows.length > 0
}
