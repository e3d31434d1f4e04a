import type { JsonObject, Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import type { Scope } from '../scope.ts'
import { type Condition, column, isAmong } from './conditions.ts'
import { ENTITIES } from './entity.ts'
import { VERSION } from './fields.ts'
import type { EntityName, RowOf } from './rows.ts'

/** A table by its entity, called `t`. */
export const tableOf = (name: EntityName): Condition => sql`${sql.ref(ENTITIES[name].table)} as t`

const columnsOf = (name: EntityName): Condition => sql.join(ENTITIES[name].columns.map(column))

/** Rows of the scope's project that fulfil all conditions. `tail`: order, limit, lock. */
export async function selectRows<E extends EntityName>(
  { db, project_id }: Scope,
  name: E,
  { where, tail = sql`` }: { where: readonly Condition[]; tail?: Condition },
): Promise<RowOf[E][]> {
  const conditions = sql.join([sql`t.project_id = ${project_id}`, ...where], sql` and `)
  const { rows } = await sql<RowOf[E]>`
    select ${columnsOf(name)} from ${tableOf(name)} where ${conditions} ${tail}`.execute(db)
  return rows
}

/** The row with this id; undefined when the project has none. */
export async function findRow<E extends EntityName>(scope: Scope, name: E, id: Uuid): Promise<RowOf[E] | undefined> {
  const [row] = await selectRows(scope, name, { where: [sql`t.id = ${id}::uuid`] })
  return row
}

/** The rows with these ids, in their order and each once; ids of no row are left out. */
export async function findRows<E extends EntityName>(scope: Scope, name: E, ids: readonly Uuid[]): Promise<RowOf[E][]> {
  const rows = await selectRows(scope, name, { where: [isAmong('id', ids, 'uuid')] })
  return inOrder(ids, rows)
}

/** Rows in the order of ids, each once. */
export function inOrder<T extends { id: Uuid }>(ids: readonly Uuid[], rows: readonly T[]): T[] {
  const byId = new Map(rows.map(row => [row.id, row]))
  return [...new Set(ids)].map(id => byId.get(id)).filter(row => row !== undefined)
}

/** A row as the interface shows it: members without a value are left out, nulls inside free-form JSON are not. */
export function recordOf(name: EntityName, row: RowOf[EntityName]): JsonObject {
  const values = row as unknown as JsonObject
  const record: JsonObject = { version: VERSION }
  for (const key of ENTITIES[name].columns) if (values[key] != null) record[key] = values[key]
  return record
}
