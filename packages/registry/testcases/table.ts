import { type JsonObject, nextTurn, type Uuid, unprocessable } from '@spanhouse/model'
import { batchesOf, HELD_PER_BYTE, listOf, type RowList, sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { testcaseId } from './address.ts'
import { requireWithinLimits } from './limits.ts'
import type { Testcase } from './testcase.ts'

export type TestcaseScope = Pick<Scope, 'db' | 'project_id' | 'user_id' | 'holder'>

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
  /** Among the rows that were sent. */
  position: number
  data: string
  flags: string | null
  tags: string | null
  meta: string | null
  bytes: number
}

/** Rows that one statement writes. It makes JSON of them, so the statement costs about the same for each byte. */
const WRITE = { rows: 1_000, bytes: 1024 * 1024 }

/** Rows that are ready to be stored. */
export interface PreparedTestcases {
  /** Of all rows, in their order. */
  ids: Uuid[]
  bytes: number
  /**
   * Stores the rows that are not there yet. They carry ascending times, so that a list by time has them in their order.
   * To be called in a transaction: there are several statements. They insert by id: of two transactions that store some
   * of the same rows one waits for the other, and never both.
   */
  write(scope: TestcaseScope): Promise<void>
}

/** Makes rows of a testset ready to be stored. The limits of a testset are kept (400). */
export async function prepareTestcases(testset_id: Uuid, testcases: readonly Testcase[]): Promise<PreparedTestcases> {
  const rows = await encodeAll(testset_id, testcases)
  const batches: string[] = []
  const inOrder = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (const batch of batchesOf(inOrder, WRITE)) {
    batches.push(JSON.stringify(batch))
    await nextTurn()
  }
  return {
    ids: rows.map(row => row.id),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    write: async scope => {
      for (const batch of batches) await writeBatch(scope, testset_id, batch)
    },
  }
}

/** One parameter for all rows: parameters are slow one by one in the embedded database. */
const writeBatch = ({ db, project_id, user_id }: TestcaseScope, testset_id: Uuid, json: string) =>
  sql`
    insert into testcases (project_id, testset_id, id, data, flags, tags, meta, bytes, created_by_id, created_at)
    select ${project_id}, ${testset_id}, id, data::json, flags::jsonb, tags::jsonb, meta::jsonb, bytes,
      ${user_id}, now() + position * interval '1 microsecond'
    from json_to_recordset(${json}::json)
      as row (id uuid, position int, data text, flags text, tags text, meta text, bytes int)
    on conflict (project_id, id) do nothing`.execute(db)

async function encodeAll(testsetId: Uuid, testcases: readonly Testcase[]): Promise<Encoded[]> {
  requireWithinLimits({ rows: testcases.length })
  const rows: Encoded[] = []
  let bytes = 0
  for (const [index, testcase] of testcases.entries()) {
    const row = { ...(await encode(testsetId, testcase)), position: index + 1 }
    rows.push(row)
    bytes += row.bytes
    requireWithinLimits({ rows: testcases.length, bytes })
    await nextTurn()
  }
  return rows
}

async function encode(testsetId: Uuid, testcase: Testcase): Promise<Omit<Encoded, 'position'>> {
  // Must come first, because it rejects data that is nested too deeply for the rest.
  const id = await testcaseId(testsetId, testcase)
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
  requireWithinLimits({ rows: ids.length, bytes: sumOf(ids, sizes) })
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

/** What these rows have together. */
export const sumOf = (ids: readonly Uuid[], sizes: ReadonlyMap<Uuid, number>): number =>
  ids.reduce((bytes, id) => bytes + (sizes.get(id) ?? 0), 0)

/** Maximum size of the rows' data in one response. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/**
 * A list of rows, which are read in batches while it is gone through; it may name a row twice. `sizes` are those of all
 * rows, as {@link sizesOf} tells them.
 */
export function testcaseList(
  scope: TestcaseScope,
  ids: readonly Uuid[],
  { sizes, windowing }: { sizes: ReadonlyMap<Uuid, number>; windowing?: JsonObject },
): RowList<TestcaseRow> {
  const rows = ids.map(id => ({ id, bytes: sizes.get(id) ?? 0 }))
  return listOf(
    rows,
    batch =>
      readBatch(
        scope,
        batch.map(row => row.id),
      ),
    { windowing },
  )
}

async function readBatch({ db, project_id }: TestcaseScope, ids: readonly Uuid[]): Promise<TestcaseRow[]> {
  const { rows } = await sql<TestcaseRow>`
    select id, testset_id, data, flags, tags, meta, created_at, created_by_id from testcases
    where project_id = ${project_id} and id in (${idList(ids)})`.execute(db)
  return rows
}

/** The rows with these ids, by id. What they take in memory is counted. Ids of no row of the project are left out. */
export async function readTestcases(
  scope: TestcaseScope,
  ids: readonly Uuid[],
  sizes?: ReadonlyMap<Uuid, number>,
): Promise<ReadonlyMap<Uuid, TestcaseRow>> {
  const known = sizes ?? (await sizesOf(scope, ids))
  const found = [...new Set(ids)].filter(id => known.has(id))
  scope.holder?.hold(sumOf(found, known) * HELD_PER_BYTE)
  const rows = new Map<Uuid, TestcaseRow>()
  for await (const row of testcaseList(scope, found, { sizes: known }).rows) {
    rows.set(row.id, row)
    await nextTurn()
  }
  return rows
}

const idList = (ids: readonly Uuid[]) =>
  sql`select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json)`
