import type { JsonObject } from '@spanhouse/model'

/** The members that have a value: schemas leave absent ones as undefined, which is no JSON. */
export function defined(object: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject
}
