import { invalid, isJsonObject, isRawJson, type Json, numberOf } from '@spanhouse/model'
import type { Count } from '../raw-condition.ts'
import { isNumeric, LIST_VALUES_MAX, type Numeric, TEXT_BYTES_MAX, VALUE_DEPTH_MAX } from './filter.ts'

const QUOTED_MAX = 100

/** Quotes a caller's text in a message. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}...` : text)

/** Rejects a value for an operator that takes none. */
export function refuseValue(field: string, operator: string, value: Json): void {
  if (value !== null) throw invalid(`${field}: operator ${quote(operator)} takes no value`)
}

export function valueList(field: string, operator: string, value: Json): Json[] {
  if (!Array.isArray(value)) throw invalid(`${field}: operator ${quote(operator)} takes a list of values`)
  if (value.length > LIST_VALUES_MAX)
    throw invalid(`${field}: at most ${LIST_VALUES_MAX} values are allowed in one list`)
  return value
}

/** The two bounds of `btwn`. */
export function valuePair(field: string, value: Json): [Json, Json] {
  const [low, high, ...more] = valueList(field, 'btwn', value)
  if (low === undefined || high === undefined || more.length > 0) {
    throw invalid(`${field}: operator "btwn" takes a list of two values`)
  }
  return [low, high]
}

/** A text of bounded size. Halves of surrogate pairs have no UTF-8 form and become U+FFFD, as in all stored text. */
export function boundedText(field: string, value: string): string {
  if (value.length * 3 > TEXT_BYTES_MAX && Buffer.byteLength(value) > TEXT_BYTES_MAX) {
    throw invalid(`${field}: a string may have at most ${TEXT_BYTES_MAX} bytes`)
  }
  return value.toWellFormed()
}

/** A scalar as text: numbers and booleans are converted. */
export function scalarText(field: string, value: Json): string {
  if (typeof value === 'string') return boundedText(field, value)
  if (typeof value === 'boolean') return String(value)
  if (isNumeric(value)) return isRawJson(value) ? value.rawJSON : String(finite(field, value))
  throw invalid(`${field}: the value must be a string, a number or a boolean`)
}

/** An integer may have any number of digits, but numbers are compared as doubles. */
export function finite<T extends Numeric>(field: string, value: T): T {
  const number = numberOf(value)
  if (number === undefined || !Number.isFinite(number)) throw invalid(`${field}: the number is out of range`)
  return value
}

/**
 * A value that is compared as JSON, checked and counted (`count` is called for each value inside it). Texts are treated
 * as in {@link boundedText}.
 */
export function jsonValue(field: string, value: Json, count: Count, depth = 1): Json {
  if (depth > VALUE_DEPTH_MAX) throw invalid(`${field}: the value may be nested at most ${VALUE_DEPTH_MAX} levels deep`)
  if (typeof value === 'string') return boundedText(field, value)
  if (isNumeric(value)) return finite(field, value)
  const inner = (member: Json): Json => {
    count()
    return jsonValue(field, member, count, depth + 1)
  }
  if (Array.isArray(value)) return value.map(inner)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([key, member]) => [boundedText(field, key), inner(member)])
  return Object.fromEntries(members)
}
