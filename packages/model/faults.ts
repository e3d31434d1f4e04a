import { echoOf } from './echo.ts'
import type { Violation } from './problem.ts'

/** What can be wrong with a value: the interface's error type, and its message. */
export type Fault = readonly [type: string, msg: string]

/** The errors of any request. All checks, by schema or by hand, use these messages. */
export const FAULTS = {
  missing: ['missing', 'Field required'],
  extra: ['extra_forbidden', 'Extra inputs are not permitted'],
  string: ['string_type', 'Input should be a valid string'],
  nul: ['value_error', 'Input should be a string without NUL characters'],
  number: ['float_type', 'Input should be a valid number'],
  numberText: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
  integer: ['int_type', 'Input should be a valid integer'],
  integerText: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  list: ['list_type', 'Input should be a valid list'],
  /** An object with known members. */
  object: ['model_attributes_type', 'Input should be a valid object'],
  /** An object with arbitrary members. */
  map: ['dict_type', 'Input should be a valid dictionary'],
  null: ['none_required', 'Input should be null'],
  datetime: ['datetime_parsing', 'Input should be a valid datetime'],
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
} as const satisfies Record<string, Fault>

export const notOneOf = (words: readonly unknown[]): Fault => ['enum', `Input should be one of ${words.join(', ')}`]
export const notAbove = (bound: unknown): Fault => ['greater_than', `Input should be greater than ${bound}`]
export const below = (bound: unknown): Fault => [
  'greater_than_equal',
  `Input should be greater than or equal to ${bound}`,
]
export const notBelow = (bound: unknown): Fault => ['less_than', `Input should be less than ${bound}`]
export const above = (bound: unknown): Fault => ['less_than_equal', `Input should be less than or equal to ${bound}`]
export const tooShort = (least: unknown): Fault => [
  'string_too_short',
  `String should have at least ${counted(least, 'character')}`,
]
export const tooLong = (most: unknown): Fault => [
  'string_too_long',
  `String should have at most ${counted(most, 'character')}`,
]
export const tooFewItems = (least: unknown, given: unknown): Fault => [
  'too_short',
  `List should have at least ${counted(least, 'item')} after validation, not ${given}`,
]
export const tooManyItems = (most: unknown, given: unknown): Fault => [
  'too_long',
  `List should have at most ${counted(most, 'item')} after validation, not ${given}`,
]
export const notLike = (pattern: string): Fault => [
  'string_pattern_mismatch',
  `String should match pattern '${pattern}'`,
]

/** `1 item`, `2 items`. */
export const counted = (count: unknown, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A violation at `loc` that echoes the value as far as {@link echoOf} allows. */
export function violationOf([type, msg]: Fault, loc: Violation['loc'], value: unknown): Violation {
  const input = echoOf(value, loc.at(-1))
  return { type, loc, msg, ...(input === undefined ? {} : { input }) }
}

/** A missing member; `parent` is the object it is missing from. */
export const missingFrom = (parent: unknown, loc: Violation['loc']): Violation => {
  const [type, msg] = FAULTS.missing
  return { type, loc, msg, input: echoOf(parent) ?? null }
}
