import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '@spanhouse/model'
import type { CallResult, StoredTrace, Workflow, WorkflowCall } from './doors.ts'
import { type CallLimits, retryMs } from './limits.ts'
import type { Slots } from './slots.ts'
import { type CallKey, callTraceId } from './trace-ids.ts'

/** What calls of one run share. */
export interface CallContext {
  limits: CallLimits
  slots: Slots
  /**
   * Traces that were read beforehand, by id: of cells that are settled, and of calls that a dead worker had finished.
   */
  found: ReadonlyMap<string, StoredTrace>
  signal: AbortSignal
}

export interface RepeatedCall {
  workflow: Workflow
  key: Omit<CallKey, 'attempt'>
  request: Omit<WorkflowCall, 'trace_id'>
}

/**
 * Calls a workflow until it succeeds or has been tried as often as the run allows, with growing waits between attempts.
 * A call whose trace is there already is not repeated. `attempts` tells of all of them, in order. Rejects as the
 * workflow's `call` does.
 */
export async function callUntilSuccess(
  context: CallContext,
  { workflow, key, request }: RepeatedCall,
): Promise<{ result: CallResult; attempts: Json[] }> {
  const { limits, slots, found, signal } = context
  const attempts: Json[] = []
  for (let attempt = 1; ; attempt++) {
    const trace_id = callTraceId({ ...key, attempt })
    const earlier = found.get(trace_id)
    const call = (): Promise<CallResult> => workflow.call({ ...request, trace_id }, signal)
    const result = earlier ? resultOf(earlier) : await slots.with(signal, call)
    const { code, message } = result.status
    attempts.push({ trace_id, code, message })
    if (code === 200 || attempt === limits.attemptsMax) return { result, attempts }
    await result.recorded
    if (!earlier) await delay(retryMs(limits, attempt, result.retryAfterSeconds), undefined, { signal })
  }
}

const resultOf = (traced: StoredTrace): CallResult => ({
  status: traced.failure ?? { code: 200, message: 'Success' },
  traced,
  recorded: Promise.resolve(),
})
