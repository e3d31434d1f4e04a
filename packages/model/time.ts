/** A point in time: whole microseconds since 1970-01-01T00:00:00Z. Exact in a JavaScript number up to the year 2255. */
export type Micros = number

/** The last time that can be stored: 2255-01-01T00:00:00Z, below 2^53 microseconds. */
export const MICROS_MAX: Micros = Date.UTC(2255, 0, 1) * 1000

export const microsNow = (): Micros => Math.round((performance.timeOrigin + performance.now()) * 1000)

/** ISO 8601 in UTC with suffix `Z`; the fraction has six digits and is left out when zero. */
export function microsToIso(micros: Micros): string {
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000
  const whole = new Date((micros - fraction) / 1000).toISOString().slice(0, 19)
  return fraction === 0 ? `${whole}Z` : `${whole}.${String(fraction).padStart(6, '0')}Z`
}

/** How many microseconds one unit is, by the number of digits of an integer time: seconds, ms, µs, ns. */
const MICROS_PER_UNIT_BY_DIGITS: Record<number, number> = { 10: 1e6, 13: 1e3, 16: 1, 19: 1e-3 }

/** Has twenty digits, one more than any time. */
const BIGGEST_TIME = 10n ** 19n

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** No time takes more, with white space around it. */
const TEXT_LENGTH_MAX = 100

/**
 * A time as the interface accepts it: ISO 8601 text (no zone means UTC), or an integer of 10, 13, 16 or 19 digits,
 * also as text or bigint, meaning seconds, milliseconds, microseconds or nanoseconds. Digits below a microsecond are
 * cut off. Null when it is neither or out of range.
 */
export function parseTime(value: unknown): Micros | null {
  if (typeof value === 'bigint') return value >= 0n && value < BIGGEST_TIME ? integerTime(value.toString()) : null
  if (typeof value === 'number') return Number.isInteger(value) ? integerTime(String(value)) : null
  if (typeof value !== 'string') return null
  if (value.length > TEXT_LENGTH_MAX) return null
  const text = value.trim()
  return /^\d+$/.test(text) ? integerTime(text) : isoTime(text)
}

function integerTime(digits: string): Micros | null {
  const unit = MICROS_PER_UNIT_BY_DIGITS[digits.length]
  if (unit === undefined) return null
  return inRange(unit < 1 ? Number(BigInt(digits) / 1000n) : Number(digits) * unit)
}

function isoTime(text: string): Micros | null {
  const match = ISO.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : normalOffset(zone)
  const millis = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  if (Number.isNaN(millis) || !isCalendarDay(Number(year), Number(month), Number(day))) return null
  return inRange(millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)))
}

const normalOffset = (zone: string): string => {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** `Date.parse` rolls 30 February over into March. */
const isCalendarDay = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day

const inRange = (micros: number): Micros | null => (micros >= 0 && micros <= MICROS_MAX ? micros : null)
