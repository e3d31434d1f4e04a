import type { Json, JsonObject } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import type { Parking } from '../canonical/parking.ts'
import { mergeBelow } from '../canonical/unflatten.ts'

/**
 * Adds to a span's own attributes those that came around it. Where both claim the same place the envelope keeps it
 * (`resource.service.name` is to be what the resource says), and the span's own value is parked.
 */
export function addEnvelope(own: JsonObject, envelope: Readonly<JsonObject>, parking: Parking): void {
  for (const key in envelope) {
    const value = envelope[key] as Json
    const claimed = own[key]
    if (claimed === undefined) own[key] = value
    else {
      // A copy, because the envelope belongs to all spans of its group.
      const merged = { [key]: copyOf(value) }
      const loser = mergeBelow(merged, { [key]: claimed })?.[key]
      own[key] = merged[key] as Json
      if (loser !== undefined) parking.parkConflict(key, loser)
    }
  }
}
