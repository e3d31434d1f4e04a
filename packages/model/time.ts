import { isRawJson } from './json/json.ts'

/** A point in time: whole microseconds since 1970-01-01T00:00:00Z. Exact in a JavaScript number up to the year 2255. */
export type Micros = number

/** The last time that can be stored: 2255-01-01T00:00:00Z, below 2^53 microseconds. */
export const MICROS_MAX: Micros = Date.UTC(2255, 0, 1) * 1000

/** Between the clock of the machine and the one below; a preempted thread reads them at different times. */
const DEVIATION_MS_MAX = 50

/** In milliseconds since 1970. */
let origin = performance.timeOrigin

/** By how much {@link moveClock} has moved the clock. */
let moved: Micros = 0

/**
 * The present by the clock of the machine, which has milliseconds, with the microseconds of the monotonic clock. The
 * latter stands still while the machine sleeps or is moved, and does not know when the other one is set.
 */
export function microsNow(): Micros {
  const elapsed = performance.now()
  const present = Date.now()
  if (Math.abs(present - (origin + elapsed)) > DEVIATION_MS_MAX) origin = present - elapsed
  return Math.round((origin + elapsed) * 1000) + moved
}

/** The last time that {@link acceptedNow} gave, and when, by the monotonic clock. */
let latest: Micros = 0
let latestMs = 0

/** The last of those that were ahead of the present. */
let latestAhead: Micros = 0

/** While they are ahead, they advance by one microsecond in this many. */
const SLOWDOWN = 2

/**
 * The time of what is accepted now, later than all that this thread accepted before: of two versions of a span the one
 * accepted later wins. It is the present, unless the clock of the machine was set back since: then it goes on slowly
 * until the present has caught up.
 */
export function acceptedNow(): Micros {
  const now = microsNow()
  latest = Math.max(now, slowly(), latest + 1)
  latestMs = performance.now()
  if (latest > now) latestAhead = latest
  return latest
}

/** How long ago {@link acceptedNow} gave this time; up to twice as long if that was ahead of the present. */
export function acceptedAgo(time: Micros): Micros {
  const passed = Math.max(microsNow(), slowly()) - time
  return time > latestAhead ? passed : passed * SLOWDOWN
}

const slowly = (): Micros => latest + Math.round(((performance.now() - latestMs) * 1000) / SLOWDOWN)

/** Moves what {@link microsNow} returns in this thread from now on, and {@link acceptedNow} with it, also back. */
export function moveClock(micros: Micros): void {
  moved += micros
  latest = 0
}

/** ISO 8601 in UTC with suffix `Z`; the fraction has six digits and is omitted if zero. */
export function microsToIso(micros: Micros): string {
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000
  const whole = new Date((micros - fraction) / 1000).toISOString().slice(0, 19)
  return fraction === 0 ? `${whole}Z` : `${whole}.${String(fraction).padStart(6, '0')}Z`
}

/**
 * The numbers of digits of an integer time, which determine its unit: seconds, milliseconds, microseconds, nanoseconds.
 */
const DIGITS: ReadonlySet<number> = new Set([10, 13, 16, 19])

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** No time is longer, including surrounding white space. */
const TEXT_LENGTH_MAX = 100

/**
 * A time as the interface accepts it: ISO 8601 text (UTC if there is no zone), or an integer of 10, 13, 16 or 19
 * digits, also as text, bigint or raw JSON, meaning seconds, milliseconds, microseconds or nanoseconds. Digits below a
 * microsecond are truncated. Null if it is neither or out of range.
 */
export function parseTime(value: unknown): Micros | null {
  const micros = parseTimeOfAnyYear(value)
  return micros !== null && micros === nearestTime(micros) ? micros : null
}

/** Like {@link parseTime}, also out of range, and then exact only to the precision of a number. */
export function parseTimeOfAnyYear(value: unknown): Micros | null {
  const text = textOf(value)
  if (text === null) return null
  if (!/^\d+$/.test(text)) return typeof value === 'string' ? isoTime(text) : null
  return DIGITS.has(text.length) ? unixTime(text) : null
}

/**
 * Like {@link parseTime}; a time out of range is the nearest one in it, as for a filter or a limit that is never
 * reached.
 */
export function parseNearestTime(value: unknown): Micros | null {
  const micros = parseTimeOfAnyYear(value)
  return micros === null ? null : nearestTime(micros)
}

/** The nearest time that can be stored. */
const nearestTime = (micros: Micros): Micros => Math.min(Math.max(micros, 0), MICROS_MAX)

/**
 * A time as the bound of a window: like {@link parseTime}, or any Unix number, including fractions: seconds up to 2e10,
 * above that milli-, micro- or nanoseconds. A time before 1970 or after {@link MICROS_MAX} is the nearest of the two:
 * nothing is stored beyond them, and callers write 9999-12-31 for a window without an end.
 */
export function parseWindowTime(value: unknown): Micros | null {
  const text = textOf(value)
  if (text === null) return null
  const isUnix = typeof value !== 'string' || /^\d+(\.\d*)?$/.test(text)
  const micros = isUnix ? unixTime(text) : isoTime(text)
  return micros === null ? null : nearestTime(micros)
}

function textOf(value: unknown): string | null {
  const written = isRawJson(value) ? value.rawJSON : value
  if (typeof written === 'number' || typeof written === 'bigint') return String(written)
  return typeof written === 'string' && written.length <= TEXT_LENGTH_MAX ? written.trim() : null
}

/** Maximum digits of a Unix number before and after the point: more carry no information about a time. */
const UNIX_LENGTH_MAX = 40
const SECONDS_MAX = 2e10

/** Microseconds, also out of range. */
function unixTime(written: string): number | null {
  if (written.length > UNIX_LENGTH_MAX || !Number.isFinite(Number(written))) return null
  let power = 6
  for (let size = Number(written); size > SECONDS_MAX && power >= -3; size /= 1000) power -= 3
  if (power < -3) return null
  const isNanos = power === -3 && /^\d+$/.test(written)
  return isNanos ? Number(BigInt(written) / 1000n) : Math.round(Number(written) * 10 ** power)
}

/** Microseconds, also out of range. */
function isoTime(text: string): number | null {
  const match = ISO.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : normalOffset(zone)
  const millis = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  if (Number.isNaN(millis) || !isCalendarDay(Number(year), Number(month), Number(day))) return null
  return millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const normalOffset = (zone: string): string => {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** `Date.parse` rolls 30 February over into March. */
const isCalendarDay = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
