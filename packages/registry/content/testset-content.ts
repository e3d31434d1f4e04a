import type { JsonObject } from '@spanhouse/model'
import { uuid, z } from '@spanhouse/validation'
import type { Content } from '../kind.ts'
import { withDedupIds } from '../testcases/dedup.ts'
import { testsetDelta } from '../testcases/delta.ts'
import { prepareTestcases, requireTestcases } from '../testcases/table.ts'
import { rowList, type TestcaseBody, testcaseBody } from '../testcases/testcase.ts'

/** Rows, or the ids of stored rows; if both are sent, the rows are used. */
const testsetData = z
  .strictObject({ testcase_ids: rowList(uuid), testcases: rowList(testcaseBody) })
  .transform(({ testcase_ids = [], testcases }) => (testcases ? { testcases } : { testcase_ids }) as JsonObject)

/** A revision of a testset lists the ids of its rows; the rows themselves are testcases. */
export const testsetContent: Content = {
  data: testsetData,
  delta: testsetDelta,
  prepare: async (data, { scope, artifact_id, loc }) => {
    if (data.testcases) {
      const { ids, write } = await prepareTestcases(artifact_id, rowsIn(data))
      return { data: { testcase_ids: ids }, write }
    }
    const { testcase_ids } = data as { testcase_ids: string[] }
    await requireTestcases(scope, testcase_ids, [...loc, 'testcase_ids'])
    return { data: { testcase_ids } }
  },
  flags: null,
  show: data => data,
}

/** The simple surface keeps equal rows apart, and treats absent data as no rows. */
export async function simpleTestsetData(data: JsonObject | undefined): Promise<JsonObject> {
  if (!data) return { testcase_ids: [] }
  return data.testcases ? { testcases: (await withDedupIds(rowsIn(data))) as unknown as JsonObject[] } : data
}

const rowsIn = (data: JsonObject): TestcaseBody[] => data.testcases as unknown as TestcaseBody[]
