import { invalid, type JsonObject, microsToIso, type Uuid } from '@spanhouse/model'
import { listWindow, type RowList, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import type { Scope } from '../kind.ts'
import type { References } from '../references.ts'
import { findRevision } from '../rows/find.ts'
import { PAGE_ROWS_MAX } from '../rows/window.ts'
import { testcaseIdsOf } from './delta.ts'
import { hasCursor, nextWindowing, pageOfIds } from './id-page.ts'
import {
  ANSWER_BYTES_MAX,
  readTestcases,
  sizesOf,
  type TestcaseRow,
  type TestcaseScope,
  testcaseList,
} from './table.ts'

/** The row with this id. */
export async function findTestcase(scope: TestcaseScope, id: Uuid): Promise<TestcaseRow | undefined> {
  return (await readTestcases(scope, [id])).get(id)
}

/**
 * A page of the rows with these ids, in their order. Ids that do not exist, or belong to another testset than the given
 * one, are omitted. A page also ends when a response would become too large. 400 for a cursor that is not in the list:
 * that of a testset's newest rows may have changed since the last page, and would seem to end here.
 */
export async function listTestcases(
  scope: TestcaseScope,
  ids: readonly Uuid[],
  { windowing = {}, testset_id }: { windowing?: Partial<WindowingBody>; testset_id?: Uuid } = {},
): Promise<RowList<TestcaseRow>> {
  const sizes = await sizesOf(scope, ids, testset_id)
  const known = ids.filter(id => sizes.has(id))
  if (windowing.next !== undefined && !hasCursor(known, windowing.next))
    throw invalid(
      'windowing.next: no row of this list has this id; list a revision (testset_revision_ref) of a testset that changes',
    )
  let bytes = 0
  const page = pageOfIds(known, windowing, id => {
    bytes += sizes.get(id) as number
    return bytes <= ANSWER_BYTES_MAX
  })
  return testcaseList(scope, page.ids, { sizes, windowing: nextWindowing(windowing, page.next) })
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
): Promise<RowList<TestcaseRow>> {
  const { db, project_id } = scope
  const limit = Math.min(windowing.limit ?? PAGE_ROWS_MAX, PAGE_ROWS_MAX)
  const order = {
    created_at: sql`created_at`,
    by: [sql`created_at`, sql`id`],
    cursor: (id: string) =>
      sql`select created_at, id from testcases where project_id = ${project_id} and id = ${id}::uuid`,
    isAscending: windowing.order !== 'descending',
  }
  const { conditions, tail } = listWindow({ ...windowing, limit: limit + 1 }, order)
  const inOrder = listWindow({}, order).tail
  const own = sql`project_id = ${project_id} and testset_id = ${testsetId}`
  const where = sql.join([own, ...conditions], sql` and `)
  const { rows } = await sql<Place & { bytes: number; found: number }>`
    select id, bytes, created_at, found from (
      select *, count(*) over () as found, sum(bytes) over (${inOrder}) - bytes as bytes_before
      from (select id, bytes, created_at from testcases where ${where} ${tail}) as read
    ) as measured
    where bytes_before < ${ANSWER_BYTES_MAX} ${inOrder} limit ${limit}`.execute(db)
  const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]))
  const hasMore = (rows[0]?.found ?? 0) > rows.length
  const next = hasMore ? afterRow(windowing, rows.at(-1) as Place) : undefined
  return testcaseList(scope, [...sizes.keys()], { sizes, windowing: next })
}

/** Where a row stands in a list by time. */
type Place = Pick<TestcaseRow, 'id' | 'created_at'>

function afterRow(windowing: Partial<WindowingBody>, last: Place): JsonObject {
  const { newest, oldest, order } = windowing
  const isDescending = order === 'descending'
  const kept = isDescending ? oldest : newest
  return {
    ...nextWindowing(windowing, last.id),
    ...(kept !== undefined && { [isDescending ? 'oldest' : 'newest']: microsToIso(kept) }),
    [isDescending ? 'newest' : 'oldest']: last.created_at,
  }
}
