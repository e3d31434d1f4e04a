import type { Derived, Micros, TraceNode, Uuid } from '@spanhouse/model'

/** When and from whom a version came. Spans of one message share one object: there is one of these to many of those. */
export interface Version {
  readonly accepted_at: Micros
  readonly created_at: Micros
  readonly created_by_id: Uuid
}

/** What the writer knows of a stored span: enough to recognise it again and to sum up its trace. */
export interface StoredNode extends TraceNode {
  /** As it stands in the store. */
  derived: Derived
  /** A character for each byte. */
  readonly content_hash: string
  version: Version
}
