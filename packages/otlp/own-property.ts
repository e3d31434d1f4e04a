import type { Json, JsonObject } from '@spanhouse/model'

/**
 * Objects whose keys senders choose are ordinary objects, because those are fast. Two things must then not be done
 * the ordinary way: setting a key (`__proto__` would change the prototype) and reading one (`constructor` would find
 * what every object inherits). Both are done here.
 */

export function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

export function getOwn(source: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined
}
