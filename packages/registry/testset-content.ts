import { optional, uuid, z } from '@spanhouse/validation'
import type { Content } from './content.ts'

/** A testset's revision names its rows; the rows themselves are testcases. */
export const testsetContent: Content = {
  data: z
    .strictObject({ testcase_ids: optional(z.array(uuid)) })
    .transform(({ testcase_ids = [] }) => ({ testcase_ids })),
  store: data => data,
  flags: null,
  show: data => data,
}
