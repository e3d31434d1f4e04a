import { isJsonObject, type Json } from './json.ts'

/**
 * JSON with sorted member names and no whitespace, so that equal values have equal texts. Throws a RangeError for a
 * value inside more than `levelsMax` objects and lists; by default as many as the stack has room for.
 */
export function canonicalJson(value: Json, levelsMax: number = Number.POSITIVE_INFINITY): string {
  if (levelsMax < 0) throw new RangeError('The value is nested too deeply')
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item, levelsMax - 1)).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  const members = names.map(name => `${JSON.stringify(name)}:${canonicalJson(value[name] as Json, levelsMax - 1)}`)
  return `{${members.join(',')}}`
}
