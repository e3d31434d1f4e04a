import type { Json, JsonObject, SpanEvent } from '@spanhouse/model'

/** What a convention looks at. */
export interface ConventionInput {
  /** The span's attributes as sent, under the keys as sent. */
  attributes: ReadonlyMap<string, Json>
  /** The span's own `ag.*` attributes as a tree; undefined when it has none. The native convention owns it. */
  ag: JsonObject | undefined
  events: readonly SpanEvent[]
}

/**
 * One way in which instrumentation names what spans are about. `recognise` returns what it finds as members of `ag`
 * (`{ metrics: { tokens: … } }`), or undefined when the span does not follow the convention. It never throws, leaves
 * `attributes` alone (what is recognised is stored beside what was sent), and need not return valid members: the
 * schema of `ag` is applied to the result.
 */
export interface Convention {
  name: string
  recognise(input: ConventionInput): JsonObject | undefined
}
