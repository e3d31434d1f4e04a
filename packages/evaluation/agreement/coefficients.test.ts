import { describe, expect, test } from 'vitest'
import { cohenKappa, fleissKappa, krippendorffAlpha, type Rating, type Units } from './coefficients.ts'

/** So many units with each list of ratings. */
const repeated = (...rows: [number, ...Rating[]][]): Units =>
  rows.flatMap(([count, ...ratings]) => Array.from({ length: count }, () => ratings))

describe("Krippendorff's alpha", () => {
  // Example C of "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units, missing values.
  const observers = [
    '1 2 3 3 2 1 4 1 2 . . .',
    '1 2 3 3 2 2 4 1 2 5 . 3',
    '. 3 3 3 2 3 4 2 2 5 1 .',
    '1 2 3 3 2 4 4 1 2 5 1 .',
  ]
  const rows = observers.map(row => row.split(' ').map(one => (one === '.' ? undefined : Number(one))))
  const units = Array.from({ length: 12 }, (_, unit) => rows.map(row => row[unit]))

  test('nominal and interval, as published', () => {
    expect(krippendorffAlpha(units, 'nominal')).toBeCloseTo(0.743, 3)
    expect(krippendorffAlpha(units, 'interval')).toBeCloseTo(0.849, 3)
  })

  test('large numbers that differ little are not lost', () => {
    const far = units.map(ratings => ratings.map(one => (one === undefined ? undefined : one + 1e9)))
    expect(krippendorffAlpha(far, 'interval')).toBeCloseTo(0.849, 3)
  })

  test('it does not exist without two ratings of a unit, or without two values', () => {
    expect(
      krippendorffAlpha(
        [
          [1, undefined],
          [undefined, 2],
        ],
        'nominal',
      ),
    ).toBeUndefined()
    expect(
      krippendorffAlpha(
        [
          ['a', 'a'],
          ['a', 'a'],
        ],
        'nominal',
      ),
    ).toBeUndefined()
    expect(krippendorffAlpha([], 'interval')).toBeUndefined()
  })
})

describe("Cohen's kappa", () => {
  test('two readers of fifty proposals, as in the textbook example', () => {
    const units = repeated([20, true, true], [5, true, false], [10, false, true], [15, false, false])
    expect(cohenKappa(units)).toBeCloseTo(0.4, 10)
  })

  test('a value that one reader alone gives is by chance given by both never', () => {
    // Both say the same of half of the units; by chance they would of 3/4 * 3/4 of them.
    const units = repeated([2, 'a', 'a'], [1, 'a', 'b'], [1, 'c', 'a'])
    expect(cohenKappa(units)).toBeCloseTo((1 / 2 - 9 / 16) / (1 - 9 / 16), 10)
  })

  test('disagreement beyond chance is negative, and units of one rater are left out', () => {
    expect(cohenKappa([...repeated([3, 'a', 'b'], [3, 'b', 'a']), ['a', undefined]])).toBe(-1)
    expect(cohenKappa([['a', undefined]])).toBeUndefined()
    expect(cohenKappa(repeated([4, 'a', 'a']))).toBeUndefined()
  })
})

describe("Fleiss' kappa", () => {
  test('fourteen raters, ten subjects, five categories, as in the textbook example', () => {
    const table = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ]
    const units = table.map(row => row.flatMap((count, category) => Array.from({ length: count }, () => category)))
    expect(fleissKappa(units)).toBeCloseTo(0.21, 3)
  })

  test('units that somebody has not rated are left out', () => {
    const units = repeated([2, 'a', 'a', 'a'], [2, 'b', 'b', 'b'])
    expect(fleissKappa([...units, ['a', 'b', undefined]])).toBe(1)
    expect(fleissKappa([['a', undefined]])).toBeUndefined()
  })
})
