import type { Json } from '@spanhouse/model'

export const RUNTIMES = ['javascript', 'typescript', 'python'] as const
export type Runtime = (typeof RUNTIMES)[number]

/** A function `evaluate` and its arguments. */
export interface CodeRequest {
  /** The owner of the run. Owners take turns, and each has at most half of the processes. */
  owner: string
  runtime: Runtime
  source: string
  /** By position: authors choose the names of their parameters. */
  arguments: Json[]
  /** Aborting removes the run from the queue, or ends it, and rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called if the run has to wait, with how many runs of its owner the interpreter takes at a time … */
  onWait?(atOnceMax: number): void
  /** … and when it has been taken. */
  onStart?(): void
}

/**
 * Why there is no value, always caused by the author's code: `syntax` it does not parse; `no_function` it does not
 * define `evaluate`; `code` it threw; `result` the returned value is not JSON; `time`, `memory`, `output` it exceeded a
 * limit, which the message names.
 */
export const FAILURE_KINDS = ['code', 'syntax', 'time', 'memory', 'output', 'no_function', 'result'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

export interface CodeFailure {
  ok: false
  kind: FailureKind
  /** The error in the form that its author expects, such as `ValueError: no score`. */
  message: string
  /** Line in the source, from 1, if known. */
  line?: number
}

export type CodeOutcome = { ok: true; value: Json } | CodeFailure
