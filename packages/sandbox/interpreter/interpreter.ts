import type { FailureKind } from '../outcome.ts'

/** The request to the process. The arguments stay text: only the interpreter parses them. */
export interface Work {
  runtime: string
  source: string
  /** A JSON array. */
  arguments: string
}

/**
 * A language's interpreter inside a WebAssembly instance. Between two runs it is restored to its initial state, so no
 * change made by a run is visible to the next.
 */
export interface Interpreter {
  /** Calls `evaluate`. Returns the JSON text of a `CodeOutcome`, and never throws an error of the code. */
  run(work: Work): Buffer
  /** Restores the state before the run. False if that cannot be guaranteed: then the process must exit. */
  reset(): Promise<boolean>
}

/** The JSON text of a failed outcome. */
export function failure(kind: FailureKind, message: string, line?: number): Buffer {
  return Buffer.from(JSON.stringify({ ok: false, kind, message, line }))
}

/**
 * What an exception of the WebAssembly engine itself means for the code: the stack is exhausted, or the instance has
 * trapped.
 */
export function engineFailure(error: unknown): Buffer {
  if (error instanceof RangeError) return failure('code', "The code's recursion is too deep.")
  return failure('code', 'The code crashed the interpreter.')
}
