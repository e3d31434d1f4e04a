import { isJsonObject, type Json } from '@spanhouse/model'

/** A deep copy of a value. */
export function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isJsonObject(value)) return value
  // Unlike assignment this treats `__proto__` like any other key.
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one)]))
}
