import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { WindowingBody } from '@spanhouse/validation'
import { testcaseIdsOf } from './delta.ts'
import { pageOfIds } from './id-page.ts'
import { readTestcases, type TestcaseRow, type TestcaseScope } from './table.ts'

/** What of a testset is shown. Both are on unless they are turned off; rows never come without their ids. */
export interface TestcaseOptions {
  include_testcase_ids?: boolean
  include_testcases?: boolean
  /** Which part of the rows: `limit`, `next` and `order`. */
  windowing?: Partial<WindowingBody>
}

/** Records of revisions (or flat ones) with the rows they name in `data`, read all at once. */
export async function withTestcases(
  scope: TestcaseScope,
  records: readonly JsonObject[],
  { include_testcase_ids = true, include_testcases = true, windowing = {} }: TestcaseOptions,
): Promise<JsonObject[]> {
  if (!include_testcases && !include_testcase_ids) return records.map(({ data: _, ...record }) => record)
  const pages = records.map(({ data }) => pageOfIds(testcaseIdsOf(data), windowing).ids)
  const rows = include_testcases ? await readTestcases(scope, pages) : new Map<Uuid, TestcaseRow>()
  return records.map((record, index): JsonObject => {
    if (record.data === undefined) return record
    const ids = pages[index] as Uuid[]
    if (!include_testcases) return { ...record, data: { testcase_ids: ids } }
    const testcases = ids.map(id => rows.get(id)).filter(row => row !== undefined)
    return { ...record, data: { testcase_ids: ids, testcases: testcases.map(inTestset) } }
  })
}

/** The rows that a revision's data names, in their order. */
export async function testcaseRowsOf(scope: TestcaseScope, data: JsonObject | null): Promise<TestcaseRow[]> {
  const ids = testcaseIdsOf(data)
  const rows = await readTestcases(scope, [ids])
  return ids.map(id => rows.get(id)).filter(row => row !== undefined)
}

/** A row inside of its testset's record. */
function inTestset({ flags, tags, meta, created_by_id, ...row }: TestcaseRow): JsonObject {
  const members: Record<string, Json | null> = { flags, tags, meta, created_by_id }
  return { ...row, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) } as JsonObject
}

/** A row as a record of its own. */
export const toTestcaseJson = (row: TestcaseRow): JsonObject => ({ ...inTestset(row), set_id: row.testset_id })
