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
