import type { Micros } from './time.ts'

/** What nesting needs to know of a span; everything else is carried along. */
export interface NestedSpan {
  readonly span_id: string
  /** Of roots undefined. */
  readonly parent_id?: string | undefined
  readonly span_name: string
  readonly start_time: Micros
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
  const cycleTops = topsOfCycles(byStart, byId)
  const nodes = new Map<string, TreeNode<S>>()
  const children = new Map<string, TreeNode<S>[]>()
  const roots: TreeNode<S>[] = []
  const orphans: TreeNode<S>[] = []
  for (const span of byStart) {
    const { span_id, parent_id } = span
    const node: TreeNode<S> = { span, spans: undefined }
    nodes.set(span_id, node)
    if (parent_id === undefined) roots.push(node)
    else if (!byId.has(parent_id) || cycleTops.has(span_id)) orphans.push(node)
    else if (!children.get(parent_id)?.push(node)) children.set(parent_id, [node])
  }
  for (const [parent_id, group] of children) (nodes.get(parent_id) as TreeNode<S>).spans = byName(group)
  return byName([...roots.reverse(), ...orphans])
}

const byName = <S extends NestedSpan>(group: readonly TreeNode<S>[]): SpanLevel<S> =>
  Map.groupBy(group, node => node.span.span_name)

/** The earliest span of each cycle of parents, so that a cycle shows up too. `byStart` is in order of start. */
function topsOfCycles<S extends NestedSpan>(byStart: readonly S[], byId: ReadonlyMap<string, S>): Set<string> {
  const tops = new Set<string>()
  const done = new Set<string>()
  for (const span of byStart) {
    const path = new Set<string>()
    let next: S | undefined = span
    while (next && !done.has(next.span_id) && !path.has(next.span_id)) {
      path.add(next.span_id)
      const parent_id: string | undefined = next.parent_id
      next = parent_id === undefined ? undefined : byId.get(parent_id)
    }
    if (next && path.has(next.span_id)) tops.add(earliestOnCycle(next, byId))
    for (const id of path) done.add(id)
  }
  return tops
}

function earliestOnCycle<S extends NestedSpan>(start: S, byId: ReadonlyMap<string, S>): string {
  let earliest = start
  let span = byId.get(start.parent_id as string) as S
  while (span !== start) {
    if (byStartThenId(span, earliest) < 0) earliest = span
    span = byId.get(span.parent_id as string) as S
  }
  return earliest.span_id
}

function byStartThenId(one: NestedSpan, other: NestedSpan): number {
  if (one.start_time !== other.start_time) return one.start_time - other.start_time
  return one.span_id < other.span_id ? -1 : one.span_id > other.span_id ? 1 : 0
}
