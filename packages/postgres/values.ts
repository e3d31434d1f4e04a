import { type Json, microsToIso, parseJson, parseTime, renderText } from '@spanhouse/model'

/** Postgres' numbers of the types that both drivers would otherwise read in ways that differ or lose something. */
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
 * The text to store in a `jsonb` column; undefined and null are SQL's null. Half surrogate pairs, which `jsonb` refuses,
 * become U+FFFD, as the drivers have it in text columns.
 */
export function toJsonb(value: Json | undefined): string | null {
  if (value == null) return null
  return withoutHalves(JSON.stringify(value))
}

/** As {@link toJsonb}, for what may be long: it is written in pieces, between which others have their turn. */
export async function toJsonbInTurns(value: Json | undefined): Promise<string | null> {
  if (value == null) return null
  const pieces: string[] = []
  for await (const piece of renderText(value)) pieces.push(withoutHalves(piece))
  return pieces.join('')
}

const withoutHalves = (text: string): string =>
  MAY_HAVE_HALVES.test(text) ? text.replace(ESCAPE, found => (HALF.test(found) ? REPLACEMENT : found)) : text

/** `JSON.stringify` writes whole pairs as they are and halves as escapes. */
const HALF = /^\\ud[89a-f]/
const REPLACEMENT = '\\ufffd'
const MAY_HAVE_HALVES = /\\ud[89a-f]/
/** Read from left to right, so that an escaped backslash is not taken for the start of an escape. */
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
