import fc from 'fast-check'
import { expect, test } from 'vitest'
import { binomialAtMost, exactInterval, signTest } from './binomial.ts'
import { bootstrapInterval, signFlipTest } from './resampling.ts'
import { comparePairs, holm } from './statistics.ts'

/** The sign test by integers of any size. */
function exactSignTest(wins: number, losses: number): number {
  const n = BigInt(wins + losses)
  let [ways, sum] = [1n, 0n]
  for (let k = 0n; k <= BigInt(Math.min(wins, losses)); k++) {
    sum += ways
    ways = (ways * (n - k)) / (k + 1n)
  }
  const scale = 10n ** 30n
  return Math.min(1, Number((2n * sum * scale) / 2n ** n) / 1e30)
}

test('the sign test agrees with integers of any size', () => {
  fc.assert(
    fc.property(fc.nat({ max: 400 }), fc.nat({ max: 400 }), (wins, losses) => {
      const expected = exactSignTest(wins, losses)
      expect(Math.abs(signTest(wins, losses) - expected)).toBeLessThan(1e-12 + expected * 1e-9)
    }),
  )
  expect(signTest(0, 0)).toBe(1)
  expect(signTest(5, 0)).toBeCloseTo(0.0625, 14)
  expect(signTest(1, 9)).toBeCloseTo(0.021484375, 14)
})

test('probabilities of a binomial add up, on both sides of its centre', () => {
  // Of 10 tosses at 0.3, by hand: 0.7^10, and so on.
  expect(binomialAtMost(0, 10, 0.3)).toBeCloseTo(0.0282475249, 12)
  expect(binomialAtMost(3, 10, 0.3)).toBeCloseTo(0.6496107184, 12)
  expect(binomialAtMost(9, 10, 0.3)).toBeCloseTo(1 - 0.3 ** 10, 12)
  for (const k of [-1, 10, 11]) expect(binomialAtMost(k, 10, 0.3)).toBe(k < 0 ? 0 : 1)
})

test('exact intervals are those of the tables', () => {
  // Clopper and Pearson: 0 of 10, 5 of 10, 1 of 20.
  expect(exactInterval(0, 10)).toEqual([0, expect.closeTo(0.30849710781876083, 10)])
  expect(exactInterval(5, 10)).toEqual([
    expect.closeTo(0.18708602844739855, 10),
    expect.closeTo(0.8129139715526015, 10),
  ])
  expect(exactInterval(10, 10)).toEqual([expect.closeTo(1 - 0.30849710781876083, 10), 1])
})

test('an interval of pass and fail contains the difference, and excludes zero if its test is below five percent', () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.nat({ max: 40 }), (wins, losses, ties) => {
      const n = wins + losses + ties
      fc.pre(n > 0)
      const values = [...Array(wins).fill([0, 1]), ...Array(losses).fill([1, 0]), ...Array(ties).fill([1, 1])]
      const [baseline, candidate] = [values.map(([one]) => one), values.map(([, one]) => one)]
      const found = comparePairs({ isBinary: true, isHigherBetter: true, baseline, candidate })
      const [low, high] = found.interval as [number, number]
      expect(found).toMatchObject({
        n,
        wins,
        losses,
        ties,
        test: 'sign',
        difference: expect.closeTo((wins - losses) / n, 12),
      })
      expect(low).toBeLessThanOrEqual((wins - losses) / n)
      expect(high).toBeGreaterThanOrEqual((wins - losses) / n)
      if (found.p_value < 0.05) expect(low > 0 || high < 0).toBe(true)
    }),
  )
})

test.each([
  [12, 0.95],
  [50, 0.2],
  [500, 0.2],
])('of %i cases of which each is lost with %f, 95 % intervals contain that nearly 95 times in 100', (n, lost) => {
  const baseline = Array<number>(n).fill(1)
  let probability = 0
  for (let losses = 0; losses <= n; losses++) {
    const candidate = baseline.map((_, at) => (at < losses ? 0 : 1))
    const { interval } = comparePairs({ isBinary: true, isHigherBetter: true, baseline, candidate })
    const [low, high] = interval as [number, number]
    const chance = binomialAtMost(losses, n, lost) - binomialAtMost(losses - 1, n, lost)
    if (low <= -lost && -lost <= high) probability += chance
  }
  expect(probability).toBeGreaterThan(0.93)
})

test('a permutation test of few differences counts all signs', () => {
  expect(signFlipTest(Float64Array.of(1, 2, 3))).toBe(0.25)
  expect(signFlipTest(Float64Array.of(1, -1, 0))).toBe(1)
  expect(signFlipTest(Float64Array.of(0, 0))).toBe(1)
  expect(signFlipTest(Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))).toBe(2 / 64)
})

/** Normal numbers from a fixed sequence. */
function normals(count: number, mean: number): Float64Array {
  let state = 1
  const uniform = (): number => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
  return Float64Array.from(
    { length: count },
    () => mean + Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  )
}

test('a bootstrap of many normal differences is near the interval by formula, and always the same', () => {
  const values = normals(2_000, 0.05)
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (values.length - 1))
  const half = (1.96 * deviation) / Math.sqrt(values.length)
  const [low, high] = bootstrapInterval(values)
  expect(low).toBeGreaterThan(mean - half * 1.1)
  expect(low).toBeLessThan(mean - half * 0.9)
  expect(high).toBeGreaterThan(mean + half * 0.9)
  expect(high).toBeLessThan(mean + half * 1.1)
  expect(bootstrapInterval(values)).toEqual([low, high])
})

test('a random permutation test is near the normal test', () => {
  const values = normals(1_000, 0.06)
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const z = (mean / Math.sqrt(values.reduce((sum, one) => sum + one ** 2, 0))) * values.length
  // Two-sided normal tails at 1.5, 2 and 2.5 are 0.134, 0.0455 and 0.0124: the test lies between those around it.
  const tail = (at: number): number => 2 * (1 - normalBelow(at))
  expect(Math.abs(signFlipTest(values) - tail(Math.abs(z)))).toBeLessThan(0.03)
})

/** The normal distribution by numeric integration. */
function normalBelow(at: number): number {
  const steps = 10_000
  let sum = 0
  for (let k = 0; k < steps; k++) sum += Math.exp(-0.5 * (((k + 0.5) * at) / steps) ** 2)
  return 0.5 + (sum * at) / steps / Math.sqrt(2 * Math.PI)
}

test('the normal distribution takes over where it is near the random signs, and not where one value decides', () => {
  // 3 of 4 values are 1, the others -1: a sum of n / 2 whose deviation is the root of n.
  const signs = (n: number): Float64Array => Float64Array.from({ length: n }, (_, at) => (at % 4 === 0 ? -1 : 1))
  // At 8 the bound, since no random signs would be so far; at 20 twice the tail of the normal distribution.
  expect(signFlipTest(signs(256))).toBeCloseTo(2 * Math.exp(-32), 20)
  expect(signFlipTest(signs(1_600))).toBeCloseTo(5.507e-89, 92)
  const even = Float64Array.from({ length: 5_000 }, (_, at) => (at % 2 ? 1 : -1) + 0.0277185)
  // At 1.96.
  expect(signFlipTest(even)).toBeCloseTo(0.05, 3)
  // The sign of one value decides, and those of the others whether the sum is still larger: as often as not.
  const one = Float64Array.from({ length: 5_000 }, (_, at) => (at === 0 ? 1e6 : at % 2 ? 1 : -1))
  expect(Math.abs(signFlipTest(one) - 0.5)).toBeLessThan(0.05)
})

test('a difference in many cases is certain among many scores, also where a few cases are far from the others', () => {
  // As durations are: nine in ten cases take a little longer, and one in a hundred a hundred times as much.
  const differences = Float64Array.from({ length: 4_000 }, (_, n) => (n % 100 === 0 ? 50 : n % 10 === 0 ? -1 : 1))
  // Of 128 scores and runs, which is the most that are compared at once.
  expect(signFlipTest(differences) * 128).toBeLessThan(0.05)
  const even = Float64Array.from(differences, (one, n) => (Math.floor(n / 100) % 2 === 0 ? one : -one))
  expect(signFlipTest(even)).toBe(1)
})

test('the interval of a mean does not depend on whether groups are drawn', () => {
  const values = Float64Array.from({ length: 10_000 }, (_, at) => ((at * 7_919) % 10_007) / 10_007)
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const half = (1.96 * Math.sqrt(1 / 12)) / Math.sqrt(values.length)
  const [low, high] = bootstrapInterval(values)
  expect(Math.abs(low - (mean - half))).toBeLessThan(half * 0.1)
  expect(Math.abs(high - (mean + half))).toBeLessThan(half * 0.1)
})

test("Holm's correction, by hand", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005]).map(one => Number(one.toFixed(10)))).toEqual([0.03, 0.06, 0.06, 0.02])
  expect(holm([0.9, 0.8])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})

test('shares of repeats are tested by their signs, with an interval of their mean', () => {
  const candidate = Array.from({ length: 100 }, (_, n) => (n % 2 ? 0.75 : 0.5))
  const baseline = candidate.map(() => 0.5)
  const found = comparePairs({ isBinary: true, isHigherBetter: true, baseline, candidate })
  expect(found).toMatchObject({ n: 100, wins: 50, ties: 50, difference: 0.125, test: 'sign' })
  const [low, high] = found.interval ?? []
  expect([low, high]).toEqual([expect.closeTo(0.1, 1), expect.closeTo(0.15, 1)])
  expect(low).toBeLessThan(0.125)
  expect(high).toBeLessThan(0.16)
})

test.each<[string, number[], number]>([
  ['one difference', [1], 5],
  ['three equal ones', [1, 1, 1], 3],
  ['two that hardly differ, and as many cases without', [0.9, 1.1, 0, 0], 8],
  ['enough', [1, 1, 1, 1, 1, 1], 0],
])('so few cases show nothing, however equal they are: %s', (_name, candidate, cases_needed) => {
  const baseline = candidate.map(() => 0)
  expect(comparePairs({ isBinary: false, isHigherBetter: true, baseline, candidate })).toMatchObject({ cases_needed })
  const passes = candidate.map(one => Number(one > 0))
  const shares = comparePairs({ isBinary: true, isHigherBetter: true, baseline, candidate: passes })
  expect(shares.cases_needed).toBeGreaterThanOrEqual(cases_needed)
})

test('cases that are needed follow from the spread', () => {
  const baseline = Array(100).fill(0)
  const candidate = Array.from({ length: 100 }, (_, n) => (n % 2 ? 1.1 : -1))
  const found = comparePairs({ isBinary: false, isHigherBetter: true, baseline, candidate })
  // (1.96 + 0.84)^2 * 1.1136 / 0.05^2 = 3,497
  expect(found.cases_needed).toBeGreaterThan(3_300)
  expect(found.cases_needed).toBeLessThan(3_500)
  expect(comparePairs({ isBinary: false, isHigherBetter: true, baseline: [1], candidate: [1] })).not.toHaveProperty(
    'cases_needed',
  )
})
