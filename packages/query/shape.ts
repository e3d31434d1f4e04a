import { isJsonObject, isRawJson, type JsonObject, type Problem, unprocessable } from '@spanhouse/model'

/** Where a value stands in the request: starts with `body`, `query` or `path`. */
export type Location = readonly (string | number)[]

const INPUT_TEXT_MAX = 200

/** A 422 about one value. Only short scalars are echoed as `input`, others as null: they may be of any size and depth. */
export function malformed(type: string, loc: Location, msg: string, input: unknown): Problem {
  return unprocessable({ type, loc: [...loc], msg, input: isShortScalar(input) ? input : null })
}

export const missing = (loc: Location): Problem =>
  unprocessable({ type: 'missing', loc: [...loc], msg: 'Field required', input: null })

function isShortScalar(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= INPUT_TEXT_MAX
  return value === null || typeof value === 'number' || typeof value === 'boolean' || isRawJson(value)
}

/** A member that may be absent; null counts as absent. */
export function optional<T>(value: unknown, loc: Location, read: (value: unknown, loc: Location) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value, loc)
}

export function readObject(value: unknown, loc: Location): JsonObject {
  if (!isJsonObject(value)) throw malformed('dict_type', loc, 'Input should be an object', value)
  return value
}

export function readList(value: unknown, loc: Location): unknown[] {
  if (!Array.isArray(value)) throw malformed('list_type', loc, 'Input should be a list', value)
  return value
}

export function readText(value: unknown, loc: Location): string {
  if (typeof value !== 'string') throw malformed('string_type', loc, 'Input should be a string', value)
  return value
}

export function readBoolean(value: unknown, loc: Location): boolean {
  if (typeof value !== 'boolean') throw malformed('bool_type', loc, 'Input should be a boolean', value)
  return value
}

/** A reader of one of a few words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (value: unknown, loc: Location): T => {
    const word = words.find(one => one === value)
    if (word === undefined) throw malformed('enum', loc, `Input should be one of ${words.join(', ')}`, value)
    return word
  }

/** Refuses members beside those that are known: a misspelt one must not be passed over. */
export function refuseOthers(object: JsonObject, known: readonly string[], loc: Location): void {
  const other = Object.keys(object).find(name => !known.includes(name))
  if (other === undefined) return
  throw malformed('extra_forbidden', [...loc, other], 'Extra inputs are not permitted', object[other])
}
