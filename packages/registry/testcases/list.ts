import { type JsonObject, microsToIso, type Uuid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import type { Scope } from '../kind.ts'
import type { References } from '../references.ts'
import { findRevision } from '../rows/find.ts'
import { PAGE_ROWS_MAX, type Page } from '../rows/window.ts'
import { testcaseIdsOf } from './delta.ts'
import { nextWindowing, pageOfIds } from './id-page.ts'
import { ANSWER_BYTES_MAX, readTestcases, sizesOf, type TestcaseRow, type TestcaseScope } from './table.ts'

/** The row with this id. */
export async function findTestcase(scope: TestcaseScope, id: Uuid): Promise<TestcaseRow | undefined> {
  return (await readTestcases(scope, [[id]])).get(id)
}

/**
 * A page of the rows with these ids, in their order. Ids that do not exist, or belong to another testset than the given
 * one, are omitted. A page also ends when a response would become too large.
 */
export async function listTestcases(
  scope: TestcaseScope,
  ids: readonly Uuid[],
  { windowing = {}, testset_id }: { windowing?: Partial<WindowingBody>; testset_id?: Uuid } = {},
): Promise<Page<TestcaseRow>> {
  const sizes = await sizesOf(scope, ids, testset_id)
  const known = ids.filter(id => sizes.has(id))
  let bytes = 0
  const page = pageOfIds(known, windowing, id => {
    bytes += sizes.get(id) as number
    return bytes <= ANSWER_BYTES_MAX
  })
  const rows = await readTestcases(scope, [page.ids])
  return {
    rows: page.ids.map(id => rows.get(id)).filter(row => row !== undefined),
    windowing: nextWindowing(windowing, page.next),
  }
}

/** The ids of the rows in the revision that references identify; undefined if it does not exist. */
export async function testcaseIdsAt(scope: Scope, references: References): Promise<Uuid[] | undefined> {
  const revision = await findRevision(scope, references)
  return revision && testcaseIdsOf(revision.data)
}

/**
 * Every row that was ever stored for a testset, oldest first by default. The page's windowing contains the time of its
 * last row as well as its id.
 */
export async function listTestcasesOf(
  scope: TestcaseScope,
  testsetId: Uuid,
  windowing: Partial<WindowingBody> = {},
): Promise<Page<TestcaseRow>> {
  const { db, project_id } = scope
  const limit = Math.min(windowing.limit ?? PAGE_ROWS_MAX, PAGE_ROWS_MAX)
  const direction = sql.raw(windowing.order === 'descending' ? 'desc' : 'asc')
  const inOrder = sql`order by created_at ${direction}, id ${direction}`
  const own = sql`project_id = ${project_id} and testset_id = ${testsetId}`
  const where = sql.join([own, ...boundsOf(scope, windowing)], sql` and `)
  const { rows } = await sql<TestcaseRow & { found: number }>`
    select id, testset_id, data, flags, tags, meta, created_at, created_by_id, found from (
      select *, count(*) over () as found, sum(bytes) over (${inOrder}) - bytes as bytes_before
      from (select * from testcases where ${where} ${inOrder} limit ${limit + 1}) as read
    ) as measured
    where bytes_before < ${ANSWER_BYTES_MAX} ${inOrder} limit ${limit}`.execute(db)
  const page = rows.map(({ found: _, ...row }) => row)
  const hasMore = (rows[0]?.found ?? 0) > rows.length
  return { rows: page, ...(hasMore && { windowing: afterRow(windowing, page.at(-1) as TestcaseRow) }) }
}

/** Time bounds, and the rows after the cursor's row. With a cursor both bounds are inclusive. */
function boundsOf({ project_id }: TestcaseScope, windowing: Partial<WindowingBody>): RawBuilder<unknown>[] {
  const { newest, oldest, next, order } = windowing
  const isDescending = order === 'descending'
  const time = (micros: number): RawBuilder<unknown> => sql`${microsToIso(micros)}::timestamptz`
  const newestSign = sql.raw(isDescending && next === undefined ? '<' : '<=')
  const oldestSign = sql.raw(isDescending || next !== undefined ? '>=' : '>')
  const cursor = sql`select created_at, id from testcases where project_id = ${project_id} and id = ${next}::uuid`
  return [
    newest === undefined ? null : sql`created_at ${newestSign} ${time(newest)}`,
    oldest === undefined ? null : sql`created_at ${oldestSign} ${time(oldest)}`,
    next === undefined ? null : sql`(created_at, id) ${sql.raw(isDescending ? '<' : '>')} (${cursor})`,
  ].filter(condition => condition !== null)
}

function afterRow(windowing: Partial<WindowingBody>, last: TestcaseRow): JsonObject {
  const { newest, oldest, order } = windowing
  const isDescending = order === 'descending'
  const kept = isDescending ? oldest : newest
  return {
    ...nextWindowing(windowing, last.id),
    ...(kept !== undefined && { [isDescending ? 'oldest' : 'newest']: microsToIso(kept) }),
    [isDescending ? 'newest' : 'oldest']: last.created_at,
  }
}
