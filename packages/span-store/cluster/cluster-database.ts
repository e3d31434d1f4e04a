import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../engine/engine.ts'
import type { Migration } from '../migrate.ts'
import { createdBy, PLACEMENTS, type Placement } from './placement.ts'

/** The name of the database that shows the rows of all shards, beside the one with a shard's own. */
export const clusterDatabaseOf = (database: string): string => `${database}_cluster`

/** The statement that makes room for the tables of {@link clusterStatements}, and the database that it is run in. */
export const createClusterDatabase = (database: string): string =>
  `CREATE DATABASE IF NOT EXISTS ${clusterDatabaseOf(database)} ENGINE = Atomic`

interface ColumnRow {
  table: string
  name: string
  type: string
  default_kind: string
  default_expression: string
}

const COLUMNS = `
SELECT table, name, type, default_kind, default_expression FROM system.columns
WHERE database = {database:String} AND table IN (SELECT arrayJoin({tables:Array(String)})) ORDER BY table, position`

/**
 * The statements that create the cluster's tables on a server, to be run in the database of the cluster. `database` has
 * the server's own tables, as they are now: the statements are made and run again after each migration. The server
 * needs the macro `cluster`, which is the name of the cluster in its `remote_servers`.
 */
export async function clusterStatements(
  engine: Engine,
  database: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const columns = await columnsOf(engine, database, placed('spread'))
  return [
    ...placed('spread').map(table => {
      const list = columns.filter(column => column.table === table).map(columnOf)
      return `CREATE OR REPLACE TABLE ${table} (${list.join(', ')}) ENGINE = Distributed('{cluster}', '${database}', '${table}')`
    }),
    ...placed('everywhere').map(
      // FINAL in a statement would not reach the rows behind a view: older versions would count, too.
      table => `CREATE OR REPLACE VIEW ${table} SQL SECURITY INVOKER AS SELECT * FROM ${database}.${table} FINAL`,
    ),
    ...placed('joined').map(view => lastDefinition(view, migrations)),
  ]
}

/** While another process replaces a view, that has no columns for a moment. */
async function columnsOf(engine: Engine, database: string, tables: readonly string[]): Promise<ColumnRow[]> {
  for (let attempt = 1; ; attempt++) {
    const columns = await engine.rows<ColumnRow>({ text: COLUMNS, params: { database, tables } })
    const absent = tables.filter(table => !columns.some(column => column.table === table))
    if (absent.length === 0) return columns
    if (attempt === ATTEMPTS_MAX) throw new Error(`The database ${database} lacks ${absent.join(', ')}`)
    await delay(ATTEMPT_MS)
  }
}

const ATTEMPTS_MAX = 40
const ATTEMPT_MS = 100

const placed = (wanted: Placement): string[] =>
  Object.entries(PLACEMENTS).flatMap(([table, placement]) => (placement === wanted ? table : []))

/** Without default and codec: rows are written to the servers' own tables. */
function columnOf({ name, type, default_kind, default_expression }: ColumnRow): string {
  return default_kind === 'ALIAS' ? `${name} ${type} ALIAS ${default_expression}` : `${name} ${type}`
}

function lastDefinition(view: string, migrations: readonly Migration[]): string {
  const definition = migrations.flatMap(({ statements }) => statements).findLast(one => createdBy(one) === view)
  if (definition === undefined) throw new Error(`No migration creates ${view}`)
  return definition
}
