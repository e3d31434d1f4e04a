import type { SpanId } from '../identifiers.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json/json.ts'
import { CALL_TYPES, type Span, STEP_TYPES, type TraceType } from '../span.ts'
import type { Micros } from '../time.ts'
import { AMOUNTS, type Amounts, ERRORS, NO_AMOUNTS, SUMMED_METRICS, toAmount } from './amounts.ts'
import { type Failure, failureIn } from './failure.ts'
import { type ModelCall, modelCall } from './model-call.ts'

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
  /** It is of one of the {@link STEP_TYPES}. */
  readonly is_step: boolean
  /** What is known of the call; null unless the span is a call with tokens of its own. */
  readonly call: ModelCall | null
  /** The failure of a span with exactly one error of its own; null if it has none, more, or nothing is known of it. */
  readonly failure: Failure | null
  /** Its own; empty: none. Null: one of more than {@link ACTOR_LENGTH_MAX} characters, which no other span shows. */
  readonly session_id: string | null
  readonly user_id: string | null
}

/** Whose activity a trace is: what a root shows that has none of its own, see `TraceTotals`. */
export const ACTORS = ['session_id', 'user_id'] as const

/** Characters of the id of a session or a user that is kept for others of its trace: a writer has many in memory. */
const ACTOR_LENGTH_MAX = 200

/** The id of a session or a user, as a node has it. */
export const actorOf = (id = ''): string | null => (id.length <= ACTOR_LENGTH_MAX ? id : null)

/** What a span brings into its trace's totals. */
export function measureSpan(span: Span): TraceNode {
  const metrics = isJsonObject(span.attributes.ag.metrics) ? span.attributes.ag.metrics : {}
  const claimed = claimedAmounts(metrics)
  const own = amountsOf(metrics, 'incremental')
  const is_call = CALL_TYPES.has(span.span_type)
  return {
    span_id: span.span_id,
    parent_id: span.parent_id ?? null,
    start_time: span.start_time,
    own,
    claimed: claimed === NO_AMOUNTS ? null : claimed,
    declared_trace_type: span.declared_trace_type ?? null,
    is_trace_type_explicit: span.is_trace_type_explicit ?? false,
    repeats_usage: span.repeats_usage ?? false,
    is_call,
    is_step: STEP_TYPES.has(span.span_type),
    call: is_call ? callOf(span, own) : null,
    failure: ownFailure(own, span.attributes.ag.exception),
    session_id: actorOf(span.session_id),
    user_id: actorOf(span.user_id),
  }
}

const ONE_ERROR = toAmount(1, ERRORS)

/** The failure of a span with these own amounts and this `ag.exception`. */
export const ownFailure = (own: Amounts, exception: Json | undefined): Failure | null =>
  own[ERRORS] === ONE_ERROR ? failureIn(exception) : null

function callOf({ attributes: { ag, scope }, end_time }: Span, own: Amounts): ModelCall | null {
  return modelCall(own, { meta: ag.meta, source: isJsonObject(scope) ? scope.name : undefined, end_time })
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
