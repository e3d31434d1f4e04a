import type { Skeleton } from '../api/queries.ts'

/** No parent. */
export const NONE = -1

/**
 * The spans of a trace by column, in the order of their start; an index stands for a span. It is made for a hundred
 * thousand of them, so nothing here makes an object for each.
 */
export interface Trace {
  readonly count: number
  /** Spans of the trace, of which the later ones may still be on their way. */
  readonly total: number
  readonly beganAt: string
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly types: readonly string[]
  /** {@link NONE} for roots, for spans whose parent has not arrived, and where a cycle is cut. */
  readonly parents: Int32Array
  /** Whether a span names a parent that is not here. */
  readonly isOrphan: Uint8Array
  readonly depths: Int32Array
  /** Microseconds since the beginning. */
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly isError: Uint8Array
  readonly errors: Float64Array
  readonly tokens: Float64Array
  readonly ownTokens: Float64Array
  readonly costs: Float64Array
  readonly ownCosts: Float64Array
  /** All spans, each followed by those below it. */
  readonly preorder: Int32Array
  /** The place of a span in it. */
  readonly ranks: Int32Array
  /** How many spans are below a span, with itself. */
  readonly sizes: Int32Array
  readonly indexOf: ReadonlyMap<string, number>
  /** Until the last end. */
  readonly lastsMicros: number
  readonly session: string | undefined
  readonly user: string | undefined
}

/** Puts the windows of a skeleton together. */
export function traceOf(windows: readonly Skeleton[]): Trace {
  const [first] = windows
  const began = Date.parse(first?.began_at ?? '') * 1000
  const shift = windows.map(({ began_at }) => exactMicros(began_at) - exactMicros(first?.began_at))
  const column = (pick: (window: Skeleton) => readonly number[]): Float64Array =>
    Float64Array.from(windows.flatMap(window => pick(window)))
  const named = (pick: (window: Skeleton) => readonly number[]): string[] =>
    windows.flatMap(window => pick(window).map(index => window.names[index] ?? ''))
  const ids = windows.flatMap(({ spans }) => spans.span_id)
  const starts = Float64Array.from(
    windows.flatMap(({ spans }, at) => spans.start.map(start => start + (shift[at] ?? 0))),
  )
  const durations = column(({ spans }) => spans.duration)
  const ends = starts.map((start, index) => start + (durations[index] as number) * 1000)
  const indexOf = new Map(ids.map((id, index) => [id, index]))
  const parentIds = windows.flatMap(({ spans }) => spans.parent_id)
  const tree = treeOf(parentIds.map(id => indexOf.get(id) ?? NONE))
  return {
    count: ids.length,
    total: windows.at(-1)?.total ?? 0,
    beganAt: first?.began_at ?? new Date(began / 1000 || 0).toISOString(),
    ids,
    names: named(({ spans }) => spans.span_name),
    types: named(({ spans }) => spans.span_type),
    ...tree,
    isOrphan: Uint8Array.from(parentIds, id => (id !== '' && !indexOf.has(id) ? 1 : 0)),
    starts,
    ends,
    isError: Uint8Array.from(column(({ spans }) => spans.is_error)),
    errors: column(({ spans }) => spans.errors),
    tokens: column(({ spans }) => spans.tokens),
    ownTokens: column(({ spans }) => spans.own_tokens),
    costs: column(({ spans }) => spans.costs),
    ownCosts: column(({ spans }) => spans.own_costs),
    indexOf,
    lastsMicros: ends.reduce((last, end) => Math.max(last, end), 1),
    session: windows.find(({ session_id }) => session_id)?.session_id,
    user: windows.find(({ user_id }) => user_id)?.user_id,
  }
}

/** ISO times with microseconds, which `Date` drops. */
function exactMicros(iso = '1970-01-01T00:00:00.000000Z'): number {
  const micros = /\.\d{3}(\d{3})/.exec(iso)?.[1] ?? '0'
  return Date.parse(iso) * 1000 + Number(micros)
}

type Tree = Pick<Trace, 'parents' | 'depths' | 'preorder' | 'ranks' | 'sizes'>

function treeOf(given: readonly number[]): Tree {
  const count = given.length
  const parents = Int32Array.from(given)
  const [firstChild, nextSibling] = [new Int32Array(count).fill(NONE), new Int32Array(count).fill(NONE)]
  for (let span = count - 1; span >= 0; span--) {
    const parent = parents[span] as number
    if (parent === NONE) continue
    nextSibling[span] = firstChild[parent] as number
    firstChild[parent] = span
  }
  const zeros = (): Int32Array<ArrayBuffer> => new Int32Array(count)
  const tree = { parents, depths: zeros(), preorder: zeros(), ranks: zeros(), sizes: zeros() }
  const isSeen = new Uint8Array(count)
  let at = 0
  const walk = (root: number): void => {
    const stack = [root]
    for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
      if (isSeen[span]) continue
      isSeen[span] = 1
      tree.ranks[span] = at
      tree.preorder[at++] = span
      const parent = parents[span] as number
      tree.depths[span] = parent === NONE ? 0 : (tree.depths[parent] as number) + 1
      const children: number[] = []
      for (let child = firstChild[span] as number; child !== NONE; child = nextSibling[child] as number)
        if (!isSeen[child]) children.push(child)
      for (const child of children.reverse()) stack.push(child)
    }
  }
  for (let span = 0; span < count; span++) if (parents[span] === NONE) walk(span)
  // What is left is on cycles and below them: each cycle is cut at its earliest span.
  for (let span = 0; span < count; span++)
    if (!isSeen[span]) {
      const top = earliestOnCycle(parents, span)
      parents[top] = NONE
      walk(top)
    }
  for (let index = count - 1; index >= 0; index--) {
    const span = tree.preorder[index] as number
    tree.sizes[span] = (tree.sizes[span] as number) + 1
    const parent = parents[span] as number
    if (parent !== NONE) tree.sizes[parent] = (tree.sizes[parent] as number) + (tree.sizes[span] as number)
  }
  return tree
}

/** Of the cycle that the ancestors of a span end in. */
function earliestOnCycle(parents: Int32Array, span: number): number {
  const passed = new Set<number>()
  let at = span
  for (; !passed.has(at); at = parents[at] as number) passed.add(at)
  let earliest = at
  for (let one = parents[at] as number; one !== at; one = parents[one] as number) earliest = Math.min(earliest, one)
  return earliest
}

/** The spans in the rows of the tree: all but those below a collapsed one. */
export function rowsOf({ preorder, sizes, count }: Trace, collapsed: ReadonlySet<number>): Int32Array {
  const rows = new Int32Array(count)
  let length = 0
  for (let at = 0; at < count; ) {
    const span = preorder[at] as number
    rows[length++] = span
    at += collapsed.has(span) ? (sizes[span] as number) : 1
  }
  return rows.subarray(0, length)
}

/** The place of each span among those with the same parent, from 1, and how many these are. */
export interface Siblings {
  readonly places: Int32Array
  readonly counts: Int32Array
}

/** Of all spans, or of those that are marked. */
export function siblingsOf({ parents, preorder, count }: Trace, isShown?: Uint8Array): Siblings {
  const [places, counts, ofParent] = [new Int32Array(count), new Int32Array(count), new Int32Array(count + 1)]
  const slotOf = (span: number): number => (parents[span] as number) - NONE
  for (const span of preorder) {
    if (isShown?.[span] === 0) continue
    const place = (ofParent[slotOf(span)] as number) + 1
    places[span] = place
    ofParent[slotOf(span)] = place
  }
  for (let span = 0; span < count; span++) counts[span] = ofParent[slotOf(span)] as number
  return { places, counts }
}

/**
 * The spans that the duration of the trace depends on: going back from the end of each, the child that ended last
 * before, and so on.
 */
export function criticalPath({ parents, preorder, starts, ends, count }: Trace): Uint8Array {
  const isOn = new Uint8Array(count)
  const children = new Map<number, number[]>()
  for (const span of preorder) {
    const parent = parents[span] as number
    const siblings = children.get(parent)
    if (siblings) siblings.push(span)
    else children.set(parent, [span])
  }
  const [root] = preorder
  const stack = root === undefined ? [] : [root]
  for (let span = stack.pop(); span !== undefined; span = stack.pop()) {
    isOn[span] = 1
    let until = ends[span] as number
    const byEnd = (children.get(span) ?? []).sort((one, other) => (ends[other] as number) - (ends[one] as number))
    for (const child of byEnd)
      if ((ends[child] as number) <= until) {
        stack.push(child)
        until = starts[child] as number
      }
  }
  return isOn
}

/** Whether all spans are here: of a large trace the first ones are shown before. */
export const isWhole = ({ count, total }: Trace): boolean => count >= total

/** A number of the spans that are here, which is that of the trace only once all of them are. */
export const atLeast = (trace: Trace, text: string): string => (isWhole(trace) ? text : `≥ ${text}`)

/** The span that comes first in the tree. */
export const rootOf = (trace: Trace): number => trace.preorder[0] ?? NONE

/** How long a span took, in milliseconds. */
export const msOf = ({ starts, ends }: Pick<Trace, 'starts' | 'ends'>, span: number): number =>
  Math.round((ends[span] ?? 0) - (starts[span] ?? 0)) / 1000

/** The spans whose totals add up to those of the trace. While others are on their way, their parents may be among these. */
export const topsOf = (trace: Trace): Int32Array =>
  isWhole(trace) ? trace.preorder.filter(span => trace.parents[span] === NONE) : trace.preorder.subarray(0, 1)

/** A part of the time of a trace, as shares of it. */
export interface Zoom {
  from: number
  to: number
}
