import { isJsonObject, isRawJson, type Json, type JsonObject } from '@spanhouse/model'

/** Whether two values are the same JSON. The order of members is ignored; null differs from an absent member. */
export const isSameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  isSame(a, b, value => value === undefined)

/**
 * Whether two revisions have the same content for a commit: as {@link isSameJson}, but null, blank text and objects
 * without set members equal absent members.
 */
export const isSameContent = (a: Json | undefined, b: Json | undefined): boolean => isSame(a, b, isUnset)

type IsAbsent = (value: Json | undefined) => boolean

/**
 * Visits each value once: two objects are equal if their members are, whether or not anything is set in them, so no
 * value is scanned again at each level.
 */
function isSame(a: Json | undefined, b: Json | undefined, isAbsent: IsAbsent): boolean {
  if (isJsonObject(a) && isJsonObject(b)) return hasSameMembers(a, b, isAbsent)
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index], isAbsent))
  }
  return isRawJson(a) ? isRawJson(b) && a.rawJSON === b.rawJSON : a === b
}

function hasSameMembers(a: JsonObject, b: JsonObject, isAbsent: IsAbsent): boolean {
  for (const name in a) if (!isSame(a[name], own(b, name), isAbsent)) return false
  for (const name in b) if (!Object.hasOwn(a, name) && !isAbsent(b[name])) return false
  return true
}

const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  if (!isJsonObject(value)) return false
  for (const name in value) if (!isUnset(value[name])) return false
  return true
}
