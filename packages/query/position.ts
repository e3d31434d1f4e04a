import type { Micros } from '@spanhouse/model'

/** What a query returns rows of, which decides how bounds and cursors are read. */
export type Focus = 'span' | 'trace'

/** Where a row of a result stands in its order: times are start times, of a trace that of its head. */
export interface Position {
  readonly time: Micros
  readonly trace_id: string
  /** Of spans. */
  readonly span_id?: string
}
