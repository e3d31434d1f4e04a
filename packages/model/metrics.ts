import {
  AMOUNTS,
  type Amounts,
  equalAmounts,
  NO_AMOUNTS,
  SUMMED_METRICS,
  type SummedMetric,
  sumAmounts,
  toAmount,
} from './amounts.ts'
import { byStartThenId, cycleTops } from './cycles.ts'
import type { SpanId } from './identifiers.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from './json.ts'
import { CALL_TYPES, type Span, type TraceType } from './span.ts'
import type { Micros } from './time.ts'

/** What one span brings into its trace's totals, and what of it decides over the trace. */
export interface TraceNode {
  readonly span_id: SpanId
  /** Null on roots. */
  readonly parent_id: SpanId | null
  readonly start_time: Micros
  /** The span's own (incremental) amounts. */
  readonly own: Amounts
  /** Cumulative amounts that the client sent: they count where the roll-up finds nothing. Null: none sent. */
  readonly claimed: Amounts | null
  readonly declared_trace_type: TraceType | null
  readonly is_trace_type_explicit: boolean
  /** The span itself says that its usage is that of the spans below it. */
  readonly repeats_usage: boolean
  /** It is of one of the {@link CALL_TYPES}. */
  readonly is_call: boolean
}

/**
 * What of a span's own usage is said a second time: frameworks repeat on the span around calls what the calls have used.
 * It counts once, where it was used; see {@link rollUp}.
 */
export const RESTATEMENTS = ['none', 'tokens', 'costs', 'tokens and costs'] as const
export type Restatement = (typeof RESTATEMENTS)[number]

/** What follows for a span from its whole trace. */
export interface Derived {
  readonly cumulative: Amounts
  readonly restated: Restatement
  readonly trace_type: TraceType
  readonly is_trace_head: boolean
}

export function measureSpan(span: Span): TraceNode {
  const metrics = isJsonObject(span.attributes.ag.metrics) ? span.attributes.ag.metrics : {}
  const claimed = claimedAmounts(metrics)
  return {
    span_id: span.span_id,
    parent_id: span.parent_id ?? null,
    start_time: span.start_time,
    own: amountsOf(metrics, 'incremental'),
    claimed: claimed === NO_AMOUNTS ? null : claimed,
    declared_trace_type: span.declared_trace_type ?? null,
    is_trace_type_explicit: span.is_trace_type_explicit ?? false,
    repeats_usage: span.repeats_usage ?? false,
    is_call: CALL_TYPES.has(span.span_type),
  }
}

/** The span's own duration in milliseconds with three decimals: what `ag.metrics.duration.cumulative` says. */
export function durationMillis(span: Span): number {
  const micros = span.end_time - span.start_time
  if (micros > 0) return micros / 1000
  const metrics = span.attributes.ag.metrics
  const duration = isJsonObject(metrics) ? metrics.duration : undefined
  return (isJsonObject(duration) ? numberOf(duration.cumulative) : undefined) ?? 0
}

/** The cumulative amounts that a client sent in `ag.metrics`; {@link NO_AMOUNTS} when there are none. */
export const claimedAmounts = (metrics: JsonObject): Amounts => amountsOf(metrics, 'cumulative')

function amountsOf(metrics: JsonObject, view: 'incremental' | 'cumulative'): Amounts {
  let amounts: bigint[] | undefined
  for (const { metric, indexes } of SUMMED_METRICS) {
    const views = metrics[metric]
    const said = isJsonObject(views) ? views[view] : undefined
    if (said === undefined) continue
    for (const index of indexes) {
      const value = amountAt(said, (AMOUNTS[index] as (typeof AMOUNTS)[number]).key)
      if (!value) continue
      amounts ??= [...NO_AMOUNTS]
      amounts[index] = toAmount(value, index)
    }
  }
  return amounts ?? NO_AMOUNTS
}

const amountAt = (said: Json, key: string | null): number | undefined =>
  numberOf(key === null ? said : isJsonObject(said) ? said[key] : undefined)

/**
 * The totals of a whole trace: `cumulative(span) = own(span) + Σ cumulative(children)`, children found by parent id
 * alone, so that neither order nor clocks matter. A span whose parent is missing is the top of its own tree. A cycle
 * of parents is cut above its earliest span. Where a metric sums to nothing, what the client claimed counts.
 *
 * A span's own usage is left out of its total where it restates what its children's totals say already. That can be when
 * the span calls no model itself and all that was used below it was used by calls. Then its tokens are restated when they
 * are not all zero and each kind of them that is not zero equals the children's sum of that kind; its costs when the
 * same is true of them, or when its tokens are restated and its children have any costs (one use has one price).
 * A span that `repeats_usage` restates whatever its children say anything of, equal or not; there the larger amount is
 * the total, since it may know of a call whose span does not tell what it used, or tell of the last call alone. All this
 * asks for nothing but own amounts and children's totals, so it depends on no order; a late child makes a restatement or
 * ends it.
 *
 * The type is the one that the earliest span with a type in words declares, else `annotation` when any span suggests
 * it, else `invocation`. The head, the span that stands for the trace in lists, is the root that started last; a
 * trace without a root has one (its earliest span) only when `isRootless` says that none is expected any more.
 *
 * Takes O(spans), whatever the depth.
 */
export function rollUp(nodes: ReadonlyMap<SpanId, TraceNode>, isRootless = false): Map<SpanId, Derived> {
  const trace_type = traceTypeOf(nodes)
  const head = headOf(nodes, isRootless)
  // Most spans bring nothing and stand for nothing: they share one object, which makes a memory of many spans smaller.
  const nothing: Derived = NOTHING[trace_type]
  const derived = new Map<SpanId, Derived>()
  for (const { node, total } of sumUp(nodes)) {
    const { sum: cumulative, restated } = total as Total
    const is_trace_head = node.span_id === head
    const isNothing = cumulative === NO_AMOUNTS && restated === 'none' && !is_trace_head
    derived.set(node.span_id, isNothing ? nothing : { cumulative, restated, trace_type, is_trace_head })
  }
  return derived
}

const nothingIn = (trace_type: TraceType): Derived => ({
  cumulative: NO_AMOUNTS,
  restated: 'none',
  trace_type,
  is_trace_head: false,
})
const NOTHING: Record<TraceType, Derived> = {
  invocation: nothingIn('invocation'),
  annotation: nothingIn('annotation'),
  unknown: nothingIn('unknown'),
}

export const equalDerived = (one: Derived, other: Derived): boolean =>
  one.trace_type === other.trace_type &&
  one.restated === other.restated &&
  one.is_trace_head === other.is_trace_head &&
  equalAmounts(one.cumulative, other.cumulative)

/** A span while its trace is summed up. */
interface Summing {
  node: TraceNode
  /** Undefined on the top of a tree. */
  parent: Summing | undefined
  childrenLeft: number
  /** The sum of its children's totals so far. */
  below: Amounts
  /** Whether all of that was used by calls. */
  isOfCalls: boolean
  /** Set when all children are in. */
  total: Total | undefined
}

/** Leaves first: a span is settled once all its children are, and then added to its parent. */
function sumUp(nodes: ReadonlyMap<SpanId, TraceNode>): Iterable<Summing> {
  const all = new Map<SpanId, Summing>()
  for (const node of nodes.values())
    all.set(node.span_id, {
      node,
      parent: undefined,
      childrenLeft: 0,
      below: NO_AMOUNTS,
      isOfCalls: true,
      total: undefined,
    })
  for (const one of all.values()) {
    one.parent = one.node.parent_id === null ? undefined : all.get(one.node.parent_id)
    if (one.parent) one.parent.childrenLeft++
  }
  let settled = 0
  for (const one of all.values()) if (one.childrenLeft === 0) settled += settle(one)
  // What is left are cycles and nothing else: every node below one is settled, and each has one parent.
  if (settled < all.size)
    for (const top of cycleTops(unsettled(all.values()), nodes)) settle(cutAbove(all.get(top.span_id) as Summing))
  return all.values()
}

/** Settles a span and all above it that wait for nothing else. Returns how many that were. */
function settle(leaf: Summing): number {
  let count = 0
  for (let one: Summing | undefined = leaf; one && one.childrenLeft === 0 && !one.total; one = one.parent) {
    one.total = totalOf(one)
    count++
    if (!one.parent) break
    one.parent.below = sumAmounts(one.parent.below, one.total.sum)
    one.parent.isOfCalls &&= one.isOfCalls && (one.total.restated !== 'none' || usesAsCall(one.node))
    one.parent.childrenLeft--
  }
  return count
}

interface Total {
  sum: Amounts
  restated: Restatement
}

const usesAsCall = ({ is_call, own, claimed }: TraceNode): boolean =>
  is_call || (!hasUsage(own) && (claimed === null || !hasUsage(claimed)))

const hasUsage = (amounts: Amounts): boolean =>
  amounts !== NO_AMOUNTS && (isSaid(amounts, 'tokens') || isSaid(amounts, 'costs'))

const isSaid = (amounts: Amounts, metric: SummedMetric): boolean =>
  INDEXES_OF[metric].some(index => amounts[index] !== 0n)

function totalOf({ node, below, isOfCalls }: Summing): Total {
  const { own, claimed } = node
  const restated = own === NO_AMOUNTS || below === NO_AMOUNTS ? 'none' : restatementOf(node, below, isOfCalls)
  const sum =
    restated === 'none'
      ? sumAmounts(own, below)
      : below.map((value, index) => {
          const ofOwn = own[index] as bigint
          if (!isRestated(restated, index)) return value + ofOwn
          return node.repeats_usage && ofOwn > value ? ofOwn : value
        })
  return { sum: withClaims(sum, claimed), restated }
}

const isRestated = (restated: Restatement, index: number): boolean =>
  restated.includes((AMOUNTS[index] as (typeof AMOUNTS)[number]).metric)

const INDEXES_OF = Object.fromEntries(SUMMED_METRICS.map(({ metric, indexes }) => [metric, indexes])) as Record<
  SummedMetric,
  readonly number[]
>

/** `below`: the sum of the children's totals. */
function restatementOf({ own, repeats_usage, is_call }: TraceNode, below: Amounts, isOfCalls: boolean): Restatement {
  if (!repeats_usage && (is_call || !isOfCalls)) return 'none'
  const areSaidTwice = (metric: SummedMetric): boolean => isSaid(own, metric) && isSaid(below, metric)
  const areEqual = (metric: SummedMetric): boolean =>
    INDEXES_OF[metric].every(index => own[index] === 0n || own[index] === below[index])
  const tokens = areSaidTwice('tokens') && (repeats_usage || areEqual('tokens'))
  const costs = areSaidTwice('costs') && (repeats_usage || tokens || areEqual('costs'))
  return tokens ? (costs ? 'tokens and costs' : 'tokens') : costs ? 'costs' : 'none'
}

function* unsettled(all: Iterable<Summing>): Iterable<TraceNode> {
  for (const { node, total } of all) if (!total) yield node
}

/** The parent of a cycle's top no longer waits for it: that is where settling begins. */
function cutAbove(top: Summing): Summing {
  const parent = top.parent as Summing
  top.parent = undefined
  parent.childrenLeft--
  return parent
}

/** Metric by metric: a sum of nothing gives way to what the client claimed. */
function withClaims(sum: Amounts, claimed: Amounts | null): Amounts {
  if (claimed === null) return sum
  let result = sum
  for (const { indexes } of SUMMED_METRICS) {
    if (indexes.some(index => sum[index] !== 0n)) continue
    result = result.map((value, index) => (indexes.includes(index) ? (claimed[index] as bigint) : value))
  }
  return result
}

function traceTypeOf(nodes: ReadonlyMap<SpanId, TraceNode>): TraceType {
  let explicit: TraceNode | undefined
  let type: TraceType = 'invocation'
  for (const node of nodes.values()) {
    if (node.declared_trace_type === null) continue
    if (!node.is_trace_type_explicit) type = node.declared_trace_type
    else if (!explicit || isEarlier(node, explicit)) explicit = node
  }
  return explicit?.declared_trace_type ?? type
}

function headOf(nodes: ReadonlyMap<SpanId, TraceNode>, isRootless: boolean): SpanId | undefined {
  let root: TraceNode | undefined
  let earliest: TraceNode | undefined
  for (const node of nodes.values()) {
    if (node.parent_id === null && (!root || isEarlier(root, node))) root = node
    if (!earliest || isEarlier(node, earliest)) earliest = node
  }
  return (root ?? (isRootless ? earliest : undefined))?.span_id
}

const isEarlier = (one: TraceNode, other: TraceNode): boolean => byStartThenId(one, other) < 0
