import { byStartThenId, cycleTops, type LinkedSpan } from './cycles.ts'

/** What nesting needs to know of a span; everything else is carried along. */
export interface NestedSpan extends LinkedSpan {
  /** Of roots undefined. */
  readonly parent_id?: string | undefined
  readonly span_name: string
}

/** A span, and what stands below it; undefined where nothing does. */
export interface TreeNode<S extends NestedSpan> {
  readonly span: S
  spans: SpanLevel<S> | undefined
}

/** Spans that stand beside each other by name, the names in the order of the first span of each; so are the spans of a name. */
export type SpanLevel<S extends NestedSpan> = ReadonlyMap<string, readonly TreeNode<S>[]>

/**
 * The tree of one trace, built by parent id alone. Children are in order of start. At the top stand the roots, the one that
 * started last first, then the spans whose parent is not among `spans` (and the earliest of every cycle), in order
 * of start. Short for many spans: it is told apart by ids and times only.
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
