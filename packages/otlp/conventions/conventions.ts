import type { JsonObject } from '@spanhouse/model'
import { mergeBelow } from '../unflatten.ts'
import type { Convention, ConventionInput } from './convention.ts'
import { native } from './native.ts'

/** Later ones win where several name the same member, so `ag.*` itself is the last. */
export const CONVENTIONS: readonly Convention[] = [native]

/** What all conventions together find in a span, as one `ag` object. */
export function recognise(input: ConventionInput): JsonObject {
  let ag: JsonObject | undefined
  for (const convention of CONVENTIONS) {
    const found = convention.recognise(input)
    if (!found) continue
    // What an earlier convention found in the same place goes: the attributes that it was found in stay.
    if (ag) mergeBelow(found, ag)
    ag = found
  }
  return ag ?? {}
}
