import type { Json, JsonObject } from './json.ts'

/** What nesting needs to know of a span in the interface's shape; everything else is carried along. */
export interface FlatSpan extends JsonObject {
  span_id: string
  span_name: string
  start_time: string
}

/**
 * The tree of one trace as the interface shows it: children stand under `spans` of their parent, keyed by name; one
 * child of a name is an object, several are a list in order of start. At the top stand the roots, the one that
 * started last first, then the spans whose parent is not among `spans` (and the earliest of every cycle), in order
 * of start. Built by parent id alone. The given spans become the nodes: `spans` is added to them.
 */
export function nestSpans<S extends FlatSpan>(spans: readonly S[]): Record<string, Json> {
  const byStart = [...spans].sort(byStartThenId)
  const byId = new Map(byStart.map(span => [span.span_id, span]))
  const cycleTops = topsOfCycles(byStart, byId)
  const children = new Map<string, S[]>()
  const roots: S[] = []
  const orphans: S[] = []
  for (const span of byStart) {
    const parent_id = parentOf(span)
    if (parent_id === undefined) roots.unshift(span)
    else if (!byId.has(parent_id) || cycleTops.has(span.span_id)) orphans.push(span)
    else if (!children.get(parent_id)?.push(span)) children.set(parent_id, [span])
  }
  for (const [parent_id, group] of children) (byId.get(parent_id) as JsonObject).spans = byName(group)
  return byName([...roots, ...orphans])
}

/** All spans of a tree, in no particular order, without their `spans`: the inverse of {@link nestSpans}. */
export function flattenSpans(tree: Record<string, Json>): JsonObject[] {
  const flat: JsonObject[] = []
  const open = [tree]
  for (let level = open.pop(); level; level = open.pop()) {
    for (const entry of Object.values(level)) {
      for (const node of (Array.isArray(entry) ? entry : [entry]) as JsonObject[]) {
        const { spans, ...span } = node
        flat.push(span)
        if (spans) open.push(spans as Record<string, Json>)
      }
    }
  }
  return flat
}

const parentOf = (span: FlatSpan): string | undefined => span.parent_id as string | undefined

function byName(group: readonly FlatSpan[]): Record<string, Json> {
  // Without a prototype: `__proto__` and `constructor` are names like any other.
  const named: Record<string, Json> = Object.create(null)
  for (const span of group) {
    const present = named[span.span_name]
    if (present === undefined) named[span.span_name] = span
    else if (Array.isArray(present)) present.push(span)
    else named[span.span_name] = [present, span]
  }
  return named
}

/** The earliest span of each cycle of parents, so that a cycle shows up too. `byStart` is in order of start. */
function topsOfCycles<S extends FlatSpan>(byStart: readonly S[], byId: ReadonlyMap<string, S>): Set<string> {
  const tops = new Set<string>()
  const done = new Set<string>()
  for (const span of byStart) {
    const path = new Set<string>()
    let next: S | undefined = span
    while (next && !done.has(next.span_id) && !path.has(next.span_id)) {
      path.add(next.span_id)
      const parent_id: string | undefined = parentOf(next)
      next = parent_id === undefined ? undefined : byId.get(parent_id)
    }
    if (next && path.has(next.span_id)) tops.add(earliestOnCycle(next, byId))
    for (const id of path) done.add(id)
  }
  return tops
}

function earliestOnCycle<S extends FlatSpan>(start: S, byId: ReadonlyMap<string, S>): string {
  let earliest = start
  let span = byId.get(parentOf(start) as string) as S
  while (span !== start) {
    if (byStartThenId(span, earliest) < 0) earliest = span
    span = byId.get(parentOf(span) as string) as S
  }
  return earliest.span_id
}

/** ISO times in UTC with an optional fraction: `…:00Z` sorts after `…:00.5Z` as text, so the suffix is left out. */
function byStartThenId(one: FlatSpan, other: FlatSpan): number {
  const a = one.start_time.slice(0, -1)
  const b = other.start_time.slice(0, -1)
  if (a !== b) return a < b ? -1 : 1
  return one.span_id < other.span_id ? -1 : one.span_id > other.span_id ? 1 : 0
}
