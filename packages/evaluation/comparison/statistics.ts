import { signTest } from './binomial.ts'
import { bootstrapInterval, signFlipTest } from './resampling.ts'

/** Values of one score in two runs: at the same index those of the same case. */
export interface PairedValues {
  /** Whether values are 0 (fail) or 1 (pass), or shares of these of several repeats. */
  isBinary: boolean
  /** Whether a larger value is better. */
  isHigherBetter: boolean
  baseline: readonly number[]
  candidate: readonly number[]
}

/** What the pairs of one score say. */
export interface PairedStatistics {
  /** Cases with a value in both runs. */
  n: number
  baseline_mean?: number
  mean?: number
  /** The mean of candidate minus baseline, and its 95 % interval. */
  difference?: number
  interval?: [low: number, high: number]
  /** Cases in which the candidate is better, worse, and the same. */
  wins: number
  losses: number
  ties: number
  test: 'sign' | 'permutation'
  /** How probable a difference at least as large is by chance alone. */
  p_value: number
  /**
   * How many more cases like these would show a difference of this size four times in five; absent if there is none.
   */
  cases_needed?: number
}

/**
 * Pass and fail are compared by the exact sign test (McNemar's) and an interval for paired shares, other numbers by a
 * permutation test and a bootstrap interval, as is that of shares of repeats.
 */
export function comparePairs({ isBinary, isHigherBetter, baseline, candidate }: PairedValues): PairedStatistics {
  const differences = Float64Array.from(candidate, (value, index) => value - (baseline[index] as number))
  const n = differences.length
  const [higher, lower] = [countOf(differences, one => one > 0), countOf(differences, one => one < 0)]
  const [wins, losses] = isHigherBetter ? [higher, lower] : [lower, higher]
  const counts = { wins, losses, ties: n - wins - losses, test: isBinary ? 'sign' : 'permutation' } as const
  if (n === 0) return { n, ...counts, p_value: 1 }
  const difference = meanDifference(differences, { baseline, candidate })
  return {
    n,
    baseline_mean: meanOf(baseline),
    mean: meanOf(candidate),
    difference,
    interval:
      isBinary && differences.every(Number.isInteger)
        ? shareInterval(higher, lower, n)
        : bootstrapInterval(differences),
    ...counts,
    p_value: isBinary ? signTest(higher, lower) : signFlipTest(differences),
    ...casesNeeded(differences, difference),
  }
}

const countOf = (values: Float64Array, is: (value: number) => boolean): number =>
  values.reduce((count, value) => count + (is(value) ? 1 : 0), 0)

/** Differences of both signs whose sum is no more than the rounding of numbers cancel each other out. */
function meanDifference(
  differences: Float64Array,
  { baseline, candidate }: Pick<PairedValues, 'baseline' | 'candidate'>,
): number {
  const size = (index: number): number => Math.abs(baseline[index] as number) + Math.abs(candidate[index] as number)
  const rounding = differences.reduce(
    (sum, one, index) =>
      one === 0 ? sum : sum + size(index) * Number.EPSILON + Math.abs(one) * differences.length * Number.EPSILON,
    0,
  )
  const mean = meanOf(differences)
  return Math.abs(mean) * differences.length <= rounding ? 0 : mean
}

const meanOf = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] as number
  return sum / values.length
}

/** The normal quantiles of 97.5 % and 80 %. */
const [NORMAL_975, NORMAL_80] = [1.959964, 0.841621]

/**
 * The 95 % interval of the difference of two paired shares (D. G. Bonett and R. M. Price, "Adjusted Wald confidence
 * interval for a difference of binomial proportions based on paired data", 2012). It allows for the number of pairs
 * that differ being random, too, and excludes 0 whenever the sign test is below 5 %.
 */
function shareInterval(higher: number, lower: number, n: number): [number, number] {
  const [up, down] = [(higher + 1) / (n + 2), (lower + 1) / (n + 2)]
  const difference = up - down
  const half = NORMAL_975 * Math.sqrt((up + down - difference ** 2) / (n + 2))
  return [Math.max(-1, difference - half), Math.min(1, difference + half)]
}

/** Of a two-sided test at 5 % that finds the difference four times in five. */
const POWER = (NORMAL_975 + NORMAL_80) ** 2
/** Fewer differences cannot reach 5 % in either test, even if all are on one side: five of them have 2 / 2 ** 5. */
const DIFFERENCES_MIN = 6

function casesNeeded(differences: Float64Array, difference: number): { cases_needed?: number } {
  if (difference === 0) return {}
  const n = differences.length
  const squares = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0)
  const variance = n > 1 ? squares / (n - 1) : 0
  const differing = countOf(differences, one => one !== 0)
  const needed = Math.ceil(Math.max((POWER * variance) / difference ** 2, (DIFFERENCES_MIN * n) / differing))
  return Number.isSafeInteger(needed) ? { cases_needed: Math.max(0, needed - n) } : {}
}

/** Holm's correction: p-values such that all below 5 % hold together, however many were tested. */
export function holm(p_values: readonly number[]): number[] {
  const order = p_values.map((_, index) => index).sort((a, b) => (p_values[a] as number) - (p_values[b] as number))
  const adjusted = new Array<number>(p_values.length)
  let least = 0
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (p_values[index] as number) * (p_values.length - rank)))
    adjusted[index] = least
  }
  return adjusted
}
