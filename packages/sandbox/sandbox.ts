import { Problem } from '@spanhouse/model'
import type { InterpreterName } from './interpreter/program-arguments.ts'
import { SANDBOX_LIMITS } from './limits.ts'
import type { CodeOutcome, CodeRequest, Runtime } from './outcome.ts'
import { ProcessPool } from './process-pool.ts'

export interface SandboxOptions {
  /** Processes of each interpreter; one owner has at most half of them, rounded up. */
  processesMax?: number
  /** Processes of each interpreter in use that are kept ready while idle. */
  warm?: number
}

export interface Sandbox {
  /**
   * Calls the function `evaluate` of a source in an interpreter that appears unused to the source. The outcome depends
   * only on the code. Rejects with a Problem: `too_large` if the source or arguments exceed their limits, `overloaded`
   * if too many runs of the owner wait or the process exited for a reason other than the code.
   */
  run(request: CodeRequest): Promise<CodeOutcome>
  /** Starts the processes that are kept ready for a language, as its first run does. */
  prepare(runtime: Runtime): void
  /** Stops all processes, and rejects waiting runs. */
  close(): Promise<void>
  /** Ids of the child processes, for monitoring. */
  pids(): number[]
}

const INTERPRETER_OF: Record<Runtime, InterpreterName> = {
  javascript: 'quickjs',
  typescript: 'quickjs',
  python: 'pyodide',
}

/** Runs untrusted code. The processes of an interpreter start with the first run that needs it, which waits for one. */
export function openSandbox({ processesMax = 2, warm = 1 }: SandboxOptions = {}): Sandbox {
  const pools = {
    quickjs: new ProcessPool({ interpreter: 'quickjs', processesMax, warm }),
    pyodide: new ProcessPool({ interpreter: 'pyodide', processesMax, warm }),
  }
  return {
    run: async request => {
      request.signal?.throwIfAborted()
      const { owner, runtime, signal, onWait, onStart } = request
      return pools[INTERPRETER_OF[runtime]].run({ owner, work: workOf(request), signal, onWait, onStart })
    },
    prepare: runtime => pools[INTERPRETER_OF[runtime]].keepWarm(),
    close: async () => {
      await Promise.all(Object.values(pools).map(pool => pool.close()))
    },
    pids: () => Object.values(pools).flatMap(({ pids }) => pids),
  }
}

const { sourceBytesMax, argumentBytesMax } = SANDBOX_LIMITS
const MIB = 1024 * 1024

function workOf({ runtime, source, arguments: values }: CodeRequest): Buffer {
  if (Buffer.byteLength(source) > sourceBytesMax)
    throw new Problem('too_large', `The source of the code is longer than ${sourceBytesMax / MIB} MiB.`)
  const text = JSON.stringify(values)
  if (Buffer.byteLength(text) > argumentBytesMax)
    throw new Problem('too_large', `The arguments of the code are longer than ${argumentBytesMax / MIB} MiB of JSON.`)
  return Buffer.from(JSON.stringify({ runtime, source, arguments: text }))
}
