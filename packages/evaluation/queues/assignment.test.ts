import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf, firstLanes, lanesOf, NO_LANE } from './assignment.ts'

test('the example of the interface: four buckets for three', () => {
  const lane = ['ana', 'bo', 'cy']
  expect(lane.map(user => blocksOf(lane, new Set([user]), 4))).toEqual([[[0, 2]], [[2, 3]], [[3, 4]]])
})

test('nobody assigned, or nobody asked for: everything; an empty lane: nothing', () => {
  const flags = { is_sequential: false, is_default: false }
  expect(lanesOf({ flags, data: {} }, ['ana'])).toBeUndefined()
  expect(lanesOf({ flags, data: { user_ids: [['ana']] } }, undefined)).toBeUndefined()
  expect(lanesOf({ flags, data: { user_ids: [[], ['ana', 'ana']] } }, ['ana'])).toEqual([
    [],
    [
      [0, 60],
      [60, 120],
    ],
  ])
})

test('blocks of all assignees are every bucket once, in order, and differ by one at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 40 }), (buckets, people) => {
      const lane = Array.from({ length: people }, (_, n) => `user ${n}`)
      const blocks = blocksOf(lane, new Set(lane), buckets)
      expect(blocks.flatMap(([from, to]) => Array.from({ length: to - from }, (_, n) => from + n))).toEqual(
        Array.from({ length: buckets }, (_, n) => n),
      )
      const sizes = blocks.map(([from, to]) => to - from)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
  )
})

test('a bucket is in the first lane that has it for one of the users, if any has', () => {
  const user = fc.constantFrom('ana', 'bo', 'cy')
  const queue = fc.record({
    buckets: fc.integer({ min: 1, max: 30 }),
    lanes: fc.array(fc.array(user), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(queue, fc.uniqueArray(user), ({ buckets, lanes }, users) => {
      const blocks = lanes.map(lane => blocksOf(lane, new Set(users), buckets))
      const { from, values } = firstLanes(blocks)
      for (let bucket = 0; bucket < buckets; bucket++) {
        const isIn = (lane: (typeof blocks)[number]) => lane.some(([first, end]) => first <= bucket && bucket < end)
        const expected = blocks.some(isIn) ? blocks.findIndex(isIn) : NO_LANE
        expect(values[from.findLastIndex(start => start <= bucket)]).toBe(expected)
      }
    }),
  )
})
