import { type Json, JsonList, JsonMembers, type JsonObject } from '@spanhouse/model'
import { HELD_PER_BYTE, type RowList } from '@spanhouse/postgres'
import { z } from '@spanhouse/validation'
import type { HeldAnswer } from './answer-room.ts'

/** `{count, [name]}`; without an entity, only count 0. */
export const one = (name: string, record: object | undefined): JsonObject =>
  record ? { count: 1, [name]: record as Json } : { count: 0 }

/** Describes {@link one}. */
export const answerOfOne = <S extends z.ZodType>(name: string, record: S) =>
  z.object({ count: z.int(), [name]: record.optional() })

/** Describes {@link manyRead}. */
export const answerOfMany = <S extends z.ZodType>(name: string, record: S) =>
  z.object({ count: z.int(), [name]: z.array(record), windowing: z.looseObject({}).optional() })

/**
 * `{[name], count, windowing?}`: the entities of one page, which are read while the response is sent, and how to
 * request the next page if there is one. They are counted as they are sent: some may be deleted before it is their
 * turn. The memory for the largest batch is reserved before the response starts.
 */
export function manyRead<T>(
  name: string,
  list: RowList<T>,
  { holder, record }: { holder: HeldAnswer; record: (row: T) => unknown },
): object {
  holder.hold(list.bytesMax * HELD_PER_BYTE)
  let count = 0
  async function* records(): AsyncGenerator<unknown> {
    for await (const row of list.rows) {
      count++
      yield await record(row)
    }
  }
  function* members(): Generator<readonly [name: string, value: unknown]> {
    yield [name, new JsonList(records())]
    yield ['count', count]
    yield ['windowing', list.windowing]
  }
  return new JsonMembers(members())
}
