import { type Json, microsToIso, parseJson, parseTime, renderText } from '@spanhouse/model'

/** The type OIDs of values that the drivers would otherwise read differently or with losses. */
const OID = { int8: 20, json: 114, timestamptz: 1184, jsonb: 3802 } as const

/**
 * How column values become JavaScript values, the same in both drivers: times are ISO 8601 text in UTC with
 * microseconds (a `Date` has milliseconds), 64-bit integers are numbers or an error, JSON keeps big integers exact.
 */
export const VALUE_PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [OID.int8]: exactInteger,
  [OID.json]: parseJson,
  [OID.jsonb]: parseJson,
  [OID.timestamptz]: isoTime,
}

/** Whether values of a type are JSON, which can be long. */
export const isJsonType = (type: number): boolean => type === OID.json || type === OID.jsonb

/**
 * The text to store in a `jsonb` column; undefined and null become SQL's null. Lone surrogates, which `jsonb` rejects,
 * become U+FFFD, as the drivers do in text columns.
 */
export function toJsonb(value: Json | undefined): string | null {
  if (value == null) return null
  return withoutHalves(JSON.stringify(value))
}

/** Like {@link toJsonb}, for values that may be long: they are written in pieces, yielding to other work in between. */
export async function toJsonbInTurns(value: Json | undefined): Promise<string | null> {
  if (value == null) return null
  const pieces: string[] = []
  for await (const piece of renderText(value)) pieces.push(withoutHalves(piece))
  return pieces.join('')
}

/**
 * A value without NUL characters, which `jsonb` rejects: they become U+FFFD. For what nobody has sent who could be told,
 * such as the text of an error.
 */
export function withoutNuls<T extends object>(value: T): T {
  const text = JSON.stringify(value)
  if (!text.includes(NUL)) return value
  return parseJson(text.replace(ESCAPE, found => (found === NUL ? REPLACEMENT : found))) as T
}

const withoutHalves = (text: string): string =>
  MAY_HAVE_HALVES.test(text) ? text.replace(ESCAPE, found => (HALF.test(found) ? REPLACEMENT : found)) : text

/** `JSON.stringify` writes surrogate pairs literally and lone surrogates as escapes. */
const HALF = /^\\ud[89a-f]/
const NUL = '\\u0000'
const REPLACEMENT = '\\ufffd'
const MAY_HAVE_HALVES = /\\ud[89a-f]/
/** Reads from left to right, so that an escaped backslash is not mistaken for the start of an escape. */
const ESCAPE = /\\(?:u[0-9a-f]{4}|.)/g

function exactInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a JavaScript number`)
  return value
}

function isoTime(text: string): string {
  const micros = parseTime(text)
  if (micros === null) throw new RangeError(`the stored time ${text} is out of range`)
  return microsToIso(micros)
}
