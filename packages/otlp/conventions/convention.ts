import type { Json, JsonObject } from '@spanhouse/model'

/** What one convention finds in a span: values by their place in `ag`, dotted. */
export type Found = Map<string, Json>

/** Attributes as sent, under the keys as sent. */
export type SentAttributes = ReadonlyMap<string, Json>

/** Where one kind of attribute goes. */
export interface Row {
  /** The key of an attribute, or the beginning of one and `*`. */
  from: string
  /** The place in `ag`, dotted; `*` stands for what `*` in `from` stands for. Null: only `complete` reads it. */
  to: string | null
  /** What the value says; undefined: nothing. Leaves the value as it is. */
  read?(value: Json): Json | undefined
  /** Where the value goes, unread, when `read` makes nothing of it. Nowhere when absent. */
  otherwise?: string
  /** The names inside what `*` stands for, in the words of `ag`. Asked once a key. */
  rename?(rest: string): string
}

/**
 * One way in which instrumentation says what spans are about. It is a table: of attributes that go to the same place
 * the last one counts. What is recognised is stored beside what was sent. It need not be valid: the schema of `ag` is
 * applied to it. A convention that throws says nothing about the span.
 */
export interface Convention {
  name: string
  rows: readonly Row[]
  /**
   * What does not follow from one attribute alone. Called when at least one row applies. Changes `found`, leaves the
   * attributes alone; `earlier` is what the conventions before this one found, as a tree.
   */
  complete?(found: Found, attributes: SentAttributes, earlier: JsonObject | undefined): void
  /** Whether the span's own usage is that of the spans below it, told again. Asked when at least one row applies. */
  repeatsUsage?(attributes: SentAttributes): boolean
}

/** What the conventions together know of a span. */
export interface Recognised {
  /** Members of `ag`. */
  ag: JsonObject
  repeatsUsage: boolean
}

/** Rows that only give an attribute another place. */
export const rowsOf = (places: Record<string, string>, read?: Row['read']): Row[] =>
  Object.entries(places).map(([from, to]) => (read ? { from, to, read } : { from, to }))

/** Rows for attributes that only `complete` reads: they say that the span follows the convention. */
export const lookedAt = (...keys: string[]): Row[] => keys.map(from => ({ from, to: null }))
