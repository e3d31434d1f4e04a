import {
  FAULTS,
  type Fault,
  invalid,
  isJsonObject,
  type JsonObject,
  missingFrom,
  notOneOf,
  type Problem,
  unprocessable,
  violationOf,
} from '@spanhouse/model'

/** The location of a value in the request: starts with `body`, `query` or `path`. */
export type Location = readonly (string | number)[]

/** The place of the whole body of a request. */
export const BODY: Location = ['body']

/** A 422 for one value. */
export const malformed = (fault: Fault, loc: Location, input: unknown): Problem =>
  unprocessable(violationOf(fault, [...loc], input))

/** A 422 for a member that was not sent. */
export const missing = (parent: JsonObject, loc: Location): Problem => unprocessable(missingFrom(parent, [...loc]))

/** A member that may be absent; null counts as absent. */
export function optional<T>(value: unknown, loc: Location, read: (value: unknown, loc: Location) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value, loc)
}

export function readObject(value: unknown, loc: Location): JsonObject {
  if (!isJsonObject(value)) throw malformed(FAULTS.object, loc, value)
  return value
}

export function readList(value: unknown, loc: Location): unknown[] {
  if (!Array.isArray(value)) throw malformed(FAULTS.list, loc, value)
  return value
}

export function readText(value: unknown, loc: Location): string {
  if (typeof value !== 'string') throw malformed(FAULTS.string, loc, value)
  return value
}

export function readBoolean(value: unknown, loc: Location): boolean {
  if (typeof value !== 'boolean') throw malformed(FAULTS.boolean, loc, value)
  return value
}

/** Reads one of a few words. */
export const oneOf =
  <T extends string>(words: readonly T[]) =>
  (value: unknown, loc: Location): T => {
    const word = words.find(one => one === value)
    if (word === undefined) throw malformed(notOneOf(words), loc, value)
    return word
  }

/** Of a member's name in a message. */
const NAME_LENGTH_MAX = 100

/**
 * Throws `invalid` (400), naming the member, if the object has one that is not known: a misspelt filter or limit that
 * is ignored would return more than was asked for.
 */
export function refuseUnknown(object: JsonObject, known: readonly string[], loc: Location): void {
  const other = Object.keys(object).find(name => !known.includes(name))
  if (other === undefined) return
  const place = [...loc, other.slice(0, NAME_LENGTH_MAX)].join('.')
  throw invalid(`${place}: unknown member; known are ${known.join(', ')}`)
}

/**
 * As {@link refuseUnknown}, for items of a list and for the body of analytics: with an unknown member they have the
 * wrong shape (422).
 */
export function refuseOthers(object: JsonObject, known: readonly string[], loc: Location): void {
  const other = Object.keys(object).find(name => !known.includes(name))
  if (other === undefined) return
  throw malformed(FAULTS.extra, [...loc, other], object[other])
}
