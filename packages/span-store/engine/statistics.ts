import type { Json, JsonObject } from '@spanhouse/model'
import {
  binBounds,
  type Frequencies,
  type HistogramRow,
  type Measure,
  type MeasureRows,
  type NumbersRow,
  PERCENTILES,
  type Runs,
  type Spec,
} from '@spanhouse/query'

export type Statistics = JsonObject & { type: Measure; count: number }

/** How a histogram was asked for. */
type Edges = Pick<Spec, 'edge'>

/** How a measure is read: the number of its values, and its other members if there are any. */
interface Reader<Row> {
  countOf(row: Row): number
  membersOf(row: Row, spec: Edges): JsonObject
}

/** How many values were measured; costs next to nothing. */
export const countOf = (measure: Measure, row: unknown): number => READERS[measure].countOf(row as never)

/** The selected values of a measure in the form that the interface returns; undefined if there were no values. */
export function statisticsOf(measure: Measure, row: unknown, spec: Edges): Statistics | undefined {
  const count = countOf(measure, row)
  return count === 0 ? undefined : { type: measure, count, ...READERS[measure].membersOf(row as never, spec) }
}

const countOfNumbers = ([, count]: readonly [sum: number | null, count: number, ...unknown[]]): number => count
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

const CATEGORIES: Reader<Frequencies> = {
  countOf: ([, counts, count = sumOf(counts)]) => count,
  membersOf: ([values, counts, count]) => frequenciesOf(values, counts, count),
}
const COUNT: Reader<number> = { countOf: count => count, membersOf: () => ({}) }

const READERS: { readonly [M in Measure]: Reader<MeasureRows[M]> } = {
  'numeric/continuous': {
    countOf: countOfNumbers,
    membersOf: ([sum, count, min, max, percentiles, histogram], spec) => ({
      ...numberStatistics([sum, count, min, max, percentiles]),
      hist: histogramOf(histogram, count, spec.edge),
    }),
  },
  'numeric/discrete': {
    countOf: countOfNumbers,
    membersOf: ([sum, count, min, max, percentiles, runs]) => ({
      ...numberStatistics([sum, count, min, max, percentiles]),
      ...frequenciesOf(runs[0], lengthsOf(runs)),
    }),
  },
  binary: {
    countOf: sumOf,
    membersOf: ([yes, no]) => {
      const of = (value: boolean, count: number) => ({ value, count, density: densityOf(count, yes + no) })
      return { freq: [of(true, yes), of(false, no)], uniq: [true, false] }
    },
  },
  'categorical/single': CATEGORIES,
  'categorical/multiple': CATEGORIES,
  string: COUNT,
  json: COUNT,
}

/** By descending count, then ascending value. */
function frequenciesOf<V extends string | number>(
  values: readonly V[],
  counts: readonly number[],
  count = sumOf(counts),
): JsonObject {
  const freq = values
    .map((value, index) => ({ value, count: counts[index] as number }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .map(one => ({ ...one, density: densityOf(one.count, count) }))
  return { freq, uniq: freq.map(({ value }) => value) }
}

/** The number of values in each run. */
const lengthsOf = ([, ends]: Runs<number>): number[] => ends.map((end, index) => end - (ends[index - 1] ?? 0))

/** A share rounded to five decimals. */
const densityOf = (count: number, of: number): number => Math.round((count / of) * 1e5) / 1e5

/** `p00.05`, `p12.5`, `p50`: hundredths of a percent, as named by the interface. */
const PERCENTILE_NAMES = PERCENTILES.map(percentile => {
  const [whole = '', fraction] = String(percentile / 100).split('.')
  return `p${whole.padStart(2, '0')}${fraction === undefined ? '' : `.${fraction}`}`
})

const indexOf = (percentile: (typeof PERCENTILES)[number]): number => PERCENTILES.indexOf(percentile)

/** The ranges between percentiles: the suffix after `iqr` and `psc`, and both ends. */
const SPREADS = (
  [
    ['25', 3750, 6250],
    ['50', 2500, 7500],
    ['75', 1250, 8750],
    ['80', 1000, 9000],
    ['90', 500, 9500],
    ['95', 250, 9750],
    ['99', 50, 9950],
    ['99.9', 5, 9995],
  ] as const
).map(([name, low, high]) => ({ iqr: `iqr${name}`, psc: `psc${name}`, low: indexOf(low), high: indexOf(high) }))

/**
 * An object with these members, to be copied and filled. To add so many to an empty object, one by one, and to write
 * that as JSON takes V8 half as much time again.
 */
const shapeOf = (names: readonly string[]): JsonObject => Object.fromEntries(names.map(name => [name, null]))

const PCTS = shapeOf(PERCENTILE_NAMES)
const IQRS = shapeOf(SPREADS.map(({ iqr }) => iqr))
const PSCS = shapeOf(SPREADS.map(({ psc }) => psc))

/** The powers of ten that a number represents exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/**
 * The number rounded to fifteen digits, without the rounding errors of the last operations: 2.7, not
 * 2.6999999999999997. Uses arithmetic where the result is the same, in a twentieth of the time of `toPrecision`. Null if
 * it is outside the range of numbers, as the distance between the least and the greatest number is.
 */
function tidy(value: number): number | null {
  if (Number.isInteger(value)) return value
  if (!Number.isFinite(value)) return null
  const power = POWERS[14 - Math.floor(Math.log10(Math.abs(value)))] ?? Number.NaN
  const digits = Math.round(value * power)
  // Just below a power of ten the logarithm may be rounded up to that of the power.
  const areFifteen = Math.abs(digits) > 1e14 && Math.abs(digits) < 1e15
  const isExact = areFifteen && Math.abs(value * power - digits) < 0.4
  return isExact ? digits / power : Number(value.toPrecision(15))
}

/**
 * Loops, since analytics by hour have thousands of these: objects made of lists of entries take three times as long.
 */
function numberStatistics([sum, count, min, max, percentiles]: NumbersRow): JsonObject {
  const areEqual = percentiles.length === 0
  const at = (index: number): number => (areEqual ? min : (percentiles[index] ?? Number.NaN))
  const pcts = { ...PCTS }
  for (const [index, name] of PERCENTILE_NAMES.entries()) pcts[name] = tidy(at(index))
  const iqrs = { ...IQRS }
  for (const { iqr, low, high } of SPREADS) iqrs[iqr] = tidy(at(high) - at(low))
  const statistics: JsonObject = { min, max, range: tidy(max - min), pcts, iqrs }
  const median = at(MEDIAN)
  if (isComparable(at(FIRST), median, at(LAST))) {
    const pscs = { ...PSCS }
    for (const { psc, low, high } of SPREADS) pscs[psc] = median === 0 ? 0 : tidy((at(high) - at(low)) / median)
    statistics.pscs = pscs
  }
  return sum === null ? statistics : { sum: tidy(sum), mean: tidy(sum / count), ...statistics }
}

const [FIRST, MEDIAN, LAST] = [indexOf(100), indexOf(5000), indexOf(9900)]

/**
 * Whether spreads relative to the median are meaningful: the median must not be tiny compared with the ends, and the
 * ends must have the same sign.
 */
function isComparable(low: number, median: number, high: number): boolean {
  if (low * high < 0) return false
  return Math.abs(median) >= Math.abs(high) / 100 && Math.abs(median) >= Math.abs(low) / 100
}

/** Every bin, including empty ones. */
function histogramOf(row: HistogramRow, count: number, edge: boolean): Json {
  const [, , bins, [places, ends]] = row
  const bounds = binBounds(row, edge).map(tidy)
  const histogram: Json[] = []
  let [run, counted] = [0, 0]
  for (let bin = 0; bin < bins; bin++) {
    const upTo = places[run] === bin ? (ends[run++] as number) : counted
    const inBin = upTo - counted
    counted = upTo
    const interval = [bounds[bin] as number | null, bounds[bin + 1] as number | null]
    histogram.push({ bin: bin + 1, count: inBin, interval, density: densityOf(inBin, count) })
  }
  return histogram
}
