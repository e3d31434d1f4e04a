import { isJsonObject, type Json, type JsonObject, type SpanId, type TraceId } from '@spanhouse/model'
import type { Handler } from '../handler.ts'
import type { RunLabels } from '../run.ts'

/** A request to run a handler, with its references and embeds resolved (contract of the runtime, section 8.3). */
export interface RunRequest {
  /** The effective configuration; empty if there is none. */
  parameters: JsonObject
  /** The data of the revision that runs; empty if the caller named none. */
  revision: JsonObject
  inputs?: JsonObject
  /** A chat history outside the inputs; used if they have none. */
  messages?: Json[]
  outputs?: Json
  trace?: JsonObject
  testcase?: JsonObject
  /** All flags of the request. Those that are not commands have no effect. */
  flags: JsonObject
  /** Whether events are wanted before the result. */
  isStreamed: boolean
  sessionId?: string
  labels: RunLabels
  /**
   * The id of the run's trace, chosen by the caller; the ids of its spans follow from it. Ignored if there is a parent.
   */
  trace_id?: TraceId
  /** The span in the caller's trace context: the run becomes part of its trace. */
  parent?: { trace_id: TraceId; span_id: SpanId }
}

/**
 * The inputs that a handler gets. Traces store inputs inside another object, so `{inputs: {...}, messages?}` is
 * unwrapped; `messages` outside are used if there are none inside.
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

/** A handler with both roles acts in the role of its references; without any, as an evaluator if the run has links. */
export function roleOf({ roles }: Handler, { references, links }: RunLabels): RunRole {
  if (!roles.includes('evaluator')) return 'application'
  if (!roles.includes('application')) return 'evaluator'
  const isReferredTo = (role: RunRole): boolean => Object.keys(references).some(key => key.startsWith(role))
  if (isReferredTo('application')) return 'application'
  return isReferredTo('evaluator') || Object.keys(links).length > 0 ? 'evaluator' : 'application'
}
