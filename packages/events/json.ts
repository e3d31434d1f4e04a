import type { Json, JsonObject } from '@spanhouse/model'

/** The members that have a value: null and undefined are left out, as everywhere in the interface. */
export const present = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as JsonObject
