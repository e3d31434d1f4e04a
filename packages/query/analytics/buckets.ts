import type { Micros } from '@spanhouse/model'
import { compileBounds } from '../page/bounds.ts'
import type { GivenWindowing } from '../page/windowing.ts'
import { int, type Sql, sql } from '../sql.ts'

/** A time range divided into buckets of equal length, the first of which begins at `oldest`. */
export interface Buckets {
  /** Inclusive. */
  readonly oldest: Micros
  /** Exclusive; the last bucket may extend beyond it. */
  readonly newest: Micros
  readonly intervalMinutes: number
  readonly count: number
}

const BUCKETS_MAX = 1024

const MINUTE_MICROS = 60_000_000
const HOUR = 60
const DAY = 24 * HOUR
const DAY_MICROS = DAY * MINUTE_MICROS
const RANGE_DEFAULT_MICROS = 30 * DAY_MICROS

/** In minutes: the substitutes for an interval that makes more than {@link BUCKETS_MAX} buckets. */
const INTERVALS = [1, 5, 15, 30, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY, 30 * DAY]

/**
 * The buckets of a windowing. By default the range ends at the next midnight (UTC) and is 30 days long, and without an
 * interval there is one bucket.
 */
export function bucketsOf(windowing: GivenWindowing, now: Micros): Buckets {
  const newest = windowing.newest ?? (Math.floor(now / DAY_MICROS) + 1) * DAY_MICROS
  const isRange = windowing.oldest !== undefined && windowing.oldest < newest
  const oldest = isRange ? (windowing.oldest as Micros) : newest - RANGE_DEFAULT_MICROS
  const minutes = Math.ceil((newest - oldest) / MINUTE_MICROS)
  const fits = (interval: number): boolean => Math.ceil(minutes / interval) <= BUCKETS_MAX
  const asked = windowing.interval ?? minutes
  const intervalMinutes = fits(asked) ? asked : (INTERVALS.find(fits) ?? minutes)
  return { oldest, newest, intervalMinutes, count: Math.ceil(minutes / intervalMinutes) }
}

/** The start of a bucket. */
export const bucketStart = ({ oldest, intervalMinutes }: Buckets, index: number): Micros =>
  oldest + index * intervalMinutes * MINUTE_MICROS

/** The index of the bucket that contains a row's start. A single bucket needs no start times. */
export const compileBucket = ({ oldest, intervalMinutes, count }: Buckets): Sql =>
  count === 1
    ? sql`toInt64(0)`
    : sql`intDiv(toUnixTimestamp64Micro(start_time) - ${int(oldest)}, ${int(intervalMinutes * MINUTE_MICROS)})`

/** The windowing that selects the rows of all buckets. */
export const windowingOf = ({ oldest, newest }: Buckets, rate: number | undefined) =>
  ({ order: 'descending', oldest, newest, ...(rate === undefined ? {} : { rate }) }) as const

/** The same windowing as conditions on spans. */
export const compileRange = (buckets: Buckets, rate: number | undefined): Sql[] =>
  compileBounds(windowingOf(buckets, rate), 'span')
