import type { JsonObject } from './json.ts'

/** The members that are not undefined. Schemas set absent members to undefined, which is not valid JSON. */
export const defined = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** The members that are neither null nor undefined: the interface shows no others. */
export const present = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value != null))
