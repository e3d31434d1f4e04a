import { isJsonObject, type Json } from '@spanhouse/model'

/** A value that shares nothing with the one it was made from. */
export function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isJsonObject(value)) return value
  // Unlike assignment this makes `__proto__` a key like any other.
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one)]))
}
