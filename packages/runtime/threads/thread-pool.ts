import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Problem } from '@spanhouse/model'
import { Progress } from './progress.ts'

/** The module that a pool's threads run, and their number. */
export interface PoolOptions {
  /** A module that calls `answerQuestions`. */
  module: URL
  threadsMax: number
  /** The maximum number of waiting questions of one owner. */
  waitingMax: number
  /** The message of the Problem if more would wait. */
  overloaded: string
}

/** The owner of a question, and the processor time that its answer may take. */
export interface Asking {
  owner: string
  timeMaxMs: number
}

/** On a busy machine a thread waits for the processor: an answer may take this many times its processor time. */
const PATIENCE = 10
/**
 * A thread that does not report its processor time within this time is in native code that cannot be interrupted, or
 * waits for the processor.
 */
const SILENT_MS = 2_000

/** Why there is no answer. `stage` is the last one that the thread reported. */
export class Ended {
  readonly reason: 'time' | 'memory'
  readonly stage: number

  constructor(reason: 'time' | 'memory', stage: number) {
    this.reason = reason
    this.stage = stage
  }
}

const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

interface Task<Question, Answer> extends Asking {
  question: Question
  done: PromiseWithResolvers<Answer | Ended>
}

/**
 * Threads for work that a caller's schema, pattern or text can make endless. A thread that exceeds its time or memory
 * is terminated and replaced. Owners take turns and have one thread at a time, so slow questions delay only their
 * owner. Threads start when they are needed and do not keep the process alive. A thread that exits by itself is out of
 * memory.
 */
export class ThreadPool<Question, Answer> {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread<Question, Answer>>()
  /** Waiting questions by owner, in the order of their turns. */
  readonly #waiting = new Map<string, Task<Question, Answer>[]>()

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Throws a Problem `overloaded` if too many questions of the owner wait, or the error of the thread. */
  ask(question: Question, asking: Asking): Promise<Answer | Ended> {
    const queue = this.#waiting.get(asking.owner) ?? []
    if (queue.length >= this.#options.waitingMax)
      throw new Problem('overloaded', this.#options.overloaded, { retryAfterSeconds: 1 })
    const done = Promise.withResolvers<Answer | Ended>()
    queue.push({ ...asking, question, done })
    this.#waiting.set(asking.owner, queue)
    this.#startWaiting()
    return done.promise
  }

  #startWaiting(): void {
    for (const [owner, queue] of this.#waiting) {
      if ([...this.#threads].some(thread => thread.owner === owner)) continue
      const thread = this.#idleThread()
      if (!thread) return
      const task = queue.shift() as Task<Question, Answer>
      // Moves to the end of the line if it has more.
      this.#waiting.delete(owner)
      if (queue.length > 0) this.#waiting.set(owner, queue)
      thread.run(task)
    }
  }

  #idleThread(): Thread<Question, Answer> | undefined {
    const idle = [...this.#threads].find(thread => thread.owner === undefined)
    if (idle || this.#threads.size >= this.#options.threadsMax) return idle
    const thread = new Thread<Question, Answer>(this.#options.module, {
      onIdle: () => this.#startWaiting(),
      onEnd: () => this.#threads.delete(thread),
    })
    this.#threads.add(thread)
    return thread
  }
}

/** Called in this order when a thread is terminated. */
interface Events {
  onEnd(): void
  onIdle(): void
}

/** One thread and its current question. It keeps the process alive only while it has one. */
class Thread<Question, Answer> {
  readonly #progress = new Progress()
  readonly #worker: Worker
  readonly #events: Events
  readonly #ready = Promise.withResolvers<void>()
  #task: Task<Question, Answer> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Of this process, when the question was asked. */
  #usageBefore = process.cpuUsage()

  constructor(module: URL, events: Events) {
    this.#events = events
    this.#worker = new Worker(module, { workerData: this.#progress.buffer, resourceLimits: MEMORY })
    this.#worker.unref()
    this.#worker.once('message', () => {
      this.#ready.resolve()
      this.#worker.on('message', (answer: Answer) => this.#settle(answer))
    })
    this.#worker.once('error', (error: NodeJS.ErrnoException) => this.#fail(error))
    this.#worker.once('exit', () => this.#task && this.#end('memory'))
  }

  get owner(): string | undefined {
    return this.#task?.owner
  }

  run(task: Task<Question, Answer>): void {
    this.#task = task
    this.#progress.clear()
    this.#usageBefore = process.cpuUsage()
    this.#worker.ref()
    this.#worker.postMessage(task.question)
    void this.#ready.promise.then(() => this.#limit(task))
  }

  /**
   * The time limit starts when the thread is ready. An answer that arrived while this thread was busy still counts. The
   * thread is asked for its processor time only when that can have reached the limit: asking costs more than most
   * answers.
   */
  #limit(task: Task<Question, Answer>): void {
    const latestAt = performance.now() + PATIENCE * task.timeMaxMs
    const look = async (): Promise<void> => {
      const leftMs = task.timeMaxMs - (await this.#usedMs())
      if (this.#task !== task) return
      if (leftMs < 1 || performance.now() > latestAt) this.#end('time')
      else wait(leftMs)
    }
    const wait = (ms: number): void => {
      if (this.#task === task) this.#timer = setTimeout(() => setImmediate(look), ms)
    }
    wait(task.timeMaxMs)
  }

  /**
   * The processor time that the thread has used for its question. If it does not respond, that of the whole process,
   * which it cannot exceed: on a machine so busy that the process gets none, the thread has not used any.
   */
  async #usedMs(): Promise<number> {
    const usage = this.#worker.cpuUsage().catch(() => undefined)
    const used = await Promise.race([usage, delay(SILENT_MS, undefined, { ref: false })])
    if (!used) return millisecondsOf(process.cpuUsage(this.#usageBefore))
    return Math.max(0, millisecondsOf(used) - this.#progress.begunAtMs)
  }

  #settle(answer: Answer | Ended): void {
    clearTimeout(this.#timer)
    this.#worker.unref()
    const task = this.#task
    this.#task = undefined
    task?.done.resolve(answer)
    this.#events.onIdle()
  }

  #end(reason: Ended['reason']): void {
    this.#events.onEnd()
    void this.#worker.terminate()
    this.#settle(new Ended(reason, this.#progress.stage))
  }

  #fail(error: NodeJS.ErrnoException): void {
    // Resolving a rejected promise has no effect.
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') this.#task?.done.reject(error)
    this.#end('memory')
  }
}

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
