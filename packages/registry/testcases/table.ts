import { setImmediate } from 'node:timers/promises'
import { invalid, type JsonObject, type Uuid, unprocessable } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../scope.ts'
import { testcaseId } from './address.ts'
import { requireWithinLimits } from './limits.ts'
import { METADATA, type Testcase } from './testcase.ts'

export type TestcaseScope = Pick<Scope, 'db' | 'project_id' | 'user_id'>

/** A row as it is stored. Times are ISO 8601 text in UTC. */
export interface TestcaseRow {
  id: Uuid
  testset_id: Uuid
  data: JsonObject
  flags: JsonObject | null
  tags: JsonObject | null
  meta: JsonObject | null
  created_at: string
  created_by_id: Uuid | null
}

/** Bytes of rows that are hashed before others get their turn: 10 ms or so of work. */
const SLICE_BYTES = 256 * 1024

interface Encoded {
  id: Uuid
  data: string
  metadata: string | null
  bytes: number
}

/**
 * Stores rows of a testset, those that are not there yet, and returns the ids of all in their order: one statement. The
 * limits of a testset are kept (400). Rows carry ascending times, so that a list by time has them in their order.
 */
export async function storeTestcases(
  { db, project_id, user_id }: TestcaseScope,
  testset_id: Uuid,
  testcases: readonly Testcase[],
): Promise<Uuid[]> {
  if (testcases.length === 0) return []
  const rows = await encodeAll(testset_id, testcases)
  // Texts inside of JSON text: Postgres would not take every text that JSON can hold out of it and put it back the same.
  await sql`
    insert into testcases (project_id, testset_id, id, data, flags, tags, meta, bytes, created_at, created_by_id)
    select ${project_id}, ${testset_id}, r.id, r.data::json, m -> 'flags', m -> 'tags', m -> 'meta', r.bytes,
      clock_timestamp() + r.position * interval '1 microsecond', ${user_id}
    from (
      select (item ->> 'id')::uuid as id, item ->> 'data' as data, (item ->> 'metadata')::jsonb as m,
        (item ->> 'bytes')::int as bytes, position
      from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as items (item, position)
    ) r
    order by r.position
    on conflict (project_id, id) do nothing`.execute(db)
  return rows.map(row => row.id)
}

async function encodeAll(testsetId: Uuid, testcases: readonly Testcase[]): Promise<Encoded[]> {
  requireWithinLimits({ rows: testcases.length })
  const rows: Encoded[] = []
  let bytes = 0
  let slice = 0
  for (const testcase of testcases) {
    const row = encode(testsetId, testcase)
    bytes += row.bytes
    slice += row.bytes
    rows.push(row)
    if (slice > SLICE_BYTES) {
      requireWithinLimits({ rows: testcases.length, bytes })
      await setImmediate()
      slice = 0
    }
  }
  requireWithinLimits({ rows: testcases.length, bytes })
  return rows
}

function encode(testsetId: Uuid, testcase: Testcase): Encoded {
  const id = testcaseId(testsetId, testcase)
  const { data: values, ...said } = testcase
  const data = JSON.stringify(values)
  const metadata = METADATA.some(name => said[name] !== undefined) ? toJsonb(said as JsonObject) : null
  return { id, data, metadata, bytes: Buffer.byteLength(data) + (metadata === null ? 0 : Buffer.byteLength(metadata)) }
}

/** Throws a 422 naming the first id that is no row of the project, and a 400 for more than a testset may hold. */
export async function requireTestcases(
  scope: TestcaseScope,
  ids: readonly Uuid[],
  loc: readonly (string | number)[],
): Promise<void> {
  requireWithinLimits({ rows: ids.length })
  const sizes = await sizesOf(scope, ids)
  const unknown = ids.findIndex(id => !sizes.has(id))
  if (unknown >= 0) {
    const msg = 'Input should be the id of a testcase of the project'
    throw unprocessable({ type: 'value_error', loc: [...loc, unknown], msg, input: ids[unknown] })
  }
  requireWithinLimits({ rows: ids.length, bytes: sum(ids, sizes) })
}

/** How many bytes each of the rows has; rows that are not there, or not the testset's, are left out. */
export async function sizesOf(
  { db, project_id }: TestcaseScope,
  ids: readonly Uuid[],
  testset_id?: Uuid,
): Promise<ReadonlyMap<Uuid, number>> {
  if (ids.length === 0) return new Map()
  const isOfTestset = testset_id === undefined ? sql`true` : sql`testset_id = ${testset_id}`
  const { rows } = await sql<{ id: Uuid; bytes: number }>`
    select id, bytes from testcases
    where project_id = ${project_id} and ${isOfTestset} and id in (${idList(ids)})`.execute(db)
  return new Map(rows.map(row => [row.id, row.bytes]))
}

const sum = (ids: readonly Uuid[], sizes: ReadonlyMap<Uuid, number>): number =>
  ids.reduce((bytes, id) => bytes + (sizes.get(id) ?? 0), 0)

/** What one answer holds at most of rows' data. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/**
 * The rows with these ids, for lists of ids that are answered together: each row is read once, however often it is
 * named. Ids of no row of the project are left out. Throws a 400 when the lists together are more than one answer holds.
 */
export async function readTestcases(
  scope: TestcaseScope,
  lists: readonly (readonly Uuid[])[],
): Promise<ReadonlyMap<Uuid, TestcaseRow>> {
  const ids = [...new Set(lists.flat())]
  if (ids.length === 0) return new Map()
  if (lists.length > 1) await requireAnswerable(scope, lists, ids)
  const { db, project_id } = scope
  const { rows } = await sql<TestcaseRow>`
    select id, testset_id, data, flags, tags, meta, created_at, created_by_id from testcases
    where project_id = ${project_id} and id in (${idList(ids)})`.execute(db)
  return new Map(rows.map(row => [row.id, row]))
}

async function requireAnswerable(
  scope: TestcaseScope,
  lists: readonly (readonly Uuid[])[],
  ids: readonly Uuid[],
): Promise<void> {
  const sizes = await sizesOf(scope, ids)
  const bytes = lists.reduce((total, list) => total + sum(list, sizes), 0)
  if (bytes <= ANSWER_BYTES_MAX) return
  throw invalid(
    `include_testcases: the rows of ${lists.length} records are ${bytes} bytes, and an answer holds ` +
      `${ANSWER_BYTES_MAX}; ask for fewer records, or for include_testcases: false`,
  )
}

const idList = (ids: readonly Uuid[]) =>
  sql`select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json)`
