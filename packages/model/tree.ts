import { byStartThenId, cycleTops, type LinkedSpan } from './totals/cycles.ts'

/** The fields of a span that nesting needs; all others are passed through. */
export interface NestedSpan extends LinkedSpan {
  /** Undefined for roots. */
  readonly parent_id?: string | undefined
  readonly span_name: string
}

/** A span and its children; undefined if it has none. */
export interface TreeNode<S extends NestedSpan> {
  readonly span: S
  spans: SpanLevel<S> | undefined
}

/**
 * Sibling spans by name, the names in the order of the first span of each; the spans of a name are in the same order.
 */
export type SpanLevel<S extends NestedSpan> = ReadonlyMap<string, readonly TreeNode<S>[]>

/**
 * The tree of one trace, built from parent ids only. Children are ordered by start time. At the top are the roots,
 * latest start first, then the spans whose parent is not among `spans` (and the earliest span of every cycle), by start
 * time. Fast for many spans: it compares only ids and times.
 */
export function nestSpans<S extends NestedSpan>(spans: readonly S[]): SpanLevel<S> {
  const byStart = [...spans].sort(byStartThenId)
  const byId = new Map(byStart.map(span => [span.span_id, span]))
  const tops = cycleTops(byStart, byId)
  const nodes = new Map<string, TreeNode<S>>()
  const children = new Map<string, TreeNode<S>[]>()
  const roots: TreeNode<S>[] = []
  const orphans: TreeNode<S>[] = []
  for (const span of byStart) {
    const { span_id, parent_id } = span
    const node: TreeNode<S> = { span, spans: undefined }
    nodes.set(span_id, node)
    if (parent_id === undefined) roots.push(node)
    else if (!byId.has(parent_id) || tops.has(span)) orphans.push(node)
    else if (!children.get(parent_id)?.push(node)) children.set(parent_id, [node])
  }
  for (const [parent_id, group] of children) (nodes.get(parent_id) as TreeNode<S>).spans = byName(group)
  return byName([...roots.reverse(), ...orphans])
}

const byName = <S extends NestedSpan>(group: readonly TreeNode<S>[]): SpanLevel<S> =>
  Map.groupBy(group, node => node.span.span_name)
