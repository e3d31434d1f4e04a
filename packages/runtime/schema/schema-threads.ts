import { Worker } from 'node:worker_threads'
import { Problem, type Violation } from '@spanhouse/model'

/** JSON texts. Without a value: is the schema well-formed? With one: is the value as the schema says? */
export interface Question {
  schema: string
  value?: string
}

export interface Answer {
  /** See `schemaMistake`. */
  mistake?: string | null
  violations?: Violation[]
}

/** Why there is no answer: what took longer than it may, or more memory. */
export type Failure = 'compiling' | 'checking' | 'memory'
export const STAGES = { compiling: 0, checking: 1 } as const

const THREADS_MAX = 2
/** For compiling a schema and checking a value against it. */
const TIME_MAX_MS = 1_000
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
/** Questions of one owner that wait. */
const WAITING_MAX = 100

interface Task {
  question: Question
  owner: string
  done: PromiseWithResolvers<Answer | Failure>
}

const threads = new Set<Thread>()
/** By their owners, who take turns. */
const waiting = new Map<string, Task[]>()

/**
 * Asks in a thread that is ended when it does not answer in time: schemas and patterns of callers can be made to take for
 * ever. An owner has one thread at a time, so whoever asks what takes long holds up himself. Throws a Problem `overloaded`
 * when too many questions of the owner wait.
 */
export function askThread(question: Question, owner: string): Promise<Answer | Failure> {
  const queue = waiting.get(owner) ?? []
  if (queue.length >= WAITING_MAX)
    throw new Problem('overloaded', 'Too many JSON schemas are being checked.', { retryAfterSeconds: 1 })
  const task = { question, owner, done: Promise.withResolvers<Answer | Failure>() }
  queue.push(task)
  waiting.set(owner, queue)
  startWaiting()
  return task.done.promise
}

function startWaiting(): void {
  for (const [owner, queue] of waiting) {
    if ([...threads].some(thread => thread.owner === owner)) continue
    const thread = idleThread()
    if (!thread) return
    const task = queue.shift() as Task
    // At the end of the line, if there is more.
    waiting.delete(owner)
    if (queue.length > 0) waiting.set(owner, queue)
    thread.run(task)
  }
}

function idleThread(): Thread | undefined {
  const idle = [...threads].find(thread => thread.owner === undefined)
  if (idle || threads.size >= THREADS_MAX) return idle
  const thread = new Thread()
  threads.add(thread)
  return thread
}

/** One thread and what it is asked. It keeps the process alive only while it is asked something. */
class Thread {
  readonly #stage = new Int32Array(new SharedArrayBuffer(4))
  readonly #worker = new Worker(new URL('./schema-thread.ts', import.meta.url), {
    workerData: this.#stage.buffer,
    resourceLimits: MEMORY,
  })
  readonly #ready = Promise.withResolvers<void>()
  #task: Task | undefined
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.#worker.unref()
    this.#worker.once('message', () => {
      this.#ready.resolve()
      this.#worker.on('message', (answer: Answer) => this.#settle(answer))
    })
    this.#worker.once('error', (error: NodeJS.ErrnoException) => this.#fail(error))
  }

  get owner(): string | undefined {
    return this.#task?.owner
  }

  run(task: Task): void {
    this.#task = task
    this.#stage[0] = STAGES.compiling
    this.#worker.ref()
    this.#worker.postMessage(task.question)
    void this.#ready.promise.then(() => this.#limit(task))
  }

  /** The time begins when the thread is ready, and an answer that has come while this one was busy counts. */
  #limit(task: Task): void {
    if (this.#task !== task) return
    const end = (): void => {
      if (this.#task === task) this.#end(this.#stage[0] === STAGES.checking ? 'checking' : 'compiling')
    }
    this.#timer = setTimeout(() => setImmediate(end), TIME_MAX_MS)
  }

  #settle(answer: Answer | Failure): void {
    clearTimeout(this.#timer)
    this.#worker.unref()
    const task = this.#task
    this.#task = undefined
    task?.done.resolve(answer)
    startWaiting()
  }

  #end(failure: Failure): void {
    threads.delete(this)
    void this.#worker.terminate()
    this.#settle(failure)
  }

  #fail(error: NodeJS.ErrnoException): void {
    // Resolving what was rejected does nothing.
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') this.#task?.done.reject(error)
    this.#end('memory')
  }
}
