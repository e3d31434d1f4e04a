import type { Micros } from '../time.ts'

/** What tells a cycle of parents and where it is cut. */
export interface LinkedSpan {
  readonly span_id: string
  /** Of roots null or undefined. */
  readonly parent_id?: string | null | undefined
  readonly start_time: Micros
}

/** Negative when one comes before the other: by start, then id. */
export function byStartThenId(one: LinkedSpan, other: LinkedSpan): number {
  if (one.start_time !== other.start_time) return one.start_time - other.start_time
  return one.span_id < other.span_id ? -1 : one.span_id > other.span_id ? 1 : 0
}

/**
 * Where the cycles of parents are cut: the earliest span of each, which counts as one without a parent. So a cycle
 * shows in a tree and has totals, and both depend on no order of arrival. `byId` has the spans that can be parents; of
 * `spans` only those that may be in a cycle need to be given. Takes O(spans), whatever the depth.
 */
export function cycleTops<S extends LinkedSpan>(spans: Iterable<S>, byId: { get(id: string): S | undefined }): Set<S> {
  const tops = new Set<S>()
  /** Which walk up has come by a span: one that meets its own steps has gone round. */
  const walks = new Map<S, S>()
  for (const start of spans) {
    let span: S | undefined = start
    while (span && !walks.has(span)) {
      walks.set(span, start)
      span = parentOf(span, byId)
    }
    if (span && walks.get(span) === start) tops.add(earliestOnCycle(span, byId))
  }
  return tops
}

function earliestOnCycle<S extends LinkedSpan>(start: S, byId: { get(id: string): S | undefined }): S {
  let earliest = start
  for (let span = parentOf(start, byId) as S; span !== start; span = parentOf(span, byId) as S)
    if (byStartThenId(span, earliest) < 0) earliest = span
  return earliest
}

const parentOf = <S extends LinkedSpan>(span: S, byId: { get(id: string): S | undefined }): S | undefined =>
  span.parent_id == null ? undefined : byId.get(span.parent_id)
