import type { JsonObject } from '@spanhouse/model'
import { z } from '@spanhouse/validation'

/** `{count, [name]}`; without a record the count is 0 and nothing else is there. */
export const one = (name: string, record: JsonObject | undefined): JsonObject =>
  record ? { count: 1, [name]: record } : { count: 0 }

/** `{count, [name], windowing?}`: the records of one page, and how to ask for the next where there is one. */
export const many = (name: string, records: JsonObject[], windowing?: JsonObject): JsonObject => ({
  count: records.length,
  [name]: records,
  ...(windowing && { windowing }),
})

const record = z.looseObject({ id: z.string(), slug: z.string() })

export const oneAnswer = (name: string) => z.object({ count: z.int(), [name]: record.optional() })

export const manyAnswer = (name: string) =>
  z.object({ count: z.int(), [name]: z.array(record), windowing: z.looseObject({}).optional() })
