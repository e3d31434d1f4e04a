import type { JsonObject } from '@spanhouse/model'
import { JsonList } from '@spanhouse/model'
import { HELD_PER_BYTE, type RowList } from '@spanhouse/registry'
import { z } from '@spanhouse/validation'
import type { HeldAnswer } from '../../http/answer/answer-room.ts'

/** `{count, [name]}`; without an entity, only count 0. */
export const one = (name: string, record: JsonObject | undefined): JsonObject =>
  record ? { count: 1, [name]: record } : { count: 0 }

/** `{count, [name], windowing?}`: the entities of one page, and how to request the next page if there is one. */
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
 * Like {@link many}, for rows that are read while the response is sent. The memory for the largest batch is reserved
 * before the response starts. Each row is converted separately.
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
