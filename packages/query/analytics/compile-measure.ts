import type { Words } from '../compile/attribute-columns.ts'
import { attributePlace, type Place, textOf } from '../compile/place.ts'
import { itemsIn, numberIn } from '../compile/written-json.ts'
import { aggregate, count, float, join, type Sql, sql, texts } from '../sql.ts'
import type { Histogram, Measure } from './analytics-spec.ts'

/*
 * A measure is one aggregate expression, a tuple, so that all measures of a request are computed in one pass over the
 * rows. Numbers are collected and sorted, and everything that depends on their order (percentiles, bins, frequencies)
 * is computed on the sorted array inside the engine: of a million numbers, only 27 percentiles and at most a thousand
 * bins leave it.
 *
 * Names are bound by `arrayMap((name, ..) -> body, [value], ..)[1]`. A lambda inside another must not refer to an array
 * that is bound outside of it: the engine would copy the array for each element.
 */

/** The percentiles of the interface, in hundredths of a percent: p00.05 is 5. */
export const PERCENTILES = [
  5, 10, 50, 100, 250, 500, 1000, 1250, 2000, 2500, 3000, 3750, 4000, 5000, 6000, 6250, 7000, 7500, 8000, 8750, 9000,
  9500, 9750, 9900, 9950, 9990, 9995,
] as const

/** Runs of equal values in a sorted array: the values, and the end of each run (counted from 1). */
export type Runs<T> = readonly [values: readonly T[], ends: readonly number[]]

/** The result of each measure as JSON. What is outside the range of numbers is null. */
export interface MeasureRows {
  'numeric/continuous': readonly [...NumbersRow, histogram: HistogramRow]
  'numeric/discrete': readonly [...NumbersRow, runs: Runs<number>]
  binary: readonly [yes: number, no: number]
  'categorical/single': Frequencies
  'categorical/multiple': Frequencies
  string: number
  json: number
}
/** `count` is how many there are in all, where not all values are listed. */
export type Frequencies = readonly [values: readonly string[], counts: readonly number[], count?: number]
/**
 * The last element has the values at each of {@link PERCENTILES}, interpolated linearly between neighbours; none if all
 * values are equal, as that of one scenario usually are.
 */
export type NumbersRow = readonly [
  sum: number | null,
  ...[count: number, min: number, max: number, percentiles: readonly (number | null)[]],
]
/** The runs are of bin indexes, from 0; values below `low` are in no bin. */
export type HistogramRow = readonly [low: number, high: number, bins: number, runs: Runs<number>]

/** A measure of the values at a path; without a path, of all attributes as one object. */
export function compileMeasure(measure: Measure, path: readonly string[] | undefined, histogram: Histogram): Sql {
  if (path === undefined)
    return measure === 'json' ? aggregate(sql`count`, sql``) : compileMeasure(measure, NOWHERE, histogram)
  return compileMeasureAt(measure, attributePlace(path, { texts: measure.startsWith('categorical') }), histogram)
}

/** The same of the values at a place. */
const compileMeasureAt = (measure: Measure, place: Place, histogram: Histogram): Sql =>
  MEASURES[measure](place, histogram)

/** The object of all attributes has no values of other types. */
const NOWHERE = ['']

const MEASURES: Record<Measure, (place: Place, histogram: Histogram) => Sql> = {
  'numeric/continuous': (place, histogram) => numbers(place, sql`${binned(histogram)}`),
  'numeric/discrete': place => numbers(place, runsOf(sql`sorted`, sql`nan`)),
  binary: ({ json }) => sql`tuple(${countIf(sql`${json} = 'true'`)}, ${countIf(sql`${json} = 'false'`)})`,
  'categorical/single': place =>
    place.column?.type === 'text' && place.column.words
      ? wordCounts(place.column.words)
      : aggregate(sql`sumMapIf`, sql`[${textOf(place)}], [toUInt64(1)], ${isString(place)}`),
  'categorical/multiple': ({ json }) => {
    const members = sql`arrayMap(x -> JSONExtractString(x), arrayFilter(x -> startsWith(x, '"'), ${itemsIn(json)}))`
    const ones = sql`arrayWithConstant(length(${members}), toUInt64(1))`
    return aggregate(sql`sumMapIf`, sql`${members}, ${ones}, startsWith(${json}, '[')`)
  },
  string: place => countIf(isString(place)),
  json: ({ isObject }) => countIf(isObject),
}

/** The frequencies of the values of an enum, counted by their numbers: a map of texts takes ten times as long. */
function wordCounts({ values, number, isSet }: Words): Sql {
  const counts = aggregate(sql`countIfResample`, sql`${isSet}, ${number}`, sql`(0, ${count(values.length)}, 1)`)
  const frequencies = sql`tuple(arrayFilter((word, count) -> count > 0, ${texts(values)}, counts), arrayFilter(count -> count > 0, counts))`
  return sql`arrayMap(counts -> ${frequencies}, [${counts}])[1]`
}

const countIf = (condition: Sql): Sql => aggregate(sql`countIf`, condition)

const isString = ({ column, json, present }: Place): Sql =>
  column?.type === 'text' ? present : sql`startsWith(${json}, '"')`

/** What {@link PERCENTILES} are of 1. */
const LEVELS = sql`[0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.375, 0.4, 0.5, 0.6, 0.625, 0.7, 0.75, 0.8, 0.875, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 0.9995]`

/**
 * The percentiles of the array `sorted`: two elements for each, at its place and after it. `arrayReduceInRanges` picks
 * elements of an array that a lambda would copy; the engine's own quantiles select from the array as if it had no
 * order, which takes as long as sorting it.
 */
function percentiles(): Sql {
  const places = sql`arrayMap((level, count) -> level * (count - 1) + 1, ${LEVELS}, arrayWithConstant(${count(PERCENTILES.length)}, length(sorted)))`
  const pick = (place: Sql): Sql => sql`arrayReduceInRanges('any', arrayMap(place -> (${place}, 1), places), sorted)`
  const values = sql`arrayMap((place, one, next) -> one + place % 1 * (next - one), places, ${pick(sql`toUInt64(place)`)}, ${pick(sql`toUInt64(place) + 1`)})`
  return sql`arrayMap(places -> ${values}, [${places}])[1]`
}

/** Sum, count and percentiles, plus the expression `more` on the array `sorted`. Money is summed as decimals. */
function numbers(place: Place, more: Sql): Sql {
  const { sum, gathered } = gather(place)
  return sql`tupleConcat(tuple(${sum}), arrayMap(sorted -> ${numbersOf(more)}, [${gathered}])[1])`
}

/** The sum of the numbers at a place, and the sorted array of them. */
function gather(place: Place): { sum: Sql; gathered: Sql } {
  const { column, json, present } = place
  const sorted = (numbers: Sql): Sql => sql`arraySort(${numbers})`
  if (column?.type === 'number') {
    const sum = sql`toFloat64(${aggregate(sql`sumIf`, sql`${column.column}, ${present}`)})`
    return { sum, gathered: sorted(aggregate(sql`groupArrayIf`, sql`toFloat64(${column.column}), ${present}`)) }
  }
  // Aggregates pass over null.
  const value = numberIn(json)
  return { sum: aggregate(sql`sumKahan`, value), gathered: sorted(aggregate(sql`groupArray`, value)) }
}

/**
 * Numeric measures with the default histogram, as all measures that are asked for by default: everything that depends
 * on the order of the numbers is one expression for all of them, since the engine takes 10 ms to analyse it.
 */
export class SharedNumbers {
  readonly #gathered: Sql[] = []

  /** The same as `compileMeasure` of `numeric/continuous`, in a statement that begins with {@link prefix}. */
  add(path: readonly string[]): Sql {
    const { sum, gathered } = gather(attributePlace(path))
    this.#gathered.push(gathered)
    return sql`tupleConcat(tuple(${sum}), numbers[${count(this.#gathered.length)}])`
  }

  get prefix(): Sql {
    if (this.#gathered.length === 0) return sql``
    const more = binned({ edge: true })
    return sql`WITH arrayMap(sorted -> ${numbersOf(more)}, [${join(this.#gathered)}]) AS numbers `
  }
}

/** Count and percentiles of the array `sorted`, and the expression `more`. */
const numbersOf = (more: Sql): Sql =>
  sql`tuple(length(sorted), sorted[1], sorted[-1], if(sorted[1] = sorted[-1], [], ${percentiles()}), ${more})`

/** The rows of a numeric measure for each of many lists of numbers, given as an array of arrays. */
export function compileMeasuresOfLists(measure: 'numeric/continuous' | 'numeric/discrete', lists: Sql): Sql {
  const more = measure === 'numeric/continuous' ? binned({ edge: true }) : runsOf(sql`sorted`, sql`nan`)
  const row = sql`tupleConcat(tuple(arrayReduce('sumKahan', sorted)), ${numbersOf(more)})`
  return sql`arrayMap(sorted -> ${row}, arrayMap(list -> arraySort(list), ${lists}))`
}

/** The runs of a sorted array; `other` is a value that never follows an element. */
function runsOf(sorted: Sql, other: Sql): Sql {
  const next = sql`arrayShiftLeft(${sorted}, 1, ${other})`
  const values = sql`arrayFilter((one, after) -> one != after, ${sorted}, ${next})`
  const ends = sql`arrayFilter((at, one, after) -> one != after, arrayEnumerate(${sorted}), ${sorted}, ${next})`
  return sql`tuple(${values}, ${ends})`
}

/** The bins of the values in `sorted`. Their bounds are `low + (high - low) * k / bins`; see {@link binBounds}. */
function binned({ bins, vmin, vmax, edge }: Histogram): Sql {
  const asked = bins === undefined ? sql`ceil(sqrt(length(sorted)))` : sql`toFloat64(${count(bins)})`
  // There is no number for the bounds within a range that is so long.
  const isOne = sql`(sorted[1] = sorted[-1] OR low = high OR high - low > 1e300)`
  const result = sql`tuple(low, high, bins, ${runsInBins({ edge, isAbove: vmin === undefined })})`
  const low = vmin === undefined ? sql`sorted[1]` : sql`${float(vmin)}`
  const high = vmax === undefined ? sql`sorted[-1]` : sql`${float(vmax)}`
  // If one bound lies beyond all values, the default of the other is adjusted to it.
  const [from, to] = vmin === undefined ? [sql`least(${low}, ${high})`, high] : [low, sql`greatest(${low}, ${high})`]
  const counted = sql`arrayMap((sorted, low, high, bins) -> ${result}, [sorted], [low], [high], [if(${isOne}, 1., ${asked})])[1]`
  return sql`arrayMap((sorted, low, high) -> ${counted}, [sorted], [${from}], [${to}])[1]`
}

/**
 * The bin of each value, and the runs of these. For a value on a bound the division may be off by its last digit, so
 * the bin is corrected by comparing with the bounds. `isAbove`: no value is below `low`.
 *
 * One lambda, since each copies what it refers to for every value.
 */
function runsInBins({ edge, isAbove }: { edge: boolean; isAbove: boolean }): Sql {
  const bound = (k: Sql): Sql => (edge ? sql`low + (high - low) * ${k} / bins` : centredBound(k))
  const guess = edge
    ? sql`floor((value - low) * bins / (high - low))`
    : sql`floor((value - low) * (bins - 1) / (high - low) + 0.5)`
  const values = isAbove ? sql`sorted` : sql`arrayFilter(value -> value >= low, sorted)`
  const near = sql`(least(bins - 1, ${guess}) AS k)`
  const place = sql`least(bins - 1, ${near} - (value < ${bound(sql`k`)}) + (value >= ${bound(sql`(k + 1)`)}))`
  const found = sql`arrayMap(value -> toInt32(if(bins = 1, 0, ${place})), ${values})`
  return sql`arrayMap(places -> ${runsOf(sql`places`, sql`toInt32(-1)`)}, [${found}])[1]`
}

const centredBound = (k: Sql): Sql => sql`low + (high - low) * (${k} - 0.5) / (bins - 1)`

/** The bounds of the bins, one more than there are bins; computed by the same expressions as in the statement. */
export function binBounds([low, high, bins]: HistogramRow, edge: boolean): number[] {
  const bound = (k: number): number => {
    if (k === 0) return low
    if (k === bins) return high
    return edge ? low + ((high - low) * k) / bins : low + ((high - low) * (k - 0.5)) / (bins - 1)
  }
  return Array.from({ length: bins + 1 }, (_, k) => bound(k))
}
