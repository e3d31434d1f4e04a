import { expect, test } from 'vitest'
import { IdSource, lowestIdAt, newId } from './uuid-v7.ts'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('an id is a UUID of version 7 that starts with the time in milliseconds', () => {
  const before = Date.now()
  const id = newId()
  expect(id).toMatch(V7)
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  expect(ms).toBeGreaterThanOrEqual(before)
  expect(ms).toBeLessThanOrEqual(Date.now() + 100)
})

test.each([
  ['within one millisecond, past the end of the counter', (_index: number) => 1_000],
  ['when the clock steps back', (index: number) => 50_000 - index],
  ['when time goes on', (index: number) => 1_000 + index],
])('ids ascend %s', (_name, clock) => {
  const source = new IdSource()
  const ids = Array.from({ length: 10_000 }, (_, index) => source.next(clock(index)))
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(id => V7.test(id))).toBe(true)
})

test('ids of a time are not below the lowest of it, and earlier ones are', () => {
  const id = new IdSource().next(1_000)
  expect([lowestIdAt(1_000) <= id, lowestIdAt(1_001) > id]).toEqual([true, true])
  expect([lowestIdAt(-1), lowestIdAt(1e15)].map(one => one.slice(0, 13))).toEqual(['00000000-0000', 'ffffffff-ffff'])
})
