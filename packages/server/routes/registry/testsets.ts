import type { JsonObject } from '@spanhouse/model'
import { type TestcaseOptions, windowingOfRest, withTestcases } from '@spanhouse/registry'
import { booleanText, optional, z } from '@spanhouse/validation'
import type { ShownContent } from './shown-content.ts'

const flag = optional(z.union([z.boolean(), booleanText]))

/** A testset's revisions include their rows unless the request excludes them; retrieval can request a page of them. */
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
  windowingOfRest: ({ data }, options) => {
    const { include_testcase_ids = true, include_testcases = true, windowing } = options as TestcaseOptions
    if (!data || !windowing || !(include_testcase_ids || include_testcases)) return undefined
    return windowingOfRest(data as JsonObject, windowing)
  },
}
