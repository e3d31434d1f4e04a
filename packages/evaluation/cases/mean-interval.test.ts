import { expect, test } from 'vitest'
import { meanInterval, studentQuantile } from './mean-interval.ts'

test.each([
  [1, 12.7062],
  [2, 4.3027],
  [4, 2.7764],
  [5, 2.5706],
  [10, 2.2281],
  [30, 2.0423],
  [100, 1.984],
  [10_000, 1.9602],
])("Student's quantile at %d degrees of freedom is that of tables", (freedom, quantile) => {
  expect(Math.abs(studentQuantile(freedom) - quantile)).toBeLessThan(0.001)
})

test('the interval of a mean: none of one number, a point of equal numbers', () => {
  expect(meanInterval({ count: 1, mean: 3, deviation: 0 })).toBe(undefined)
  expect(meanInterval({ count: 5, mean: 3, deviation: 0 })).toEqual([3, 3])
  // 1, 2, 3: 2 plus or minus 4.3027 * 1 / sqrt(3)
  const [low, high] = meanInterval({ count: 3, mean: 2, deviation: 1 }) ?? []
  expect(low).toBeCloseTo(-0.4841, 3)
  expect(high).toBeCloseTo(4.4841, 3)
})
