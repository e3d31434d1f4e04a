import type { Json, JsonObject } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import type { Parking } from '../canonical/parking.ts'
import { mergeBelow } from '../canonical/unflatten.ts'

/**
 * Adds the attributes of the envelope to a span's own. If both use the same place the envelope's value is kept
 * (`resource.service.name` is what the resource contains), and the span's own value is parked.
 */
export function addEnvelope(own: JsonObject, envelope: Readonly<JsonObject>, parking: Parking): void {
  for (const key in envelope) {
    const value = envelope[key] as Json
    const claimed = own[key]
    if (claimed === undefined) own[key] = value
    else {
      // A copy, because all spans of the group share the envelope.
      const merged = { [key]: copyOf(value) }
      const loser = mergeBelow(merged, { [key]: claimed })?.[key]
      own[key] = merged[key] as Json
      if (loser !== undefined) parking.parkConflict(key, loser)
    }
  }
}
