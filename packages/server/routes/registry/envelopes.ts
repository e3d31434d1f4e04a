import type { JsonObject } from '@spanhouse/model'
import { JsonList } from '@spanhouse/model'
import { HELD_PER_BYTE, type RowList } from '@spanhouse/registry'
import { z } from '@spanhouse/validation'
import type { HeldAnswer } from '../../http/answer-room.ts'

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

/**
 * As {@link many}, for rows that are read while the answer is sent. What the largest of their batches needs is counted before the answer
 * begins. Each becomes its record by itself.
 */
export function manyRead<T>(
  name: string,
  list: RowList<T>,
  { holder, record }: { holder: HeldAnswer; record: (row: T) => unknown },
): object {
  holder.hold(list.bytesMax * HELD_PER_BYTE)
  async function* records(): AsyncGenerator<unknown> {
    for await (const row of list.rows) yield await record(row)
  }
  return { count: list.count, [name]: new JsonList(records()), windowing: list.windowing }
}
