import { isJsonObject, type Json, type JsonObject, type SpanId, type TraceId } from '@spanhouse/model'
import type { Handler } from '../handler.ts'

/** A request to run a handler, with its references and embeds resolved (contract of the runtime, section 8.3). */
export interface RunRequest {
  /** The effective configuration; empty when there is none. */
  parameters: JsonObject
  /** The data of the revision that runs; empty when the caller named none. */
  revision: JsonObject
  inputs?: JsonObject
  /** A chat history beside the inputs; used when they have none. */
  messages?: Json[]
  outputs?: Json
  trace?: JsonObject
  testcase?: JsonObject
  /** All flags of the request. Those that are no commands are only recorded. */
  flags: JsonObject
  /** Whether events are wanted before the result. */
  isStreamed: boolean
  sessionId?: string
  labels: RunLabels
  /** Chosen by the caller, for the trace of a run that goes on in no other: the run leaves the same span ids each time. */
  trace_id?: TraceId
  /** The span that the caller's trace context names: the run goes on in its trace. */
  parent?: { trace_id: TraceId; span_id: SpanId }
}

/** What is recorded of a request and does not change what the run does. */
export interface RunLabels {
  /** By reference key, those that the caller sent and those that resolution has led through. */
  references: JsonObject
  selector?: JsonObject
  /** By name. */
  links: Readonly<Record<string, { trace_id: TraceId; span_id: SpanId }>>
  tags?: JsonObject
  meta?: JsonObject
  /** Entries of the caller's baggage whose keys begin with `ag.`. */
  baggage: Readonly<Record<string, string>>
}

/**
 * The inputs a handler works with. A trace stores inputs inside an object of its own, so `{inputs: {...}, messages?}` counts as
 * what is in it; `messages` that stand outside come in when there are none inside.
 */
export function effectiveInputs({ inputs, messages }: Pick<RunRequest, 'inputs' | 'messages'>): JsonObject | undefined {
  const unwrapped = inputs && unwrapOnce(inputs)
  if (messages === undefined || (unwrapped && Object.hasOwn(unwrapped, 'messages'))) return unwrapped
  return { ...unwrapped, messages }
}

function unwrapOnce(inputs: JsonObject): JsonObject {
  const { inputs: inner, messages, ...others } = inputs
  if (!isJsonObject(inner) || Object.keys(others).length > 0) return inputs
  return messages === undefined || Object.hasOwn(inner, 'messages') ? inner : { ...inner, messages }
}

/** Whether a run acts as an application or as an evaluator; the trace of the latter is an annotation (section 9.2). */
export type RunRole = 'application' | 'evaluator'

/** A handler that is both goes by what it is referred to as, and without that by whether it was linked to another trace. */
export function roleOf({ roles }: Handler, { references, links }: RunLabels): RunRole {
  if (!roles.includes('evaluator')) return 'application'
  if (!roles.includes('application')) return 'evaluator'
  const isReferredTo = (role: RunRole): boolean => Object.keys(references).some(key => key.startsWith(role))
  if (isReferredTo('application')) return 'application'
  return isReferredTo('evaluator') || Object.keys(links).length > 0 ? 'evaluator' : 'application'
}
