import type { Json, JsonObject, SpanEvent } from '@spanhouse/model'

/** The values that one convention finds in a span, by their dotted place in `ag`. */
export type Found = Map<string, Json>

/** Attributes as sent, under their original keys. */
export type SentAttributes = ReadonlyMap<string, Json>

/** What a convention reads of a span. */
export interface SentSpan {
  readonly attributes: SentAttributes
  readonly events: readonly SpanEvent[]
}

/** The mapping of one kind of attribute. */
export interface Row {
  /** The key of an attribute, or a prefix followed by `*`. */
  from: string
  /** The dotted place in `ag`; `*` stands for the text that matched `*` in `from`. Null: only `complete` reads it. */
  to: string | null
  /** Converts the value; undefined if it means nothing. Does not modify the value. */
  read?(value: Json): Json | undefined
  /** The place of the unconverted value if `read` returns undefined. If absent, the value is ignored. */
  otherwise?: string
  /** Translates the names inside the text that matched `*` to those of `ag`. Called once per key. */
  rename?(rest: string): string
}

/**
 * The attributes of one kind of instrumentation, as a table: of attributes with the same place the last one is used.
 * Recognised values are stored in addition to what was sent. They need not be valid: the schema of `ag` is applied to
 * them. A convention that throws is ignored for the span.
 */
export interface Convention {
  name: string
  rows: readonly Row[]
  /** Applies to spans with an event whose name starts with this, too, as if a row applied. */
  eventPrefix?: string
  /**
   * Handles what does not depend on one attribute alone. Called if at least one row applies. Modifies `found`, not the
   * span; `earlier` contains the results of the previous conventions, as a tree.
   */
  complete?(found: Found, span: SentSpan, earlier: JsonObject | undefined): void
  /** Whether the span's own usage repeats that of the spans below it. Called if at least one row applies. */
  repeatsUsage?(attributes: SentAttributes): boolean
  /** The failure that the attributes tell of. Called if at least one row applies. */
  failure?(attributes: SentAttributes): ToldFailure | undefined
}

/** A failure of a span that need not be among its events. */
export interface ToldFailure {
  type?: string
  message?: string
}

/** The results of all conventions for a span. */
export interface Recognised {
  /** Members of `ag`. */
  ag: JsonObject
  repeatsUsage: boolean
  failure: ToldFailure | undefined
}

/** Rows that only map attributes to places. */
export const rowsOf = (places: Record<string, string>, read?: Row['read']): Row[] =>
  Object.entries(places).map(([from, to]) => (read ? { from, to, read } : { from, to }))

/** Rows for attributes that only `complete` reads; they show that the span follows the convention. */
export const lookedAt = (...keys: string[]): Row[] => keys.map(from => ({ from, to: null }))
