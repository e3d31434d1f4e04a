import type { Json, JsonObject } from '@spanhouse/model'
import { copyOf } from './copy.ts'
import type { Parking } from './parking.ts'
import { mergeBelow } from './unflatten.ts'

/**
 * A span's own attributes together with those that came around it. Where both claim the same place the envelope keeps
 * it (`resource.service.name` is to be what the resource says), and the span's own value is parked.
 */
export function withEnvelope(
  own: JsonObject,
  envelope: Readonly<JsonObject> | undefined,
  parking: Parking,
): JsonObject {
  if (!envelope) return own
  if (!Object.keys(envelope).some(key => Object.hasOwn(own, key))) return { ...own, ...envelope }
  // A copy, because the envelope belongs to all spans of its group.
  const merged = copyOf(envelope) as JsonObject
  const losers = mergeBelow(merged, own) ?? {}
  for (const key of Object.keys(losers)) parking.parkConflict(key, losers[key] as Json)
  return merged
}
