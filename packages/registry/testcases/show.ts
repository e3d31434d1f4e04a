import { type Json, JsonList, type JsonObject } from '@spanhouse/model'
import { HELD_PER_BYTE, type RowList } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import { testcaseIdsOf } from './delta.ts'
import { nextWindowing, pageOfIds } from './id-page.ts'
import { readTestcases, sizesOf, type TestcaseRow, type TestcaseScope, testcaseList } from './table.ts'

/** What to show of a testset. Both are on by default; rows always have their ids. */
export interface TestcaseOptions {
  include_testcase_ids?: boolean
  include_testcases?: boolean
  /** The part of the rows to show: `limit`, `next` and `order`. */
  windowing?: Partial<WindowingBody>
}

/**
 * The record of a revision (or a flat one) with the rows it names in `data`, which are read while they are rendered.
 */
export async function withTestcases(
  scope: TestcaseScope,
  { data, ...record }: JsonObject,
  { include_testcase_ids = true, include_testcases = true, windowing = {} }: TestcaseOptions,
): Promise<JsonObject> {
  if (data === undefined || (!include_testcases && !include_testcase_ids)) return record
  const testcase_ids = pageOfIds(testcaseIdsOf(data), windowing).ids
  if (!include_testcases) return { ...record, data: { testcase_ids } }
  const sizes = await sizesOf(scope, testcase_ids)
  const known = testcase_ids.filter(id => sizes.has(id))
  const testcases = new JsonList(counted(scope, testcaseList(scope, known, { sizes }))) as unknown as Json
  return { ...record, data: { testcase_ids, testcases } }
}

/** The windowing object for the part after the one that `windowing` selects; undefined if that is the last. */
export const windowingOfRest = (data: JsonObject, windowing: Partial<WindowingBody>): JsonObject | undefined =>
  nextWindowing(windowing, pageOfIds(testcaseIdsOf(data), windowing).next)

/** What the largest batch needs is counted as long as the list is being read. */
async function* counted({ holder }: TestcaseScope, list: RowList<TestcaseRow>): AsyncGenerator<JsonObject> {
  const bytes = list.bytesMax * HELD_PER_BYTE
  holder?.hold(bytes)
  try {
    for await (const row of list.rows) yield inTestset(row)
  } finally {
    holder?.release(bytes)
  }
}

/** The rows that a revision's data refers to, in order. */
export async function testcaseRowsOf(scope: TestcaseScope, data: JsonObject | null): Promise<TestcaseRow[]> {
  const ids = testcaseIdsOf(data)
  const rows = await readTestcases(scope, ids)
  return ids.map(id => rows.get(id)).filter(row => row !== undefined)
}

/** A row as part of its testset. */
function inTestset({ flags, tags, meta, created_by_id, ...row }: TestcaseRow): JsonObject {
  const members: Record<string, Json | null> = { flags, tags, meta, created_by_id }
  return { ...row, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) } as JsonObject
}

/** A row by itself. */
export const toTestcaseJson = (row: TestcaseRow): JsonObject => ({ ...inTestset(row), set_id: row.testset_id })
