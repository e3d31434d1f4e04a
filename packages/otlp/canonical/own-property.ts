import type { Json, JsonObject } from '@spanhouse/model'

/**
 * Objects with keys chosen by senders are ordinary objects, because these are fast. But two operations must not be done
 * in the ordinary way: setting a key (`__proto__` would change the prototype) and reading one (`constructor` would
 * return an inherited property). Both are done here.
 */

export function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Inherited properties are functions, which no JSON value is, and `__proto__`. */
export function getOwn(source: JsonObject, key: string): Json | undefined {
  const value = source[key] as Json | undefined
  if (typeof value === 'function' || (key === '__proto__' && !Object.hasOwn(source, key))) return undefined
  return value
}
