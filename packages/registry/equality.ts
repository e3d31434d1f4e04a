import { isJsonObject, isRawJson, type Json } from '@spanhouse/model'

/**
 * Whether two revisions hold the same. The order of members does not count; null, blank text and objects in which
 * nothing is set are the same as no member at all.
 */
export function isSameContent(a: Json | undefined, b: Json | undefined): boolean {
  if (isUnset(a) || isUnset(b)) return isUnset(a) && isUnset(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameContent(item, b[index]))
  }
  if (isRawJson(a)) return isRawJson(b) && a.rawJSON === b.rawJSON
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(name => isSameContent(a[name], b[name]))
}

function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  return isJsonObject(value) && Object.values(value).every(isUnset)
}
