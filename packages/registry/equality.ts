import { isJsonObject, isRawJson, type Json } from '@spanhouse/model'

/** Whether two values are the same JSON. The order of members does not count; null is not the same as no member. */
export const isSameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  isSame(a, b, value => value === undefined)

/**
 * Whether two revisions hold the same for who commits: as {@link isSameJson}, and null, blank text and objects in which
 * nothing is set are the same as no member at all.
 */
export const isSameContent = (a: Json | undefined, b: Json | undefined): boolean => isSame(a, b, isUnset)

type IsAbsent = (value: Json | undefined) => boolean

function isSame(a: Json | undefined, b: Json | undefined, isAbsent: IsAbsent): boolean {
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index], isAbsent))
  }
  if (isRawJson(a)) return isRawJson(b) && a.rawJSON === b.rawJSON
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every(name => isSame(own(a, name), own(b, name), isAbsent))
}

const own = (object: { [name: string]: Json }, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  return isJsonObject(value) && Object.values(value).every(isUnset)
}
