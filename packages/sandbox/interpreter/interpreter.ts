import type { FailureKind } from '../outcome.ts'

/** What the process is asked. The arguments are kept as text: only the interpreter reads them. */
export interface Work {
  runtime: string
  source: string
  /** A JSON array. */
  arguments: string
}

/**
 * A language's interpreter inside a WebAssembly instance. Between two runs it is made equal to what it was before the
 * first, so nothing that a run changes is there for the next.
 */
export interface Interpreter {
  /** Calls `evaluate`. Returns the JSON text of a `CodeOutcome`, and never throws what the code has thrown. */
  run(work: Work): Buffer
  /** Makes it as it was before the run. False when it cannot be proven to be: then the process must end. */
  reset(): Promise<boolean>
}

/** The JSON text of a failed outcome. */
export function failure(kind: FailureKind, message: string, line?: number): Buffer {
  return Buffer.from(JSON.stringify({ ok: false, kind, message, line }))
}

/** What an exception of the WebAssembly engine itself says about the code: the stack is full, or the instance has trapped. */
export function engineFailure(error: unknown): Buffer {
  if (error instanceof RangeError) return failure('code', 'The code calls itself too deeply.')
  return failure('code', 'The code has stopped the interpreter.')
}
