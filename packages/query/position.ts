import type { Micros } from '@spanhouse/model'

/** What the rows of a query are, which determines the meaning of bounds and cursors. */
export type Focus = 'span' | 'trace'

/** The position of a row in the order of a result. The time of a trace is that of its head. */
export interface Position {
  readonly time: Micros
  readonly trace_id: string
  /** For spans. */
  readonly span_id?: string
}
