import { type Json, SPAN_TYPES, type SpanType } from '@spanhouse/model'

const TYPES: ReadonlySet<unknown> = new Set(SPAN_TYPES)

/** A span type in any case; undefined for other values. */
export function lowerCaseSpanType(value: Json): SpanType | undefined {
  const name = typeof value === 'string' ? value.toLowerCase() : undefined
  return TYPES.has(name) ? (name as SpanType) : undefined
}
