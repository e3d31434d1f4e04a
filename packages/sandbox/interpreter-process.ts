import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { Problem } from '@spanhouse/model'
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

/** Loading takes two seconds of processor time; a busy machine may have other work. */
const READY_MS_MAX = 120_000
/** What an outcome is besides the value. */
const ENVELOPE_BYTES = 64 * 1024
const LAST_WORDS_LENGTH_MAX = 2_000

const { cpuMsMax, wallMsMax, memoryBytesMax, outputBytesMax } = SANDBOX_LIMITS
const CPU_FAILURE = failed('time', `The code used more than ${cpuMsMax / 1000} s of processor time.`)
const WALL_FAILURE = failed('time', `The code ran for more than ${wallMsMax / 1000} s.`)
const MEMORY_FAILURE = failed('memory', `The code needs more than ${memoryBytesMax / 1024 / 1024} MiB of memory.`)
const OUTPUT_FAILURE = failed('output', `evaluate returned more than ${outputBytesMax} bytes of JSON.`)

/** How V8 ends a process that has no memory left. */
const OUT_OF_MEMORY_SIGNALS: (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL']

/**
 * A child process with one interpreter, which runs one thing at a time. The process may read the program's files and nothing
 * else, has no environment, and ends with this process, however that ends.
 */
export class InterpreterProcess {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #answers = new FrameReader(outputBytesMax + ENVELOPE_BYTES)
  #state: 'starting' | 'ready' | 'ended' = 'starting'
  #words = ''
  /** Of what is run. */
  #outcome: PromiseWithResolvers<CodeOutcome> | undefined
  /** Why this process ended the child. */
  #killedFor: CodeFailure | undefined

  constructor(interpreter: InterpreterName) {
    this.#child = start(interpreter)
    this.#child.stderr?.on('data', chunk => {
      this.#words = (this.#words + String(chunk)).slice(-LAST_WORDS_LENGTH_MAX)
    })
    this.#pipe(ANSWERS_FD).on('data', (chunk: Buffer) => this.#receive(chunk))
    // A pipe to a process that has ended breaks; that it has is said by the process.
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

  /** Resolves when the interpreter is loaded. Rejects with the process's last words when it ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /**
   * Runs what interpreter.ts calls Work, as JSON. Nothing else may be running. Rejects with a Problem `overloaded` when
   * the process is ended by something else than the code, with the reason of the signal when that aborts.
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
    const timer = setTimeout(() => this.#killFor(WALL_FAILURE), wallMsMax)
    this.#child.stdin?.write(frame(work))
    try {
      return await outcome.promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Ends the process at once. */
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
      // Longer than it may be.
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
    // Before the outcome is known: whoever gets it may look at the state.
    if (message[0] !== REUSABLE) this.kill()
    this.#outcome?.resolve(outcome)
    this.#outcome = undefined
  }

  #end(how: string, signal: NodeJS.Signals | null = null): void {
    this.#state = 'ended'
    this.#ready.reject(new Error(`The process of the sandbox ended before it was ready: ${how} ${this.#words}`.trim()))
    const failure = this.#failureOf(signal)
    if (failure) this.#outcome?.resolve(failure)
    else
      this.#outcome?.reject(
        new Problem('overloaded', 'The process that ran the code was ended. Try again.', { retryAfterSeconds: 1 }),
      )
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

function failed(kind: FailureKind, message: string): CodeFailure {
  return { ok: false, kind, message }
}

/** V8's heap holds the program, sources and arguments; what code makes is in WebAssembly's memory. */
const HEAP_MB_MAX = 192

function start(interpreter: InterpreterName): ChildProcess {
  const program = new URL('./interpreter/program.ts', import.meta.url).pathname
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
  return spawn(process.execPath, [...flags, program, interpreter], {
    cwd: '/',
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
    // In a group of its own: Ctrl-C in a terminal is for the parent.
    detached: true,
  })
}

/** Of the 8 MiB that a main thread usually has: enough for the interpreters to notice by themselves that code calls too deeply. */
const STACK_KB = 3_900

const WASM_PAGE_BYTES = 64 * 1024

/** The folders of the program and of its libraries. */
const READABLE = [
  new URL('.', import.meta.url),
  new URL('.', import.meta.resolve('pyodide')),
  new URL('..', import.meta.resolve('quickjs-wasi')),
].map(({ pathname }) => `${pathname}*`)
