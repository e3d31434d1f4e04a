import { type TestcaseOptions, withTestcases } from '@spanhouse/registry'
import { booleanText, optional, z } from '@spanhouse/validation'
import type { ShownContent } from './shown-content.ts'

const flag = optional(z.union([z.boolean(), booleanText]))

/** A testset's revisions come with their rows, unless that is turned off; retrieving can ask for a page of them. */
export const testsetsShown: ShownContent = {
  options: { include_testcase_ids: flag, include_testcases: flag },
  complete: ({ scope, occasion }, record, options) => {
    const { include_testcase_ids, include_testcases, windowing } = options as TestcaseOptions
    const isRetrieved = occasion === 'retrieve'
    return withTestcases(scope, record, {
      include_testcases,
      ...(isRetrieved && { include_testcase_ids, windowing }),
    })
  },
}
