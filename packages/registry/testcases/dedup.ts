import { blake2b, type Json, type JsonObject, nextTurn, parseUuid } from '@spanhouse/model'
import { testcaseId } from './address.ts'
import { requireWithinLimits } from './limits.ts'
import type { Testcase, TestcaseBody } from './testcase.ts'

/** The column that distinguishes rows of equal content, and its name in files. */
export const DEDUP_COLUMN = 'testcase_dedup_id'
export const DEDUP_FILE_COLUMN = '__dedup_id__'
/** A column that callers use to name rows; it remains a column. */
const ID_COLUMN = 'testcase_id'
const DIGEST_BYTES = 6

/**
 * The rows, each with a value in {@link DEDUP_COLUMN}: their own, or one derived from the row's id (or its content, if
 * it has none) and position. So equal rows stay apart, and the same rows get the same values again.
 *
 * Takes the rows over: the column is added to their data, which is not copied. A copy of an object costs a hidden class
 * for each member whose name no other object has had: 2,000 rows with 250 columns of their own took 2.3 s and 270
 * collections of garbage to copy.
 */
export async function withDedupIds(rows: readonly TestcaseBody[]): Promise<Testcase[]> {
  requireWithinLimits({ rows: rows.length })
  const named: Testcase[] = []
  for (const [index, row] of rows.entries()) {
    named.push(await withDedupId(row, index))
    await nextTurn()
  }
  return named
}

async function withDedupId({ id, ...testcase }: TestcaseBody, index: number): Promise<Testcase> {
  const data = withoutFileColumn(testcase.data)
  const own = [data[DEDUP_COLUMN], testcase.data[DEDUP_FILE_COLUMN]].find(isGiven)
  data[DEDUP_COLUMN] = own ?? dedupId(await rowId(id, { ...testcase, data }), index)
  return { ...testcase, data }
}

function withoutFileColumn(data: JsonObject): JsonObject {
  if (!Object.hasOwn(data, DEDUP_FILE_COLUMN)) return data
  const { [DEDUP_FILE_COLUMN]: _, ...rest } = data
  return rest
}

async function rowId(id: string | undefined, testcase: Testcase): Promise<string> {
  const inColumn = testcase.data[ID_COLUMN]
  return id ?? (typeof inColumn === 'string' ? parseUuid(inColumn) : null) ?? testcaseId(null, { data: testcase.data })
}

const dedupId = (id: string, index: number): string =>
  blake2b(Buffer.from(`${id}:${index}`), DIGEST_BYTES).toString('hex')

const isGiven = (value: Json | undefined): boolean =>
  value != null && !(typeof value === 'string' && value.trim() === '')
