/** What is shown where there is no value; never a zero. */
export const MISSING = '–'

const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const two = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `843 µs`, `12.4 ms`, `1.24 s`, `2 m 05 s`, `3 h 20 m`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined) return MISSING
  if (ms < 0.9995) return `${three.format(Math.round(ms * 1000))} µs`
  if (ms < 999.5) return `${three.format(ms)} ms`
  if (ms < 59_995) return `${three.format(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`
  const minutes = Math.round(seconds / 60)
  return `${grouped.format(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, '0')} m`
}

/** {@link formatDuration} for those who hear it: `1.24 seconds`, `2 minutes 05 seconds`. */
export const spokenDuration = (ms: number | undefined): string =>
  formatDuration(ms).replace(/(?<= )(?:µs|ms|s|m|h)(?= |$)/g, unit => SPOKEN_UNITS[unit] ?? unit)

const SPOKEN_UNITS: Readonly<Record<string, string>> = {
  µs: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
}

/**
 * `$1.8e-7`, `$0.0034`, `$1.25`, `$1,204`, `$1.2M`: enough digits to tell amounts apart, and few enough for a column.
 */
export function formatCost(usd: number | undefined): string {
  if (usd === undefined || usd === 0) return MISSING
  if (usd < 0) return `−${formatCost(-usd)}`
  if (usd >= 1_000_000) return `$${compact.format(usd)}`
  if (usd >= 100) return `$${grouped.format(usd)}`
  if (usd >= 0.1) return `$${usd.toFixed(2)}`
  return `$${usd < 1e-5 ? usd.toExponential(1) : two.format(usd)}`
}

/** `12,431`, and `1.2M` from a million on. */
export function formatCount(count: number | undefined): string {
  if (count === undefined) return MISSING
  return Math.abs(count) >= 1_000_000 ? compact.format(count) : grouped.format(count)
}

/** `1 row`, `12,431 rows`: of a word whose plural has an s. */
export const formatNumberOf = (count: number, word: string): string =>
  `${formatCount(count)} ${count === 1 ? word : `${word}s`}`

/** As {@link formatCount} for an amount of which zero means none. */
export const formatAmount = (amount: number | undefined): string => formatCount(amount === 0 ? undefined : amount)

/** All digits, for titles. */
export const exact = (amount: number | undefined): string | undefined =>
  amount === undefined || amount === 0 ? undefined : String(amount)

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const dayOfYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric' })
const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const minute = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** A day of another year that is nearer is not taken for one of this year. */
const HALF_A_YEAR_MS = 182 * 86_400_000

/** `14:03:22` today, `Nov 3 14:03` in this year and not long before or after it, otherwise `Nov 3, 2025`. */
export function formatTime(iso: string, now = Date.now()): string {
  const date = new Date(iso)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return time.format(date)
  const isNear = Math.abs(date.getTime() - now) < HALF_A_YEAR_MS
  if (date.getFullYear() !== today.getFullYear() && !isNear) return dayOfYear.format(date)
  return `${day.format(date)} ${minute.format(date)}`
}

/** A bound of a window: `Nov 3, 14:03`, or `Nov 3, 2025, 14:03` in another year. */
export function formatMinute(iso: string): string {
  const date = new Date(iso)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  return `${(isThisYear ? day : dayOfYear).format(date)}, ${minute.format(date)}`
}

// Making one takes as long as formatting fifty times.
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** With all digits and the zone. */
export const formatFullTime = (iso: string): string => `${full.format(new Date(iso))} (${iso})`

/**
 * Bidirectional controls, which can make a text look like another one, and characters that are nothing at all become
 * visible; everything else stays as it is.
 */
export const visible = (text: string): string =>
  text
    .toWellFormed()
    .replace(HIDDEN, character => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`)

/** The name of a span, or so much of it; one of which nothing is seen would be a row with nothing to click. */
export function spanName(name = '', charactersMax = Number.POSITIVE_INFINITY): string {
  const shown = visible(name)
  return UNSEEN.test(shown) ? '(no name)' : shown.slice(0, charactersMax)
}

const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u
const HIDDEN = /(?![\t\n\r])[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu

/** A score: three digits that count; one that is too large or too small to be read so has an exponent. */
export function formatScore(value: number): string {
  const size = Math.abs(value)
  return size !== 0 && (size < 1e-6 || size >= 1e15) ? value.toExponential(2) : three.format(value)
}

export const formatShare = (share: number): string => `${formatScore(share * 100)} %`

const BYTES = ['B', 'KB', 'MB', 'GB']

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < BYTES.length - 1) {
    value /= 1000
    unit++
  }
  return `${three.format(value)} ${BYTES[unit]}`
}
