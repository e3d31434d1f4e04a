import { PERCENTILES } from '@spanhouse/query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { statisticsOf } from './statistics.ts'

test('a number that is not an integer is rounded to fifteen digits, whatever its size', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    // Beside a power of ten.
    fc.tuple(fc.integer({ min: -12, max: 18 }), fc.integer({ min: -20, max: 20 })).map(beside),
    // Half of the sixteenth digit.
    fc.integer({ min: 1, max: 10 ** 9 }).map(thousandths => thousandths / 1000 / 16),
  )
  const digits = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(15)))
  fc.assert(
    fc.property(number, sum => {
      const row = [sum, 1, 0, 0, [], [0, 0, 1, [[0], [1]]]]
      expect(statisticsOf('numeric/continuous', row, { edge: true })).toMatchObject({
        sum: digits(sum),
        hist: [{ bin: 1, count: 1, interval: [0, 0], density: 1 }],
      })
    }),
    { numRuns: 5_000 },
  )
})

function beside([exponent, steps]: [number, number]): number {
  const power = 10 ** exponent
  return power + steps * power * Number.EPSILON
}

test('bins without values are counted as empty', () => {
  const row = [
    6,
    4,
    0,
    3,
    [],
    [
      0,
      3,
      3,
      [
        [0, 2],
        [1, 4],
      ],
    ],
  ]
  const { hist } = statisticsOf('numeric/continuous', row, { edge: true }) as unknown as { hist: { count: number }[] }
  expect(hist.map(({ count }) => count)).toEqual([1, 0, 3])
})

test('spreads are relative to the median unless the ends have different signs, or it is tiny beside one', () => {
  const isThere = (low: number, median: number, high: number): boolean => {
    const percentiles = PERCENTILES.map(percent => (percent <= 100 ? low : percent < 9900 ? median : high))
    const row = [0, 3, low, high, percentiles, [[low], [3]]]
    return 'pscs' in (statisticsOf('numeric/discrete', row, { edge: true }) as object)
  }
  expect([isThere(-5, -2, 0), isThere(0, 2, 5), isThere(-5, -2, -1)]).toEqual([true, true, true])
  expect([isThere(-1, 2, 5), isThere(-5, 0, 1)]).toEqual([false, false])
  expect([isThere(1, 1, 100), isThere(1, 1, 101), isThere(-100, -1, -1), isThere(-101, -1, -1)]).toEqual([
    ...[true, false],
    ...[true, false],
  ])
})
