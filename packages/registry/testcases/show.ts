import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { WindowingBody } from '@spanhouse/validation'
import { testcaseIdsOf } from './delta.ts'
import { pageOfIds } from './id-page.ts'
import { readTestcases, type TestcaseRow, type TestcaseScope } from './table.ts'

/** What to show of a testset. Both are on by default; rows always have their ids. */
export interface TestcaseOptions {
  include_testcase_ids?: boolean
  include_testcases?: boolean
  /** The part of the rows to show: `limit`, `next` and `order`. */
  windowing?: Partial<WindowingBody>
}

/** JSON of revisions or simple rows, with the testcases that their `data` refers to, read together. */
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

/** The rows that a revision's data refers to, in order. */
export async function testcaseRowsOf(scope: TestcaseScope, data: JsonObject | null): Promise<TestcaseRow[]> {
  const ids = testcaseIdsOf(data)
  const rows = await readTestcases(scope, [ids])
  return ids.map(id => rows.get(id)).filter(row => row !== undefined)
}

/** A row as part of its testset. */
function inTestset({ flags, tags, meta, created_by_id, ...row }: TestcaseRow): JsonObject {
  const members: Record<string, Json | null> = { flags, tags, meta, created_by_id }
  return { ...row, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) } as JsonObject
}

/** A row by itself. */
export const toTestcaseJson = (row: TestcaseRow): JsonObject => ({ ...inTestset(row), set_id: row.testset_id })
