import { invalid, type JsonObject, nextTurn, type Uuid, unprocessable } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { testcaseId } from './address.ts'
import { requireWithinLimits } from './limits.ts'
import type { Testcase } from './testcase.ts'

export type TestcaseScope = Pick<Scope, 'db' | 'project_id' | 'user_id'>

/** A row as stored. Times are ISO 8601 text in UTC. */
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

interface Encoded {
  id: Uuid
  data: string
  flags: string | null
  tags: string | null
  meta: string | null
  bytes: number
}

/** Rows that one statement writes or reads: the embedded database runs one statement at a time for everyone. */
const BATCH = { rows: 250, bytes: 512 * 1024 }

/**
 * Stores the rows of a testset that do not exist yet, and returns the ids of all rows in order. Checks the limits of a
 * testset (400). Rows get ascending times, so that a list by time keeps their order. Must run in a transaction, because
 * rows are written in batches.
 */
export async function storeTestcases(
  { db, project_id, user_id }: TestcaseScope,
  testset_id: Uuid,
  testcases: readonly Testcase[],
): Promise<Uuid[]> {
  const encoded = await encodeAll(testset_id, testcases)
  const rows = encoded.map((row, position) => ({
    project_id,
    testset_id,
    ...row,
    created_by_id: user_id,
    created_at: sql<string>`now() + ${position} * interval '1 microsecond'`,
  }))
  for (const batch of batchesOf(rows)) {
    await db
      .insertInto('testcases')
      .values(batch)
      .onConflict(conflict => conflict.columns(['project_id', 'id']).doNothing())
      .execute()
    await nextTurn()
  }
  return encoded.map(row => row.id)
}

function* batchesOf<T extends { bytes: number }>(rows: readonly T[]): Generator<T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const row of rows) {
    if (batch.length === BATCH.rows || (batch.length > 0 && bytes + row.bytes > BATCH.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += row.bytes
  }
  if (batch.length > 0) yield batch
}

async function encodeAll(testsetId: Uuid, testcases: readonly Testcase[]): Promise<Encoded[]> {
  requireWithinLimits({ rows: testcases.length })
  const rows: Encoded[] = []
  let bytes = 0
  for (const testcase of testcases) {
    const row = encode(testsetId, testcase)
    rows.push(row)
    bytes += row.bytes
    requireWithinLimits({ rows: testcases.length, bytes })
    await nextTurn()
  }
  return rows
}

function encode(testsetId: Uuid, testcase: Testcase): Encoded {
  // Must come first, because it rejects data that is nested too deeply for the rest.
  const id = testcaseId(testsetId, testcase)
  const columns = {
    data: JSON.stringify(testcase.data),
    flags: toJsonb(testcase.flags),
    tags: toJsonb(testcase.tags),
    meta: toJsonb(testcase.meta),
  }
  const bytes = Object.values(columns).reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
  return { id, ...columns, bytes }
}

/**
 * Throws a 422 that names the first id that is not a row of the project, and a 400 if the limits of a testset are
 * exceeded.
 */
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

/** The size of each row in bytes. Rows that do not exist or belong to another testset are omitted. */
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

/** Maximum size of the rows' data in one response. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/**
 * The rows with these ids, for lists of ids that are returned together: each row is read once. Ids that do not exist in
 * the project are omitted. Throws a 400 if the lists together exceed the size of one response.
 */
export async function readTestcases(
  scope: TestcaseScope,
  lists: readonly (readonly Uuid[])[],
): Promise<ReadonlyMap<Uuid, TestcaseRow>> {
  const ids = [...new Set(lists.flat())]
  if (ids.length === 0) return new Map()
  if (lists.length > 1) await requireAnswerable(scope, lists, ids)
  const { db, project_id } = scope
  const found = new Map<Uuid, TestcaseRow>()
  for (let at = 0; at < ids.length; at += BATCH.rows) {
    const { rows } = await sql<TestcaseRow>`
      select id, testset_id, data, flags, tags, meta, created_at, created_by_id from testcases
      where project_id = ${project_id} and id in (${idList(ids.slice(at, at + BATCH.rows))})`.execute(db)
    for (const row of rows) found.set(row.id, row)
    await nextTurn()
  }
  return found
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
    `include_testcases: the rows of ${lists.length} entries have ${bytes} bytes; a response may have at most ` +
      `${ANSWER_BYTES_MAX}; request fewer entries, or set include_testcases to false`,
  )
}

const idList = (ids: readonly Uuid[]) =>
  sql`select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json)`
