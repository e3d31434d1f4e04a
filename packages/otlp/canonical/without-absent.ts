import type { Json, JsonObject } from '@spanhouse/model'

/** The members that are not undefined, as a new object. No name may be `__proto__`. */
export function withoutAbsent(members: Record<string, Json | undefined>): JsonObject {
  const present: JsonObject = {}
  for (const key in members) {
    const member = members[key]
    if (member !== undefined) present[key] = member
  }
  return present
}
