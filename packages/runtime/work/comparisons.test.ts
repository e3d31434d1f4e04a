import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePointLength } from '../code-points.ts'
import { editDistance } from './edit-distance.ts'
import { matchingRatio } from './matching-ratio.ts'

/** Texts over few characters, some beyond 16 bits: they have much in common. */
const text = (characters: string[], maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map(parts => parts.join(''))
const SETS = [['a', 'b'], ['a', 'é', '😀', '😁'], [...'abcdefgh ']]
const pair = fc.constantFrom(...SETS).chain(set => fc.tuple(text(set, 40), text(set, 40)))

/** By the definition, cell by cell. */
function distanceByTable(a: string, b: string): number {
  const [one, other] = [[...a], [...b]]
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, character] of one.entries()) {
    const next = [at + 1]
    for (const [place, sought] of other.entries())
      next.push(
        Math.min(
          (next[place] as number) + 1,
          (row[place + 1] as number) + 1,
          (row[place] as number) + (character === sought ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) as number
}

/** By the definition: every block at every pair of places is looked at. */
function matchedByTrial(a: readonly string[], b: readonly string[]): number {
  let best = { at: 0, place: 0, length: 0 }
  for (let at = 0; at < a.length; at++)
    for (let place = 0; place < b.length; place++) {
      let length = 0
      while (at + length < a.length && place + length < b.length && a[at + length] === b[place + length]) length++
      if (length > best.length) best = { at, place, length }
    }
  const { at, place, length } = best
  if (length === 0) return 0
  const before = matchedByTrial(a.slice(0, at), b.slice(0, place))
  return before + length + matchedByTrial(a.slice(at + length), b.slice(place + length))
}

describe('edit distance', () => {
  test.each([
    ['', '', 0],
    ['Pariz', 'Paris', 1],
    ['kitten', 'sitting', 3],
    ['😀', '', 1],
    ['😀', '😁', 1],
    ['a😀b', 'ab', 1],
    ['\ud83d', '😀', 1],
    ['a'.repeat(100), 'b'.repeat(70), 100],
  ])('%s, %s: %i', (a, b, distance) => expect(editDistance(a, b)).toBe(distance))

  test('is what the definition says, in either order', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(editDistance(a, b)).toBe(distanceByTable(a, b))
        expect(editDistance(b, a)).toBe(editDistance(a, b))
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(codePointLength(a), codePointLength(b)))
      }),
      { numRuns: 500 },
    )
  })
})

describe('matching ratio', () => {
  test.each([
    ['', '', 1],
    ['', 'a', 0],
    ['a', 'a', 1],
    ['abcd', 'bcde', 0.75],
    // The longest block decides, wherever shorter ones would add up to more.
    ['tide', 'diet', 0.25],
    ['diet', 'tide', 0.5],
    ['😀a', '😁a', 0.5],
    ['private Thread currentThread;', 'private volatile Thread currentThread;', (2 * 29) / (29 + 38)],
  ])('%s, %s: %d', (a, b, ratio) => expect(matchingRatio(a, b)).toBeCloseTo(ratio, 12))

  test('is what the definition says', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const [one, other] = [[...a], [...b]]
        const total = one.length + other.length
        expect(matchingRatio(a, b)).toBe(total === 0 ? 1 : (2 * matchedByTrial(one, other)) / total)
        expect(matchingRatio(a, a)).toBe(1)
      }),
      { numRuns: 1_000 },
    )
  })

  test('characters that are frequent count, in long texts as well', () => {
    const words = (word: string): string => `the answer is ${word} and `.repeat(10)
    const [a, b] = [words('yes'), words('yes').replace('yes', 'not')]
    expect(codePointLength(b)).toBeGreaterThan(200)
    expect(matchingRatio(a, b)).toBeGreaterThan(0.9)
  })
})
