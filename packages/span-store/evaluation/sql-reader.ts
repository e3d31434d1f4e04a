import type { Uuid } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/** The versioned views; see `docs/sql.md`. */
export const VIEWS = ['v1_spans', 'v1_traces', 'v1_evaluation_results'] as const
/** The tables that the views read, each by its column `project_id`. */
const TABLES = ['spans', 'evaluation_cells', 'evaluation_runs'] as const

/** A reader of one project, and as whom the views of their database read. */
export interface ProjectReader {
  /** Also the name of the database. */
  name: string
  definer: string
  /** What the definer may read. */
  tables: readonly string[]
  /** By table, so that the views cannot show other rows. */
  conditions: Record<string, string>
}

/** The name of a project's reader. */
export const readerName = (project_id: Uuid): string => `project_${project_id.replaceAll('-', '')}`

const definerOf = (name: string): string => `${name}_definer`

/**
 * The reader of a project. The views of their database have the rights of the definer, to whom the tables show only
 * rows of the project: ClickHouse tests a policy of a table before anything that a statement says, whereas a policy of
 * a view may be tested after a condition that fails with the value of a row of another project. The reader has no rights
 * on the tables, since table functions show what is in their indexes regardless of policies.
 */
export function projectReader(project_id: Uuid): ProjectReader {
  const condition = `project_id = toUUID('${project_id}')`
  return {
    name: readerName(project_id),
    definer: definerOf(readerName(project_id)),
    tables: [...VIEWS, ...TABLES],
    conditions: Object.fromEntries(TABLES.map(table => [table, condition])),
  }
}

/** Two texts are constant, too: a reader who could set them could make the server call any address and write files. */
const LIMITS =
  "readonly = 2, format_avro_schema_registry_url = '' CONST, input_format_record_errors_file_path = '' CONST, " +
  'max_concurrent_queries_for_user = 4 CONST, max_execution_time = 30 MIN 1 MAX 30, ' +
  'max_memory_usage = 1073741824 MIN 1 MAX 1073741824, max_threads = 2 MIN 1 MAX 2, ' +
  'max_result_bytes = 268435456 MIN 1 MAX 268435456, max_rows_to_read = 2000000000 MIN 1 MAX 2000000000'

/**
 * The statements that make a reader on a server with users of its own, or replace its password. Rights come last, when
 * the policies are there. Replacing the reader takes away what it was granted before.
 */
export const createReaderStatements = (reader: ProjectReader, passwordSha256: string): string[] => {
  const { name, definer, tables, conditions } = reader
  return [
    `CREATE USER OR REPLACE ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256}' SETTINGS ${LIMITS}`,
    `CREATE USER IF NOT EXISTS ${definer} IDENTIFIED WITH no_password HOST NONE SETTINGS ${LIMITS}`,
    ...Object.entries(conditions).map(
      ([table, filter]) => `CREATE ROW POLICY OR REPLACE ${name} ON ${table} FOR SELECT USING ${filter} TO ${definer}`,
    ),
    ...tables.map(table => `GRANT SELECT ON ${table} TO ${definer}`),
    ...createViewStatements(reader),
    `GRANT SELECT ON ${name}.* TO ${name}`,
  ]
}

/** The statements that make the views of a reader's database, once its definer is there. */
export const createViewStatements = ({ name, definer }: ProjectReader): string[] => [
  `CREATE DATABASE IF NOT EXISTS ${name}`,
  ...VIEWS.map(
    view => `CREATE OR REPLACE VIEW ${name}.${view} DEFINER = ${definer} SQL SECURITY DEFINER AS SELECT * FROM ${view}`,
  ),
]

export const dropViewsStatement = (name: string): string => `DROP DATABASE IF EXISTS ${name} SYNC`

/** The statements that remove a reader. */
export const dropReaderStatements = (name: string): string[] => [
  `DROP USER IF EXISTS ${name}`,
  dropViewsStatement(name),
  ...TABLES.map(table => `DROP ROW POLICY IF EXISTS ${name} ON ${table}`),
  `DROP USER IF EXISTS ${definerOf(name)}`,
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

/** Those of these readers that have views. */
export async function readersAmong(engine: Engine, names: readonly string[]): Promise<string[]> {
  const rows = await engine.rows<{ name: string }>({
    text: 'SELECT name FROM system.databases WHERE has({names:Array(String)}, name)',
    params: { names },
  })
  return rows.map(({ name }) => name)
}
