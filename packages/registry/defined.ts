import type { JsonObject } from '@spanhouse/model'

/** The members that have a value. Schemas set absent members to undefined, which is not valid JSON. */
export function defined(object: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject
}
