import type { TraceType } from '../span.ts'
import {
  AMOUNTS,
  type Amounts,
  ERRORS,
  equalAmounts,
  NO_AMOUNTS,
  SUMMED_METRICS,
  type SummedMetric,
  sumAmounts,
} from './amounts.ts'
import { isSameFailure } from './failure.ts'
import { haveEqualTokens, type ModelCall, mayBeSameModel } from './model-call.ts'
import type { TraceNode } from './trace-node.ts'

/**
 * What of a span's own usage is said a second time: frameworks repeat on the span around calls what the calls have
 * used. It counts once, where it was used; see `TraceTotals`.
 */
export const RESTATEMENTS = ['none', 'tokens', 'costs', 'tokens and costs'] as const
export type Restatement = (typeof RESTATEMENTS)[number]

/** What follows for a span from its whole trace. */
export interface Derived {
  readonly cumulative: Amounts
  readonly restated: Restatement
  readonly trace_type: TraceType
  readonly is_trace_head: boolean
  /** What it shows as its session and its user; empty: none. Null: its own, which its node does not have. */
  readonly session_id: string | null
  readonly user_id: string | null
}

export const equalDerived = (one: Derived, other: Derived): boolean =>
  one.trace_type === other.trace_type &&
  one.restated === other.restated &&
  one.is_trace_head === other.is_trace_head &&
  one.session_id === other.session_id &&
  one.user_id === other.user_id &&
  equalAmounts(one.cumulative, other.cumulative)

/** A span with what is known of the spans below it. */
export interface Summing {
  readonly node: TraceNode
  /** Another span records the call, too, and its tokens count there. */
  readonly isRepeated: boolean
  /** The sum of its children's totals. */
  readonly below: Amounts
  /** Whether all of that was used by calls. */
  readonly isOfCalls: boolean
  /** Whether a step is between it and some of that. */
  readonly hasSteps: boolean
  /** The calls next below it: those with no other call between. */
  calls(): IteratorObject<TraceNode>
  /** The failing spans next below it: those with no other failing span between. */
  failing(): IteratorObject<TraceNode>
}

/** The total of a span: `cumulative`, and what of its own amounts it leaves out. */
export interface Total {
  readonly sum: Amounts
  readonly restated: Restatement
}

/** Whether it uses nothing itself, unless as a call. */
export const usesAsCall = ({ is_call, own, claimed }: TraceNode): boolean =>
  is_call || (!hasUsage(own) && (claimed === null || !hasUsage(claimed)))

/** Whether any tokens or costs are not zero. */
export const hasUsage = (amounts: Amounts): boolean =>
  amounts !== NO_AMOUNTS && (isSaid(amounts, 'tokens') || isSaid(amounts, 'costs'))

const isSaid = (amounts: Amounts, metric: SummedMetric): boolean =>
  INDEXES_OF[metric].some(index => amounts[index] !== 0n)

/** The total of one span, by the rules of `TraceTotals`. */
export function totalOf(one: Summing): Total {
  const { node, below } = one
  const own = passesOnFailure(one) ? node.own.with(ERRORS, 0n) : node.own
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

function passesOnFailure(one: Summing): boolean {
  const { failure } = one.node
  if (failure === null) return false
  return one.failing().some(({ failure: below }) => below !== null && isSameFailure(failure, below))
}

const isRestated = (restated: Restatement, index: number): boolean =>
  restated.includes((AMOUNTS[index] as (typeof AMOUNTS)[number]).metric)

const INDEXES_OF = Object.fromEntries(SUMMED_METRICS.map(({ metric, indexes }) => [metric, indexes])) as Record<
  SummedMetric,
  readonly number[]
>

function restatementOf(one: Summing): Restatement {
  const { below } = one
  const { own, repeats_usage } = one.node
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

function mayRestate(one: Summing): boolean {
  const { call, is_call } = one.node
  if (!one.isOfCalls) return false
  return is_call ? call !== null && one.calls().some(below => mayBeSameModel(call, below.call as ModelCall)) : true
}

/** Whether the span is a call, and the one that it records is recorded below it, too. */
function recordsCallBelow(one: Summing): boolean {
  const { below, hasSteps } = one
  const { call, own } = one.node
  if (!call) return false
  const isSameModel = (other: TraceNode): boolean => mayBeSameModel(call, other.call as ModelCall)
  if (one.calls().some(other => haveEqualTokens(own, other.own) && isSameModel(other))) return true
  const isMoreBelow = INDEXES_OF.tokens.some(index => (below[index] as bigint) > (own[index] as bigint))
  return !hasSteps && !isMoreBelow && one.calls().every(isSameModel)
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
