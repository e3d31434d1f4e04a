import { hasEscapedName, parseByHand } from './json-names.ts'

/**
 * A JSON value as Spanhouse represents it. Integers that a JavaScript number cannot hold exactly are kept as
 * `JSON.rawJSON` values: `JSON.stringify` prints their digits unchanged, so nothing is rounded.
 */
export type Json = string | number | boolean | null | RawJson | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}
export interface RawJson {
  readonly rawJSON: string
}

/**
 * JSON text of a value, as read from the store: large values that are only returned need not be parsed and printed
 * again.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** ECMAScript's `JSON.rawJSON` proposal, available since Node 22; TypeScript's library does not declare it yet. */
interface JsonWithSource {
  rawJSON(text: string): RawJson
  isRawJSON(value: unknown): value is RawJson
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}
const json = JSON as unknown as JsonWithSource

/** An integer of any size as JSON: a number if that is exact, otherwise its digits. */
export function integerToJson(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : json.rawJSON(value.toString())
}

export const isRawJson = (value: unknown): value is RawJson => json.isRawJSON(value)

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value)
}

/**
 * Seventeen digits where a number can begin, or sixteen of a number from 9e15 on: 2^53 is 9007199254740992. Present
 * times in microseconds have sixteen and are smaller; ids and times in quotes, which are far more frequent, do not
 * match either.
 */
const MAYBE_UNSAFE_INTEGER = /(?:^|[\s:,[])-?(?:9\d{15}|\d{17})/
const INTEGER = /^-?\d+$/

/**
 * `JSON.parse` that keeps integers past 2^53 exact (see {@link Json}). Costs nothing extra unless the text has a number
 * that may be one, something that looks like one in a string, or an escape in a member name. Throws SyntaxError as
 * `JSON.parse` does; RangeError for a text with such a number that is nested several thousand levels deep, since the
 * engine calls revivers recursively.
 */
export function parseJson(text: string): Json {
  if (hasEscapedName(text)) return parseByHand(text, parseJson) as Json
  if (!hasDigitRun(text, 16) || !MAYBE_UNSAFE_INTEGER.test(text)) return JSON.parse(text) as Json
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && context.source && INTEGER.test(context.source)
      ? json.rawJSON(context.source)
      : value,
  ) as Json
}

/** Like {@link parseJson}, with integers past 2^53 rounded: for code that cannot compute with {@link RawJson}. */
export function parseRoundedJson(text: string): Json {
  return (hasEscapedName(text) ? parseByHand(text, JSON.parse) : JSON.parse(text)) as Json
}

/**
 * Whether the text contains a run of this many decimal digits. Checks one character in `length`, since a run covers one
 * of those: a twelfth of the time of a regular expression (80 ns for 1 KB).
 */
export function hasDigitRun(text: string, length: number): boolean {
  for (let at = length - 1; at < text.length; at += length) {
    if (!isDigit(text, at)) continue
    let start = at
    while (start > 0 && isDigit(text, start - 1)) start--
    let end = at + 1
    while (end - start < length && isDigit(text, end)) end++
    if (end - start >= length) return true
  }
  return false
}

/** False beyond the end. */
function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 48 && unit <= 57
}

/** The finite number in a JSON value, or undefined if it is not a number. Raw integers lose digits past 2^53. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return isRawJson(value) ? Number(value.rawJSON) : undefined
}
