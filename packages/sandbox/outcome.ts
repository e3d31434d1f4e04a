import type { Json } from '@spanhouse/model'

export const RUNTIMES = ['javascript', 'typescript', 'python'] as const
export type Runtime = (typeof RUNTIMES)[number]

/** A function `evaluate` and what to call it with. */
export interface CodeRequest {
  /** Who asks. Owners take turns, and one has at most half of the processes. */
  owner: string
  runtime: Runtime
  source: string
  /** By position: authors name their parameters freely. */
  arguments: Json[]
  /** Aborting takes the run out of the queue, or ends it, and rejects with the signal's reason. */
  signal?: AbortSignal
}

/**
 * Why there is no value, always a matter of the author's code:
 * `syntax` it does not parse; `no_function` it defines no `evaluate`; `code` it threw; `result` what it returned is not
 * JSON; `time`, `memory`, `output` it went beyond a limit, which the message names.
 */
export const FAILURE_KINDS = ['code', 'syntax', 'time', 'memory', 'output', 'no_function', 'result'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

export interface CodeFailure {
  ok: false
  kind: FailureKind
  /** The error as its author would see it, such as `ValueError: no score`. */
  message: string
  /** In the source, from 1, where it is known. */
  line?: number
}

export type CodeOutcome = { ok: true; value: Json } | CodeFailure
