import { nextTurn, type Uuid } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../scope.ts'
import type { Condition } from './conditions.ts'
import type { EntityName } from './rows.ts'
import { tableOf } from './select.ts'

/** Postgres types of the columns that are written in bulk. */
const TYPES: Readonly<Record<string, string>> = {
  id: 'uuid',
  run_id: 'uuid',
  scenario_id: 'uuid',
  step_key: 'text',
  repeat_idx: 'integer',
  status: 'text',
  trace_id: 'uuid',
  testcase_id: 'uuid',
  hash_id: 'uuid',
  error: 'json',
  interval: 'integer',
  timestamp: 'timestamptz',
  name: 'text',
  description: 'text',
  flags: 'jsonb',
  tags: 'jsonb',
  meta: 'json',
  data: 'json',
  references: 'jsonb',
  work: 'jsonb',
  computation: 'bigint',
}

/** Rows that one statement writes: the embedded database works on one statement at a time, of whomever. */
export const WRITE_ROWS_MAX = 2_000

/** What the database adds to a row that is written. */
export interface Written {
  id: Uuid
  created_at: string
  updated_at: string | null
  created_by_id: Uuid | null
  updated_by_id: Uuid | null
}

export interface InsertOptions {
  columns: readonly string[]
  /** `on conflict …`. Rows that can be written again say from the start who wrote them last. */
  onConflict?: Condition
  /** Columns that are returned beside those of {@link Written}. */
  returning?: readonly string[]
}

const WRITTEN = ['id', 'created_at', 'updated_at', 'created_by_id', 'updated_by_id']

/**
 * Writes rows, in one statement for each {@link WRITE_ROWS_MAX} of them, and returns what the database has made of them,
 * in no particular order. Throws a Problem `conflict` as the database finds one.
 */
export async function insertRows<R extends Written>(
  { db, project_id, user_id }: Scope,
  name: EntityName,
  { rows, columns, onConflict, returning = [] }: InsertOptions & { rows: readonly object[] },
): Promise<R[]> {
  const names = sql.join(columns.map(one => sql.ref(one)))
  const shape = sql.join(columns.map(one => sql`${sql.ref(one)} ${sql.raw(TYPES[one] as string)}`))
  const written: R[] = []
  for (let from = 0; from < rows.length; from += WRITE_ROWS_MAX) {
    const text = toJsonb(rows.slice(from, from + WRITE_ROWS_MAX) as never)
    const { rows: made } = await sql<R>`
      insert into ${tableOf(name)} (project_id, created_by_id, updated_by_id, ${names})
      select ${project_id}::uuid, ${user_id}::uuid, ${onConflict ? user_id : null}::uuid, ${names}
      from json_to_recordset(${text}::json) as x(${shape})
      ${onConflict ?? sql``} returning ${sql.join([...WRITTEN, ...returning].map(one => sql.ref(`t.${one}`)))}`.execute(
      db,
    )
    for (const one of made) written.push(one)
    await nextTurn()
  }
  return written
}

/** The part of an upsert that overwrites columns with what was to be inserted. */
export function overwriting(key: readonly string[], columns: readonly string[], { user_id }: Scope): Condition {
  const changes = columns.map(one => sql`${sql.ref(one)} = excluded.${sql.ref(one)}`)
  return sql`on conflict (project_id, ${sql.join(key.map(one => sql.ref(one)))})
    do update set ${sql.join([...changes, ...touched({ user_id })])}`
}

/** Says that, and by whom, a row was changed now. */
export const touched = ({ user_id }: Pick<Scope, 'user_id'>): Condition[] => [
  sql`updated_at = now()`,
  sql`updated_by_id = ${user_id}::uuid`,
]

/** A change of columns of rows that fulfil the conditions. */
export async function updateRows(
  scope: Scope,
  name: EntityName,
  { set, where }: { set: readonly Condition[]; where: readonly Condition[] },
): Promise<void> {
  const conditions = sql.join([sql`t.project_id = ${scope.project_id}`, ...where], sql` and `)
  await sql`update ${tableOf(name)} set ${sql.join([...set, ...touched(scope)])} where ${conditions}`.execute(scope.db)
}

/** Writes whole rows back, found by their ids, in one statement for each {@link WRITE_ROWS_MAX} of them. */
export async function updateEach(
  scope: Scope,
  name: EntityName,
  { rows, columns }: { rows: readonly { id: Uuid }[]; columns: readonly string[] },
): Promise<void> {
  const all = ['id', ...columns]
  const shape = sql.join(all.map(one => sql`${sql.ref(one)} ${sql.raw(TYPES[one] as string)}`))
  const changes = columns.map(one => sql`${sql.ref(one)} = ${sql.ref(`x.${one}`)}`)
  for (let from = 0; from < rows.length; from += WRITE_ROWS_MAX) {
    const text = toJsonb(rows.slice(from, from + WRITE_ROWS_MAX) as never)
    await sql`update ${tableOf(name)} set ${sql.join([...changes, ...touched(scope)])}
      from json_to_recordset(${text}::json) as x(${shape})
      where t.project_id = ${scope.project_id} and t.id = x.id`.execute(scope.db)
  }
}

/** Deletes the rows that fulfil the conditions and returns their ids, in no particular order. */
export async function deleteRows(
  { db, project_id }: Scope,
  name: EntityName,
  where: readonly Condition[],
): Promise<Uuid[]> {
  const conditions = sql.join([sql`t.project_id = ${project_id}`, ...where], sql` and `)
  const { rows } = await sql<{ id: Uuid }>`
    delete from ${tableOf(name)} where ${conditions} returning t.id`.execute(db)
  return rows.map(({ id }) => id)
}
