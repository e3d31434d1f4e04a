import { createHash } from 'node:crypto'
import { parseUuid, type Uuid } from '@spanhouse/model'

/** Which call of a run: one attempt at one cell, for one task. */
export interface CallKey {
  task_id: Uuid
  scenario_id: Uuid
  step_key: string
  repeat_idx: number
  /** 1: the first. */
  attempt: number
}

/**
 * The id of a call's trace, 32 hex digits. It follows from what is stored before the call, so a worker that takes over
 * from one that died finds the trace of a call that had finished, and a call that is repeated nevertheless leaves the
 * same spans again, which are stored once.
 */
export function callTraceId({ task_id, scenario_id, step_key, repeat_idx, attempt }: CallKey): string {
  const text = JSON.stringify([task_id, scenario_id, step_key, repeat_idx, attempt])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** The ids of all attempts. */
export const attemptTraceIds = (key: Omit<CallKey, 'attempt'>, attemptsMax: number): string[] =>
  Array.from({ length: attemptsMax }, (_, at) => callTraceId({ ...key, attempt: at + 1 }))

/** A trace id as cells store it. */
export const asUuid = (trace_id: string): Uuid => parseUuid(trace_id) as Uuid

/** A trace id as the tracing interface writes it. */
export const asTraceId = (id: Uuid): string => id.replaceAll('-', '')
