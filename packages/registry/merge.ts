import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/** Both objects in one: objects merge at every depth, anything else in `over` replaces. Neither is changed. */
export function mergeDeep(under: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const before = Object.hasOwn(under, name) ? under[name] : undefined
    define(merged, name, isJsonObject(before) && isJsonObject(value) ? mergeDeep(before, value) : value)
  }
  return merged
}

/** The object without the member at the path; unchanged where the path leads nowhere. */
export function removePath(object: JsonObject, [name, ...rest]: string[]): JsonObject {
  if (name === undefined || !Object.hasOwn(object, name)) return object
  const { [name]: member, ...others } = object
  if (rest.length === 0) return others
  return isJsonObject(member) ? { ...object, [name]: removePath(member, rest) } : object
}

/** A member called `__proto__` is a member like any other. */
function define(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
