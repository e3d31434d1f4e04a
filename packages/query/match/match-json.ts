import { isJsonObject, isRawJson, type Json, type JsonObject, numberOf, parseJson } from '@spanhouse/model'
import { ATTRIBUTE_COLUMNS, derivedMembers } from '../compile/attribute-columns.ts'
import { engineJson, isScalar, rawNumber } from '../compile/engine-json.ts'
import { INDEX } from '../compile/place.ts'
import { isNumeric } from '../filter/filter.ts'
import { type MatchWork, STEPS_OF_VALUE } from './match-work.ts'

/** The content of a span's row, read once for matching. */
export interface MatchableSpan {
  /**
   * Plain fields by name, as conditions name them: ids as hex, UUIDs with dashes, times in microseconds. Undefined if
   * there is no value.
   */
  readonly fields: Readonly<Record<string, string | number | undefined>>
  /** All attributes except `ag.data` and those in {@link columns}. */
  readonly attributes: JsonObject
  readonly data: JsonObject
  /** Attributes with columns, by dotted key; those that have no value are omitted. */
  readonly columns: Readonly<Record<string, string | number>>
  /** `references`, `links`, `hashes` and `events`. */
  readonly lists: Readonly<Record<string, readonly Json[]>>
}

/** A JSON value in a span, or its absence. */
export interface Found {
  /** Undefined: absent. */
  readonly value: Json | undefined
  readonly isPresent: boolean
  readonly isObject: boolean
  readonly member: (key: string) => Found
}

interface Step {
  readonly key: string
  readonly mayIndex: boolean
}

const toKey = (key: string): Step => ({ key, mayIndex: false })

/**
 * The value at a path of the interface, in which segments of digits may be indexes. Like `attributePlace`, for one
 * span.
 */
export const attributeAt = (span: MatchableSpan, path: readonly string[]): Found =>
  foundAt(
    span,
    path.map(key => ({ key, mayIndex: INDEX.test(key) })),
  )

function foundAt(span: MatchableSpan, steps: readonly Step[]): Found {
  const key = steps.some(step => step.key.includes('.')) ? '' : steps.map(step => step.key).join('.')
  const member = (name: string): Found => foundAt(span, [...steps, toKey(name)])
  const column = ATTRIBUTE_COLUMNS.get(key)
  if (column) {
    const inJson = column.type === 'number' && column.alsoInJson ? valueAt(span.attributes, steps) : undefined
    const value = span.columns[key] ?? inJson
    return { value, isPresent: value !== undefined, isObject: false, member }
  }
  if (key === 'ag.data') return { value: span.data, isPresent: true, isObject: true, member }
  if (steps[0]?.key === 'ag' && steps[1]?.key === 'data')
    return { ...inJson(valueAt(span.data, steps.slice(2))), member }
  const value = valueAt(span.attributes, steps)
  const isDerived = derivedMembers(key).some(one => span.columns[one.key] !== undefined)
  return { value, isPresent: value !== undefined || isDerived, isObject: isJsonObject(value) || isDerived, member }
}

/** A value by itself, with its members. */
export const itself = (value: Json | undefined): Found => ({
  ...inJson(value),
  member: key => itself(valueAt(value, [toKey(key)])),
})

const inJson = (value: Json | undefined): Omit<Found, 'member'> => ({
  value,
  isPresent: value !== undefined,
  isObject: isJsonObject(value),
})

function valueAt(document: Json | undefined, steps: readonly Step[]): Json | undefined {
  let value = document
  for (const { key, mayIndex } of steps) {
    if (isJsonObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined
    else value = mayIndex && Array.isArray(value) ? value[Number(key)] : undefined
  }
  return value
}

/**
 * The text form: a text as it is, any other value as the engine writes its JSON; undefined for null and absent values.
 */
export function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value.toWellFormed() : canonicalText(value)
}

/** The canonical text of a value, however its numbers were written. */
function canonicalText(value: Json): string {
  if (isNumeric(value)) return numberText(value)
  const written = engineJson(value)
  return EXPONENT.test(written) ? JSON.stringify(parseJson(written), (_key, one) => canonicalNumber(one)) : written
}

/** What the engine writes in another form. */
const EXPONENT = /\de[0+]/

const canonicalNumber = (value: Json): Json => (isNumeric(value) ? rawNumber(numberText(value)) : value)

/** Length of an integer of 64 bits with its sign. Parsing longer ones as integers takes more than linear time. */
const DIGITS_64 = 20

function numberText(value: Json): string {
  if (isRawJson(value)) {
    const integer = value.rawJSON.length > DIGITS_64 ? undefined : BigInt(value.rawJSON)
    const isSmall = integer !== undefined && integer >= -(2n ** 63n) && integer < 2n ** 64n
    return isSmall ? String(integer) : String(Number(value.rawJSON)).replace('e+', 'e')
  }
  return String(Object.is(value, -0) ? 0 : value).replace('e+', 'e')
}

/** JSON containment, as `contains` in `compile-json`. */
export function containsJson(found: Found, value: Json, work: MatchWork): boolean {
  work.spend(STEPS_OF_VALUE + lengthOf(found.value))
  if (isScalar(value)) return equalScalars(found.value, value)
  if (Array.isArray(value))
    return Array.isArray(found.value) && value.every(one => holds(found.value as Json[], one, work))
  return (
    found.isObject &&
    Object.entries(value as JsonObject).every(([key, one]) => containsJson(found.member(key), one, work))
  )
}

/** The length of a text or a long number. */
export const lengthOf = (value: Json | undefined): number =>
  typeof value === 'string' ? value.length : isRawJson(value) ? value.rawJSON.length : 0

/** Whether a list has the value as an item, or an item that contains it. */
export const holds = (items: readonly Json[], value: Json, work: MatchWork): boolean =>
  items.some(item => containsJson(itself(item), value, work))

function equalScalars(one: Json | undefined, other: Json): boolean {
  if (one === undefined || !isScalar(one)) return false
  if (typeof one === 'number' && typeof other === 'number') return one === other
  const [a, b] = [numberOf(one), numberOf(other)]
  if (a !== undefined && b !== undefined) return numberText(one) === numberText(other)
  if (typeof one === 'string' && typeof other === 'string') return one.toWellFormed() === other.toWellFormed()
  return one === other
}
