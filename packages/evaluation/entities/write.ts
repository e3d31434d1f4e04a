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
  created_at: string
  updated_at: string | null
  created_by_id: Uuid | null
  updated_by_id: Uuid | null
}

interface Insert<R> {
  rows: readonly R[]
  columns: readonly string[]
}

/**
 * Writes new rows, in one statement for each {@link WRITE_ROWS_MAX} of them, and returns them in order with what the
 * database adds. Must be called in a transaction, whose time is that of the rows: so nothing has to be read back, which
 * takes as long as the writing. Throws a Problem `conflict` as the database finds one.
 */
export async function insertRows<R extends { id: Uuid }>(
  scope: Scope,
  name: EntityName,
  { rows, columns }: Insert<R>,
): Promise<(R & Written)[]> {
  const written = { created_at: await timeOf(scope), updated_at: null, ...by(scope.user_id, null) }
  for (const part of partsOf(rows)) {
    await sql`${sentRows(part, columns)} ${insertSent(scope, name, { columns, updated_by_id: null })}`.execute(scope.db)
    await nextTurn()
  }
  return rows.map(row => ({ ...row, ...written }))
}

/** How rows are found that are written over. */
interface Upsert<R> extends Insert<R> {
  /** The columns of a unique key beside the project. */
  key: readonly string[]
  /** The same of a row, as a text. */
  keyOf(row: R): string
  overwritten: readonly string[]
  /** A further assignment to rows that are written over. */
  set?: Condition
  /** Which rows (`t`) are written over; others stay as they are. Default: all. */
  where?: Condition
}

/**
 * As {@link insertRows} for rows that may be there already: their columns are overwritten, their ids and what says when
 * and by whom they were made stay. Only of those anything is read back. The rows themselves are completed and returned:
 * with copies, 100,000 cost the collector of garbage twice as much. So a repetition sends rows with the ids that there
 * were.
 */
export async function upsertRows<R extends { id: Uuid }>(
  scope: Scope,
  name: EntityName,
  { rows, columns, key, keyOf, overwritten, set, where = sql`true` }: Upsert<R>,
): Promise<(R & Written)[]> {
  const { user_id, db } = scope
  const now = await timeOf(scope)
  const changes = overwritten.map(one => sql`${sql.ref(one)} = excluded.${sql.ref(one)}`)
  const keys = sql.join(key.map(one => sql.ref(one)))
  const returned = ['id', 'created_at', 'created_by_id', ...key].map(one => sql.ref(`t.${one}`))
  const old = new Map<string, R & Written>()
  for (const part of partsOf(rows)) {
    const { rows: found } = await sql<R & Written>`${sentRows(part, columns)}, written as (
        ${insertSent(scope, name, { columns, updated_by_id: user_id })}
        on conflict (project_id, ${keys}) do update
          set ${sql.join([...changes, ...touched(scope), ...(set ? [set] : [])])} where ${where}
        returning ${sql.join(returned)}
      ) select w.* from written w where w.created_at <> now() or not exists (
        select from sent s where s.id = w.id)`.execute(db)
    for (const row of found) old.set(keyOf(row), row)
    await nextTurn()
  }
  const written = { created_at: now, updated_at: now, ...by(user_id, user_id) }
  return rows.map(row => Object.assign(row, written, old.size > 0 ? old.get(keyOf(row)) : undefined))
}

const by = (created_by_id: Uuid | null, updated_by_id: Uuid | null) => ({ created_by_id, updated_by_id })

/** The time of a transaction, which `now()` is in all of its statements. */
async function timeOf({ db }: Scope): Promise<string> {
  const { rows } = await sql<{ time: string }>`select now() as time`.execute(db)
  return (rows[0] as { time: string }).time
}

function* partsOf<R>(rows: readonly R[]): Generator<readonly R[]> {
  for (let from = 0; from < rows.length; from += WRITE_ROWS_MAX) yield rows.slice(from, from + WRITE_ROWS_MAX)
}

/** `with sent as (…)`: rows as one parameter. */
function sentRows(rows: readonly object[], columns: readonly string[]): Condition {
  const shape = sql.join(columns.map(one => sql`${sql.ref(one)} ${sql.raw(TYPES[one] as string)}`))
  return sql`with sent as materialized (
      select * from json_to_recordset(${toJsonb(rows as never)}::json) as x(${shape}))`
}

function insertSent(
  { project_id, user_id }: Scope,
  name: EntityName,
  { columns, updated_by_id }: { columns: readonly string[]; updated_by_id: Uuid | null },
): Condition {
  const names = sql.join(columns.map(one => sql.ref(one)))
  return sql`insert into ${tableOf(name)} (project_id, created_by_id, updated_by_id, ${names})
    select ${project_id}::uuid, ${user_id}::uuid, ${updated_by_id}::uuid, ${names} from sent`
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
