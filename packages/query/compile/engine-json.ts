import { hasDigitRun, isJsonObject, isRawJson, type Json, type RawJson } from '@spanhouse/model'
import { type Sql, sql, text, texts } from '../sql.ts'

/**
 * Attributes are JSON text, and the engine's `JSONExtractRaw` writes every value in one form: no whitespace, `5.0` as
 * `5`, always the same escapes. So two scalars are equal as JSON (5 equals 5.0, "5" does not) if their texts are. The
 * operand passes through the same function instead of being written in that form here. An absent value is the empty
 * text.
 */
export const canonical = (value: Json): Sql => sql`JSONExtractRaw(${text(engineJson(value))})`

/** Several scalars as an array. */
export const canonicalList = (values: readonly Json[]): Sql =>
  sql`arrayMap(y -> JSONExtractRaw(y), ${texts(values.map(engineJson))})`

/** Several scalars as the right side of IN. */
export const canonicalSet = (values: readonly Json[]): Sql =>
  sql`(SELECT JSONExtractRaw(arrayJoin(${texts(values.map(engineJson))})))`

export const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null || isRawJson(value)

/** Integers that may exceed 64 bits, and the escape that `JSON.stringify` writes for half a surrogate pair. */
const MAYBE_LONG_DIGITS = 19
const HALF_PAIR = '\\ud'

/**
 * A value as JSON text that the engine can read; stored JSON must be written by this function too. The engine reads
 * nothing from a document with an integer beyond 64 bits or half a surrogate pair, both of which `JSON.stringify`
 * writes (1e20 as 21 digits). Such integers get the exponent `e0`, which makes them floating-point numbers without
 * losing a digit; halves of pairs become U+FFFD. The engine also reads no document nested more than 1,023 levels deep.
 */
export function engineJson(value: Json): string {
  const written = JSON.stringify(value)
  const isSuspicious = written.includes(HALF_PAIR) || hasDigitRun(written, MAYBE_LONG_DIGITS)
  return isSuspicious ? JSON.stringify(readable(value)) : written
}

function readable(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (isRawJson(value)) return readableInteger(BigInt(value.rawJSON))
  if (typeof value === 'number') return Number.isInteger(value) ? readableInteger(BigInt(value)) : value
  if (Array.isArray(value)) return value.map(readable)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), readable(member)]))
}

const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

/** Integers beyond the range of floating-point numbers become text. */
function readableInteger(integer: bigint): Json {
  const fits = integer >= INT64_MIN && integer <= UINT64_MAX
  if (!fits && !Number.isFinite(Number(integer))) return String(integer)
  return rawNumber(fits ? String(integer) : `${integer}e0`)
}

/** `JSON.rawJSON`; see the model's `Json`. */
export const rawNumber = (written: string): RawJson =>
  (JSON as unknown as { rawJSON: (written: string) => RawJson }).rawJSON(written)
