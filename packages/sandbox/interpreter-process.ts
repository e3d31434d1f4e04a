import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Problem } from '@spanhouse/model'
import { runProcessBehind } from '@spanhouse/priority'
import { inheritedFiles } from './inherited-files.ts'
import { FrameReader, frame } from './interpreter/frames.ts'
import {
  ANSWERS_FD,
  CPU_LIMIT_SIGNAL,
  type InterpreterName,
  PARENT_FD,
  REUSABLE,
} from './interpreter/program-arguments.ts'
import { SANDBOX_LIMITS } from './limits.ts'
import type { CodeFailure, CodeOutcome, FailureKind } from './outcome.ts'
import { parseOutcome } from './parse-outcome.ts'
import { waitedMs } from './waited-ms.ts'

/** Loading takes two seconds of processor time; a busy machine may need longer. */
const READY_MS_MAX = 120_000
/** The parts of an outcome besides the value. */
const ENVELOPE_BYTES = 64 * 1024
const LAST_WORDS_LENGTH_MAX = 2_000

const { cpuMsMax, wallMsMax, waitedMsMax, memoryBytesMax, outputBytesMax } = SANDBOX_LIMITS
const CPU_FAILURE = failed('time', `The code used more than ${cpuMsMax / 1000} s of processor time.`)
const WALL_FAILURE = failed('time', `The code ran for more than ${wallMsMax / 1000} s.`)
const MEMORY_FAILURE = failed('memory', `The code needs more than ${memoryBytesMax / 1024 / 1024} MiB of memory.`)
const OUTPUT_FAILURE = failed('output', `evaluate returned more than ${outputBytesMax} bytes of JSON.`)

/** How V8 exits when it runs out of memory. */
const OUT_OF_MEMORY_SIGNALS: (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL']

/**
 * A child process with one interpreter, which runs one call at a time. The process may read only the program's files,
 * has no environment, and ends with this process, however that ends.
 */
export class InterpreterProcess {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #answers = new FrameReader(outputBytesMax + ENVELOPE_BYTES)
  #state: 'starting' | 'ready' | 'ended' = 'starting'
  #words = ''
  /** The current run's. */
  #outcome: PromiseWithResolvers<CodeOutcome> | undefined
  /** Why this process killed the child. */
  #killedFor: CodeFailure | undefined

  constructor(interpreter: InterpreterName) {
    this.#child = start(interpreter)
    this.#child.stderr?.on('data', chunk => {
      this.#words = (this.#words + String(chunk)).slice(-LAST_WORDS_LENGTH_MAX)
    })
    this.#pipe(ANSWERS_FD).on('data', (chunk: Buffer) => this.#receive(chunk))
    // Writing to a process that has exited fails; the exit itself is handled elsewhere.
    this.#child.stdin?.on('error', () => undefined)
    for (const fd of [ANSWERS_FD, PARENT_FD]) this.#pipe(fd).on('error', () => undefined)
    const timer = setTimeout(() => this.kill(), READY_MS_MAX)
    this.#child.once('error', error => this.#end(error.message))
    this.#child.once('close', (code, signal) => this.#end(signal ?? `code ${code}`, signal))
    this.#ready.promise.catch(() => undefined).finally(() => clearTimeout(timer))
  }

  get state(): 'starting' | 'ready' | 'ended' {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Resolves when the interpreter is loaded. If it exits before, rejects with its error output, or with a Problem
   * `overloaded` if it was killed, as it is when loading takes too long on a busy machine.
   */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Resolves when the process has exited. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /**
   * Runs the Work of interpreter.ts, as JSON. Nothing else may be running. Rejects with a Problem `overloaded` if the
   * process exits for a reason other than the code, and with the reason of the signal if that aborts.
   */
  async run(work: Buffer, signal: AbortSignal | undefined): Promise<CodeOutcome> {
    await this.#ready.promise
    signal?.throwIfAborted()
    const outcome = Promise.withResolvers<CodeOutcome>()
    this.#outcome = outcome
    const abort = (): void => {
      outcome.reject(signal?.reason)
      this.kill()
    }
    signal?.addEventListener('abort', abort)
    const timing = this.#endAfter(wallMsMax)
    this.#child.stdin?.write(frame(work))
    try {
      return await outcome.promise
    } finally {
      timing.end()
      signal?.removeEventListener('abort', abort)
    }
  }

  /**
   * Ends the run after so many milliseconds, not counting those in which it waited for a processor: it runs behind all
   * that answers requests, and does not fail because that is busy.
   */
  #endAfter(ms: number): { end(): void } {
    const [began, waitedBefore] = [performance.now(), waitedMs(this.pid)]
    const check = (): void => {
      const waited = Math.min(waitedMs(this.pid) - waitedBefore, waitedMsMax)
      const left = ms - (performance.now() - began - waited)
      if (left > 0) timer = setTimeout(check, left)
      else this.#killFor(WALL_FAILURE)
    }
    let timer = setTimeout(check, ms)
    return { end: () => clearTimeout(timer) }
  }

  /** Kills the process. */
  kill(): void {
    this.#state = 'ended'
    this.#child.kill('SIGKILL')
  }

  #killFor(failure: CodeFailure): void {
    this.#killedFor ??= failure
    this.kill()
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#answers.push(chunk)) this.#answer(message)
    } catch {
      // The answer exceeds its limit.
      this.#killFor(OUTPUT_FAILURE)
    }
  }

  #answer(message: Buffer): void {
    if (this.#state === 'starting') {
      this.#state = 'ready'
      this.#ready.resolve()
      return
    }
    const outcome = parseOutcome(message.toString('utf8', 1))
    // Before the outcome is delivered: its receiver may check the state.
    if (message[0] !== REUSABLE) this.kill()
    this.#outcome?.resolve(outcome)
    this.#outcome = undefined
  }

  #end(how: string, signal: NodeJS.Signals | null = null): void {
    this.#state = 'ended'
    this.#ready.reject(
      signal
        ? exited('The interpreter exited while it was starting. Try again.')
        : new Error(`The sandbox process exited before it was ready: ${how} ${this.#words}`.trim()),
    )
    const failure = this.#failureOf(signal)
    if (failure) this.#outcome?.resolve(failure)
    else this.#outcome?.reject(exited('The process that ran the code exited. Try again.'))
    this.#ended.resolve()
  }

  #failureOf(signal: NodeJS.Signals | null): CodeFailure | undefined {
    if (this.#killedFor) return this.#killedFor
    if (signal === CPU_LIMIT_SIGNAL) return CPU_FAILURE
    return OUT_OF_MEMORY_SIGNALS.includes(signal) ? MEMORY_FAILURE : undefined
  }

  #pipe(fd: number): Socket {
    return this.#child.stdio[fd] as Socket
  }
}

const exited = (message: string): Problem => new Problem('overloaded', message, { retryAfterSeconds: 1 })

function failed(kind: FailureKind, message: string): CodeFailure {
  return { ok: false, kind, message }
}

/** V8's heap holds the program, sources and arguments; objects of the code are in WebAssembly's memory. */
const HEAP_MB_MAX = 192

function start(interpreter: InterpreterName): ChildProcess {
  const program = fileURLToPath(new URL('./interpreter/program.ts', import.meta.url))
  const flags = [
    '--permission',
    '--allow-worker',
    ...READABLE.map(folder => `--allow-fs-read=${folder}`),
    '--disallow-code-generation-from-strings',
    `--wasm-max-mem-pages=${memoryBytesMax / WASM_PAGE_BYTES}`,
    `--stack-size=${STACK_KB}`,
    `--max-old-space-size=${HEAP_MB_MAX}`,
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
  ]
  const nothing = openSync('/dev/null', 'r')
  try {
    const child = spawn(process.execPath, [...flags, program, interpreter], {
      cwd: '/',
      env: { TZ: 'UTC' },
      stdio: descriptors(nothing),
    })
    if (child.pid !== undefined) runProcessBehind(child.pid)
    return child
  } finally {
    closeSync(nothing)
  }
}

type Descriptors = ('pipe' | 'ignore' | number)[]

const PIPES: Descriptors = ['pipe', 'ignore', 'pipe', 'pipe', 'pipe']

/**
 * The pipes, and nothing in place of files that the process would have otherwise: `--permission` covers paths, not what
 * is open.
 */
function descriptors(nothing: number): Descriptors {
  const rest = inheritedFiles().filter(fd => fd >= PIPES.length)
  const others = Array.from({ length: Math.max(0, ...rest.map(fd => fd + 1 - PIPES.length)) }, (_, at) =>
    rest.includes(at + PIPES.length) ? nothing : 'ignore',
  )
  return [...PIPES, ...others]
}

/** Of the 8 MiB that a main thread usually has: enough for the interpreters to detect deep recursion themselves. */
const STACK_KB = 3_900

const WASM_PAGE_BYTES = 64 * 1024

/** The folders of the program and of its libraries. */
const READABLE = [
  new URL('.', import.meta.url),
  new URL('.', import.meta.resolve('pyodide')),
  new URL('..', import.meta.resolve('quickjs-wasi')),
  new URL('..', import.meta.resolve('amaro')),
].map(folder => `${fileURLToPath(folder)}*`)
