import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf, lanesOf } from './assignment.ts'

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
