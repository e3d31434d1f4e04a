import {
  AMOUNTS,
  type Amounts,
  equalAmounts,
  NO_AMOUNTS,
  SUMMED_METRICS,
  type SummedMetric,
  sumAmounts,
} from './amounts.ts'
import { byStartThenId, cycleTops } from './cycles.ts'
import { type Failure, isSameFailure } from './failure.ts'
import type { SpanId } from './identifiers.ts'
import { haveEqualTokens, type ModelCall, mayBeSameModel } from './model-call.ts'
import { repeatedCalls } from './repeated-calls.ts'
import type { TraceType } from './span.ts'
import type { TraceNode } from './trace-node.ts'

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

/**
 * The totals of a whole trace: `cumulative(span) = own(span) + Σ cumulative(children)`, children found by parent id
 * alone, so that neither order nor clocks matter. A total is not computed from
 * prompt and completion: conventions give the spans that they recognise one. A span whose parent is missing is the top of its own tree. A cycle
 * of parents is cut above its earliest span. Where a metric sums to nothing, what the client claimed counts.
 *
 * A span's own usage is left out of its total where it restates what its children's totals say already. That can be when
 * all that was used below it was used by calls. Then its tokens are restated when they are not all zero and each kind of
 * them that is not zero equals the children's sum of that kind; its costs when the same is true of them, or when its
 * tokens are restated and its children have any costs (one use has one price).
 *
 * A call restates under two more conditions, since instrumentations of several layers record the same call, one inside the
 * other: if one of the calls next below it, whatever is between them, has the same tokens; and if its children's totals
 * have no more of any kind of tokens and no step (a tool, an agent, a chain, a workflow) is between it and what was used
 * below. In all cases the calls next below it must possibly be of the same model ({@link mayBeSameModel}).
 *
 * A call that a span beside it records as well restates, too, all that it says; see {@link repeatedCalls}.
 *
 * A span that `repeats_usage` restates whatever its children say anything of, equal or not, since it may know of a call
 * whose span does not tell what it used, or tell of the last call alone. There, and around calls within calls, the larger
 * amount is the total. All this depends on the spans alone and on no order; a late child makes a restatement or ends it.
 *
 * One failure counts once: the error of a span is left out of its total if one of the failing spans next below it has
 * the same failure ({@link isSameFailure}), which it passed on.
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
  own: Amounts
  /** Undefined on the top of a tree. */
  parent: Summing | undefined
  childrenLeft: number
  /** The sum of its children's totals so far. */
  below: Amounts
  /** Whether all of that was used by calls. */
  isOfCalls: boolean
  /** Whether a step is between it and some of that. */
  hasSteps: boolean
  /** The calls next below it: those with no other call between. Undefined if there are none. */
  calls: TraceNode[] | undefined
  /** The failures next below it: those with no other failing span between. Undefined if none is known. */
  failures: Failure[] | undefined
  /** Another span records the call, too, and its tokens count there. */
  isRepeated: boolean
  /** Set when all children are in. */
  total: Total | undefined
}

/** Leaves first: a span is settled once all its children are, and then added to its parent. */
function sumUp(nodes: ReadonlyMap<SpanId, TraceNode>): Iterable<Summing> {
  const repeated = repeatedCalls(nodes)
  const all = new Map<SpanId, Summing>()
  for (const node of nodes.values())
    all.set(node.span_id, {
      node,
      own: node.own,
      parent: undefined,
      childrenLeft: 0,
      below: NO_AMOUNTS,
      isOfCalls: true,
      hasSteps: false,
      calls: undefined,
      failures: undefined,
      isRepeated: repeated.has(node.span_id),
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
    addTo(one.parent, one, one.total)
  }
  return count
}

function addTo(parent: Summing, child: Summing, { sum, restated }: Total): void {
  parent.childrenLeft--
  if (sum === NO_AMOUNTS) return
  parent.below = sumAmounts(parent.below, sum)
  parent.isOfCalls &&= child.isOfCalls && (restated !== 'none' || usesAsCall(child.node))
  parent.hasSteps ||= (child.node.is_step && hasUsage(sum)) || (child.hasSteps && child.node.call === null)
  const calls = child.node.call ? [child.node] : child.calls
  if (calls) parent.calls = parent.calls ? joined(parent.calls, calls) : calls
  const failures = child.own[ERRORS] === 0n ? child.failures : ownFailures(child.node)
  if (failures) parent.failures = parent.failures ? joined(parent.failures, failures) : failures
}

const ownFailures = ({ failure }: TraceNode): Failure[] | undefined => (failure ? [failure] : undefined)

const ERRORS = 0

/** The shorter list is added to the longer one: of n items each is moved at most log n times. */
function joined<Item>(one: Item[], other: Item[]): Item[] {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other]
  for (const item of shorter) longer.push(item)
  return longer
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

function totalOf(one: Summing): Total {
  const { node, below } = one
  const own = passesOnFailure(one) ? one.own.with(ERRORS, 0n) : one.own
  const { claimed } = node
  const restated = own === NO_AMOUNTS ? 'none' : restatementOf(one)
  if (restated === 'none') return { sum: withClaims(sumAmounts(own, below), claimed), restated }
  const keepsLarger = !one.isRepeated && (node.repeats_usage || node.is_call)
  const sum = below.map((value, index) => {
    const ofOwn = own[index] as bigint
    if (!isRestated(restated, index)) return value + ofOwn
    return keepsLarger && ofOwn > value ? ofOwn : value
  })
  return { sum: withClaims(sum, claimed), restated }
}

function passesOnFailure({ node: { failure }, failures }: Summing): boolean {
  return failure !== null && (failures?.some(below => isSameFailure(failure, below)) ?? false)
}

const isRestated = (restated: Restatement, index: number): boolean =>
  restated.includes((AMOUNTS[index] as (typeof AMOUNTS)[number]).metric)

const INDEXES_OF = Object.fromEntries(SUMMED_METRICS.map(({ metric, indexes }) => [metric, indexes])) as Record<
  SummedMetric,
  readonly number[]
>

function restatementOf(one: Summing): Restatement {
  const { node, own, below } = one
  const { repeats_usage } = node
  if (one.isRepeated) return isSaid(own, 'costs') ? 'tokens and costs' : 'tokens'
  if (below === NO_AMOUNTS) return 'none'
  if (!repeats_usage && !mayRestate(one)) return 'none'
  const areSaidTwice = (metric: SummedMetric): boolean => isSaid(own, metric) && isSaid(below, metric)
  const areEqual = (metric: SummedMetric): boolean =>
    INDEXES_OF[metric].every(index => own[index] === 0n || own[index] === below[index])
  const tokens = areSaidTwice('tokens') && (repeats_usage || areEqual('tokens') || recordsCallBelow(one))
  const costs = areSaidTwice('costs') && (repeats_usage || tokens || areEqual('costs'))
  return tokens ? (costs ? 'tokens and costs' : 'tokens') : costs ? 'costs' : 'none'
}

function mayRestate({ node, isOfCalls, calls = NO_CALLS }: Summing): boolean {
  const { call } = node
  if (!isOfCalls) return false
  return node.is_call ? call !== null && calls.some(below => mayBeSameModel(call, below.call as ModelCall)) : true
}

const NO_CALLS: TraceNode[] = []

/** Whether the span is a call, and the one that it records is recorded below it, too. */
function recordsCallBelow({ node: { call }, own, below, calls = NO_CALLS, hasSteps }: Summing): boolean {
  if (!call) return false
  const isSameModel = (other: TraceNode): boolean => mayBeSameModel(call, other.call as ModelCall)
  if (calls.some(other => haveEqualTokens(own, other.own) && isSameModel(other))) return true
  const isMoreBelow = INDEXES_OF.tokens.some(index => (below[index] as bigint) > (own[index] as bigint))
  return !hasSteps && !isMoreBelow && calls.every(isSameModel)
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
