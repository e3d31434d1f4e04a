import type { Derived, SpanId, TraceId, Uuid } from '@spanhouse/model'
import type { BatchedSpan, SpanBatch } from '../bytes/span-batch.ts'
import type { StoredNode } from '../stored-node.ts'
import type { PlannedDeletion, TraceDeletion } from './deletions.ts'
import type { RowKey } from './statements.ts'
import { type TracePlace, type TraceState, traceKey } from './trace-memory.ts'

/** The spans of one trace in a batch, and its deletions. */
export interface TraceGroup {
  key: string
  place: TracePlace
  spans: BatchedSpan[]
  deletions: TraceDeletion[]
}

/** A span of a batch with its node. */
export interface IncomingNode {
  span: BatchedSpan
  node: StoredNode
}

export interface Insert extends IncomingNode {
  /** Whether an earlier version is stored or came earlier in the same batch. */
  isChange: boolean
  /** An earlier version is stored under the same key, so the row is updated instead of inserted. */
  isInPlace: boolean
  /** The version that was stored before the batch. */
  stored: StoredNode | undefined
}

/** What one batch changes in one trace. */
export interface Plan {
  key: string
  trace: TraceState
  inserts: Map<SpanId, Insert>
  /** Rows of outdated versions, by span. */
  removed: Map<SpanId, RowKey>
  /** Rows of spans that are deleted permanently, or have expired. */
  deleted: RowKey[]
  deletions: PlannedDeletion[]
}

/** A stored row whose totals must change. */
export interface DerivedChange {
  key: RowKey
  derived: Derived
  /** What it shows from now on as its session and its user, where that changes. */
  actors: Readonly<Record<string, string>>
}

/** Spans of a trace are usually adjacent, so most are found by checking the previous one. */
export function groupByTrace(batch: SpanBatch): TraceGroup[] {
  const groups = new Map<string, TraceGroup>()
  let last: TraceGroup | undefined
  for (const span of batch.spans) {
    const before = last?.spans[0]
    if (before?.trace_id !== span.trace_id || before.sender.project_id !== span.sender.project_id) {
      const key = traceKey(span.sender.project_id, span.trace_id)
      last = groups.get(key) ?? newGroup(groups, key, span.sender.project_id, span.trace_id)
    }
    last?.spans.push(span)
  }
  for (const deletion of batch.deletions) {
    const { project_id, trace_id } = deletion
    const key = traceKey(project_id, trace_id)
    const group = groups.get(key) ?? newGroup(groups, key, project_id, trace_id)
    group.deletions.push(deletion)
  }
  return [...groups.values()]
}

function newGroup(groups: Map<string, TraceGroup>, key: string, project_id: Uuid, trace_id: TraceId): TraceGroup {
  const group = { key, place: { project_id, trace_id }, spans: [], deletions: [] }
  groups.set(key, group)
  return group
}

export const newPlan = (key: string, trace: TraceState): Plan => ({
  key,
  trace,
  inserts: new Map(),
  removed: new Map(),
  deleted: [...trace.expired],
  deletions: [],
})

/**
 * Removes from the trace everything accepted up to its deletions. Runs before the trace's spans are planned, which see
 * the resulting state.
 */
export function planDeletions(
  plan: Plan,
  deletions: readonly TraceDeletion[],
  incoming: readonly IncomingNode[],
): void {
  const { project_id, trace_id } = plan.trace
  let { deleted_at } = plan.trace
  const { totals } = plan.trace
  for (const deletion of deletions.toSorted((one, other) => one.deleted_at - other.deleted_at)) {
    const span_ids = new Set<SpanId>()
    for (const {
      span: { sender },
      node,
    } of incoming)
      if (sender.accepted_at <= deletion.deleted_at && sender.accepted_at > deleted_at) span_ids.add(node.span_id)
    for (const { span_id, version, start_time } of totals.values()) {
      if (version.accepted_at > deletion.deleted_at) continue
      span_ids.add(span_id)
      totals.delete(span_id)
      plan.deleted.push({ project_id, trace_id, span_id, start_time })
    }
    deleted_at = Math.max(deleted_at, deletion.deleted_at)
    plan.deletions.push({ deletion, span_ids: [...span_ids] })
  }
  plan.trace = { ...plan.trace, deleted_at }
}

/** Decides what to do with one span: of several versions in one batch, the last one wins. */
export function planSpan(plan: Plan, incoming: IncomingNode): 'inserted' | 'replaced' | 'known' | 'deleted' {
  const { span, node } = incoming
  const { sender } = span
  const { span_id, start_time } = node
  if (sender.accepted_at <= plan.trace.deleted_at) return 'deleted'
  const { totals } = plan.trace
  const present = totals.get(span_id)
  if (present && isKnown(present, node)) return 'known'
  if (present) node.version = { ...present.version, accepted_at: sender.accepted_at }
  const earlier = present && plan.inserts.get(span_id)
  const stored = earlier ? earlier.stored : present
  const isInPlace = stored?.start_time === start_time && isRoot(stored) === isRoot(node)
  // The start time and being a root are part of the key, so the row has to move.
  if (stored && !isInPlace) plan.removed.set(span_id, { ...keyOf(plan.trace, span_id), start_time: stored.start_time })
  else if (present) plan.removed.delete(span_id)
  totals.set(node)
  plan.inserts.set(span_id, { span, node, isChange: present !== undefined, isInPlace, stored })
  return present ? 'replaced' : 'inserted'
}

const keyOf = ({ project_id, trace_id }: TraceState, span_id: SpanId) => ({ project_id, trace_id, span_id })

/** The same content, or a version older than the stored one. */
function isKnown(present: StoredNode, { version_hash, version: { accepted_at } }: StoredNode): boolean {
  if (present.version_hash !== version_hash) return present.version.accepted_at > accepted_at
  // Sent again after another version that may still be in transit: that one is older than this.
  if (accepted_at > present.version.accepted_at) present.version = { ...present.version, accepted_at }
  return true
}

/** The row of a span. */
export const rowKeyOf = (plan: Plan, { span_id, start_time }: StoredNode): RowKey => ({
  ...keyOf(plan.trace, span_id),
  start_time,
})

const isRoot = ({ parent_id }: StoredNode): boolean => parent_id === null
