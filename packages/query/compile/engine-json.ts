import { hasDigitRun, isJsonObject, isRawJson, type Json, type JsonObject, type RawJson } from '@spanhouse/model'
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

/** A value with a longer text is written in pieces. */
export const SHORT_TEXT_MAX = 64 * 1024
/** Whether a text is written in pieces. */
const isLongText = (text: string): boolean => text.length > SHORT_TEXT_MAX

/** Characters of a long text in a piece. */
const PIECE_LENGTH = 16 * 1024

/** The length of the longest text in a value at any depth, keys aside. */
export function longestText(value: Json): number {
  if (typeof value === 'string') return value.length
  let longest = 0
  if (Array.isArray(value)) {
    for (const one of value) longest = Math.max(longest, longestText(one))
  } else if (isJsonObject(value)) {
    // No list of the members: this is called for every value of every span.
    for (const key in value) longest = Math.max(longest, longestText(value[key] as Json))
  }
  return longest
}

/**
 * Whether to write a value in pieces ({@link putEngineJson}). In one piece `JSON.stringify` copies what it has written
 * until it is done, which takes three times as long for a text of megabytes.
 */
export const hasLongText = (value: Json): boolean => longestText(value) > SHORT_TEXT_MAX

/** What the JSON text of a value with long texts is made of, in their order. */
export interface JsonParts {
  /** A part of the JSON text: brackets, commas and keys. */
  put(text: string): void
  /** The JSON text of a whole value without a long text. */
  putShort(json: string): void
  /** A long text, which is well-formed and not JSON yet. */
  putLong(text: string): void
}

/**
 * Puts the text of {@link engineJson} in pieces, each of which is short if the value's keys and short texts are. A generator
 * would pass each piece through all levels that it is in.
 */
export function putEngineJson(value: Json, put: (text: string) => void): void {
  const putLong = (text: string): void => {
    put('"')
    for (const piece of jsonPieces(text)) put(piece)
    put('"')
  }
  putJsonParts(value, { put, putShort: put, putLong })
}

/** The same, with long texts left to the receiver. */
export function putJsonParts(value: Json, parts: JsonParts): void {
  const containers = new Set<Json>()
  addContainers(value, containers)
  putValue(value, containers, parts)
}

/** Adds the lists and objects with a long text at any depth. Each value is looked at once, however deep it is. */
function addContainers(value: Json, containers: Set<Json>): boolean {
  if (typeof value === 'string') return isLongText(value)
  if (!Array.isArray(value) && !isJsonObject(value)) return false
  let hasLong = false
  for (const one of Array.isArray(value) ? value : Object.values(value))
    if (addContainers(one, containers)) hasLong = true
  if (hasLong) containers.add(value)
  return hasLong
}

function putValue(value: Json, containers: ReadonlySet<Json>, parts: JsonParts): void {
  if (typeof value === 'string' && isLongText(value)) parts.putLong(value.toWellFormed())
  else if (!containers.has(value)) parts.putShort(engineJson(value))
  else if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      parts.put(at === 0 ? '[' : ',')
      putValue(value[at] as Json, containers, parts)
    }
    parts.put(']')
  } else {
    let before = '{'
    for (const [key, member] of Object.entries(value as Partial<JsonObject>)) {
      // As in JSON.stringify: a member that was taken out is not written.
      if (member === undefined) continue
      parts.put(`${before}${engineJson(key)}:`)
      putValue(member, containers, parts)
      before = ','
    }
    parts.put('}')
  }
}

/** What is between the quotes of the JSON text of a well-formed text, in pieces. Surrogate pairs stay together. */
export function* jsonPieces(text: string): Generator<string, void, void> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + PIECE_LENGTH, text.length)
    if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
  }
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
const rawNumber = (written: string): RawJson =>
  (JSON as unknown as { rawJSON: (written: string) => RawJson }).rawJSON(written)
