import { expect, test } from 'vitest'
import { formatCost, formatCount } from '../format/format.ts'
import { scaleOf } from './scale.ts'

test('there is no line between two counts', () => {
  const { max, steps } = scaleOf([0, 1, null], formatCount)
  expect(max).toBe(1)
  expect(steps?.slice(0, 5)).toEqual([1, 2, 5, 10, 20])
  expect(scaleOf([0, 0.5], formatCost)).toMatchObject({ max: 0.5, steps: undefined })
})

test('a chart without values has no label but its zero', () => {
  const { max, label } = scaleOf([0, 0, null], formatCount)
  expect([0, max].map(label)).toEqual(['0', ''])
  expect([0, 3].map(scaleOf([3], formatCount).label)).toEqual(['0', '3'])
})
