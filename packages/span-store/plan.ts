import { type Derived, equalDerived, type Micros, NIL_UUID, type SpanId } from '@spanhouse/model'
import type { Lifecycle } from './columns.ts'
import type { BatchedSpan, SpanBatch } from './span-batch.ts'
import type { RowKey } from './statements.ts'
import { type StoredNode, type TraceState, traceKey } from './trace-memory.ts'

/** The spans of one trace in a batch. */
export interface TraceGroup {
  key: string
  spans: BatchedSpan[]
}

export interface Insert {
  node: StoredNode
  span: BatchedSpan
  lifecycle: Lifecycle
  /** An earlier version is stored at the same place: it is changed instead. */
  isInPlace: boolean
}

/** What one batch changes in one trace; nothing of it counts before it is stored. */
export interface Plan {
  key: string
  trace: TraceState
  nodes: Map<SpanId, StoredNode>
  inserts: Map<SpanId, Insert>
  removed: RowKey[]
}

/** A row that is stored with other totals than it should have now. */
export interface DerivedChange {
  key: RowKey
  node: StoredNode
  derived: Derived
}

/** Spans of a trace mostly stand together, so most of them are found by a look at the one before. */
export function groupByTrace(batch: SpanBatch): TraceGroup[] {
  const groups = new Map<string, TraceGroup>()
  let last: TraceGroup | undefined
  for (const span of batch.spans) {
    const before = last?.spans[0]
    if (before?.trace_id !== span.trace_id || before.sender.project_id !== span.sender.project_id) {
      const key = traceKey(span.sender.project_id, span.trace_id)
      last = groups.get(key)
      if (!last) {
        last = { key, spans: [] }
        groups.set(key, last)
      }
    }
    last?.spans.push(span)
  }
  return [...groups.values()]
}

export const newPlan = (key: string, trace: TraceState): Plan => ({
  key,
  trace,
  nodes: new Map(trace.nodes),
  inserts: new Map(),
  removed: [],
})

/** Stands in a node until its batch is stored. */
const NOT_DERIVED: Derived = { cumulative: [], trace_type: 'unknown', is_trace_head: false }

/** Decides what becomes of one span: of several versions in one batch the last decides. */
export function planSpan(plan: Plan, span: BatchedSpan, now: Micros): 'inserted' | 'replaced' | 'known' {
  const { sender, node: own, content_hash } = span
  const { project_id, user_id, accepted_at } = sender
  const { span_id } = own
  const present = plan.nodes.get(span_id)
  if (present && isKnown(present, content_hash, accepted_at)) return 'known'
  const created_at = present ? present.created_at : now
  const created_by_id = present ? present.created_by_id : user_id
  const node = { ...own, derived: NOT_DERIVED, content_hash, accepted_at, created_at, created_by_id }
  const [updated_at, updated_by_id] = present ? [now, user_id] : [0, NIL_UUID]
  const lifecycle = { project_id, created_at, created_by_id, updated_at, updated_by_id, accepted_at, content_hash }
  const stored = plan.trace.nodes.get(span_id)
  const isInPlace = stored?.start_time === own.start_time
  if (present) plan.removed = plan.removed.filter(key => key.span_id !== span_id)
  // The start time is part of the key: the row has to move.
  if (stored && !isInPlace)
    plan.removed.push({ project_id, trace_id: span.trace_id, span_id, start_time: stored.start_time })
  plan.nodes.set(span_id, node)
  plan.inserts.set(span_id, { node, span, lifecycle, isInPlace })
  return present ? 'replaced' : 'inserted'
}

/** The same content, or an earlier version than the one that is there. */
function isKnown(present: StoredNode, content_hash: string, accepted_at: Micros): boolean {
  if (present.content_hash !== content_hash) return present.accepted_at > accepted_at
  // Sent again after another version that may still be on its way: that one is older than this.
  if (accepted_at > present.accepted_at) present.accepted_at = accepted_at
  return true
}

/** The rows of other spans whose totals, trace type or place as head are not what is stored. */
export function changesOf(plan: Plan, derived: ReadonlyMap<SpanId, Derived>): DerivedChange[] {
  const changes: DerivedChange[] = []
  if (plan.inserts.size === plan.nodes.size) return changes
  const { project_id, trace_id } = plan.trace
  for (const [span_id, node] of plan.nodes) {
    const now = derived.get(span_id) as Derived
    if (plan.inserts.has(span_id) || equalDerived(node.derived, now)) continue
    changes.push({ key: { project_id, trace_id, span_id, start_time: node.start_time }, node, derived: now })
  }
  return changes
}

export function hasRoot(nodes: ReadonlyMap<SpanId, StoredNode>): boolean {
  for (const node of nodes.values()) if (node.parent_id === null) return true
  return false
}

export function hasHeadWithoutRoot(nodes: ReadonlyMap<SpanId, StoredNode>): boolean {
  if (hasRoot(nodes)) return false
  for (const node of nodes.values()) if (node.derived.is_trace_head) return true
  return false
}
