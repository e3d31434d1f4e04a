import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
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

function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyOf(one)]))
}
