import type { Micros, TraceNode, Uuid } from '@spanhouse/model'

/** When and from whom a version came. All spans of one message share this object. */
export interface Version {
  readonly accepted_at: Micros
  readonly created_at: Micros
  readonly created_by_id: Uuid
}

/** What the writer knows of a stored span: enough to recognise it and to compute the totals of its trace. */
export interface StoredNode extends TraceNode {
  /** One character per byte. */
  readonly version_hash: string
  version: Version
}
