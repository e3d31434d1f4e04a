import type { SpanId } from './identifiers.ts'
import { haveEqualTokens, type ModelCall, mayBeSameModel } from './model-call.ts'
import type { TraceNode } from './trace-node.ts'

/** With how many calls of the same tokens, the latest that started before it, a call is compared. */
const COMPARED_CALLS_MAX = 16
/** Over how many levels two spans that record the same call may be apart from their common ancestor. */
const COMPARED_LEVELS_MAX = 16

interface RecordedCall extends TraceNode {
  readonly call: ModelCall
}

/**
 * The calls that another span records, too, neither of them inside the other: a framework's span and that of the
 * instrumented library that it uses, whose parent is the span that was active. That can be told only if
 *
 * - two different instrumentations recorded them (both scopes are named),
 * - they have the same tokens, prompt tokens among them, and may be of the same model,
 * - one started and ended while the other one ran, and
 * - the parent of one of them is above the other one as well, at most {@link COMPARED_LEVELS_MAX} levels up.
 *
 * The one that ran within the other is the repeated one, and a span repeats only one of each instrumentation. Each is
 * compared with the {@link COMPARED_CALLS_MAX} last ones that started before it: further calls with the same tokens run
 * at the same time only where many calls do, and there a pair cannot be told from a coincidence.
 *
 * Takes O(calls · log calls).
 */
export function repeatedCalls(nodes: ReadonlyMap<SpanId, TraceNode>): ReadonlySet<SpanId> {
  let repeated: Set<SpanId> | undefined
  for (const group of callsWithEqualTokens(nodes)) {
    group.sort(byStartThenEnd)
    const partners = new Map<SpanId, Set<string>>()
    for (const [index, inner] of group.entries()) {
      const outer = group
        .slice(Math.max(0, index - COMPARED_CALLS_MAX), index)
        .findLast(
          one => !repeated?.has(one.span_id) && isRecordedBy(one, inner, partners) && isBeside(one, inner, nodes),
        )
      if (!outer) continue
      repeated ??= new Set()
      repeated.add(inner.span_id)
      const sources = partners.get(outer.span_id)
      if (sources) sources.add(inner.call.source)
      else partners.set(outer.span_id, new Set([inner.call.source]))
    }
  }
  return repeated ?? NONE
}

const NONE: ReadonlySet<SpanId> = new Set()

/** Groups of more than one instrumentation. */
function callsWithEqualTokens(nodes: ReadonlyMap<SpanId, TraceNode>): Iterable<RecordedCall[]> {
  let first: RecordedCall | undefined
  let groups: Map<string, RecordedCall[]> | undefined
  for (const node of nodes.values()) {
    if (!isRecorded(node)) continue
    first ??= node
    if (first.call.source !== node.call.source) {
      groups = groupByTokens(nodes)
      break
    }
  }
  return groups ? [...groups.values()].filter(group => group.length > 1) : []
}

function groupByTokens(nodes: ReadonlyMap<SpanId, TraceNode>): Map<string, RecordedCall[]> {
  const calls = [...nodes.values()].filter(isRecorded)
  return Map.groupBy(calls, ({ own }) => `${own[PROMPT]} ${own[COMPLETION]}`)
}

const [PROMPT, COMPLETION] = [1, 2]

const isRecorded = (node: TraceNode): node is RecordedCall =>
  node.call !== null && node.call.source !== '' && (node.own[PROMPT] as bigint) > 0n

const byStartThenEnd = (one: RecordedCall, other: RecordedCall): number =>
  one.start_time - other.start_time || other.call.end_time - one.call.end_time || (one.span_id < other.span_id ? -1 : 1)

function isRecordedBy(outer: RecordedCall, inner: RecordedCall, partners: Map<SpanId, Set<string>>): boolean {
  return (
    outer.call.source !== inner.call.source &&
    outer.call.end_time >= inner.call.end_time &&
    haveEqualTokens(outer.own, inner.own) &&
    mayBeSameModel(outer.call, inner.call) &&
    !partners.get(outer.span_id)?.has(inner.call.source)
  )
}

/** Whether the parent of one is above the other one, and neither is above the other. */
function isBeside(one: TraceNode, other: TraceNode, nodes: ReadonlyMap<SpanId, TraceNode>): boolean {
  if (one.parent_id === other.parent_id) return true
  const aboveOne = idsAbove(one, nodes)
  const aboveOther = idsAbove(other, nodes)
  if (aboveOne.includes(other.span_id) || aboveOther.includes(one.span_id)) return false
  return (
    (one.parent_id !== null && aboveOther.includes(one.parent_id)) ||
    (other.parent_id !== null && aboveOne.includes(other.parent_id))
  )
}

function idsAbove(node: TraceNode, nodes: ReadonlyMap<SpanId, TraceNode>): SpanId[] {
  const ids: SpanId[] = []
  let above: TraceNode | undefined = node
  while (above && above.parent_id !== null && ids.length < COMPARED_LEVELS_MAX) {
    ids.push(above.parent_id)
    above = nodes.get(above.parent_id)
  }
  return ids
}
