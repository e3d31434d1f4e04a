import { Problem } from '@spanhouse/model'
import type { InterpreterName } from './interpreter/program-arguments.ts'
import { InterpreterProcess } from './interpreter-process.ts'
import { SANDBOX_LIMITS } from './limits.ts'
import type { CodeOutcome, CodeRequest } from './outcome.ts'

export interface PoolOptions {
  interpreter: InterpreterName
  processesMax: number
  /** Kept ready while idle. */
  warm: number
}

interface Task extends Pick<CodeRequest, 'owner' | 'signal' | 'onWait' | 'onStart'> {
  work: Buffer
  done: PromiseWithResolvers<CodeOutcome>
}

/** Processes beyond the warm ones are stopped after this long without work. */
const IDLE_MS_MAX = 60_000

const CLOSED = new Problem('overloaded', 'The sandbox is closed.', { retryAfterSeconds: 1 })

/**
 * The processes of one interpreter. Owners take turns, and each has at most half of the processes, so an owner with
 * slow runs delays only its own. Any process runs any owner's code: interpreters are restored after every run.
 */
export class ProcessPool {
  readonly #options: PoolOptions
  readonly #ownerMax: number
  readonly #processes = new Set<InterpreterProcess>()
  /** Current runs with their owners. */
  readonly #busy = new Map<InterpreterProcess, string>()
  readonly #idleTimers = new Map<InterpreterProcess, NodeJS.Timeout>()
  /** By owner, in the order of their turns. None is empty. */
  readonly #waiting = new Map<string, Task[]>()
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#ownerMax = Math.ceil(options.processesMax / 2)
  }

  /** Ids of the processes, for tests that kill them. */
  get pids(): number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? [])
  }

  /** Throws a Problem `overloaded` if too many runs of the owner wait. */
  run(given: Omit<Task, 'done'>): Promise<CodeOutcome> {
    if (this.#closed) throw CLOSED
    const { owner, signal } = given
    const queue = this.#waiting.get(owner) ?? []
    if (queue.length >= SANDBOX_LIMITS.waitingMax)
      throw new Problem('overloaded', `More than ${SANDBOX_LIMITS.waitingMax} runs of code are waiting.`, {
        retryAfterSeconds: 1,
      })
    const task = { ...given, done: Promise.withResolvers<CodeOutcome>() }
    queue.push(task)
    this.#waiting.set(owner, queue)
    signal?.addEventListener('abort', () => this.#giveUp(task), { once: true, signal: this.#settled(task) })
    this.#startWaiting()
    if (this.#waiting.get(owner)?.includes(task)) given.onWait?.(this.#ownerMax)
    return task.done.promise
  }

  /** Stops all processes. Nothing may be run afterwards. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#idleTimers.values()) clearTimeout(timer)
    const queues = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { done } of queues.flat()) done.reject(CLOSED)
    const processes = [...this.#processes]
    for (const one of processes) one.kill()
    await Promise.all(processes.map(({ ended }) => ended))
  }

  /** Aborts when the task is settled, which removes listeners of the caller's signal. */
  #settled({ done }: Task): AbortSignal {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    done.promise.then(abort, abort)
    return controller.signal
  }

  #giveUp(task: Task): void {
    const queue = this.#waiting.get(task.owner)
    const index = queue?.indexOf(task) ?? -1
    if (!queue || index < 0) return
    queue.splice(index, 1)
    if (queue.length === 0) this.#waiting.delete(task.owner)
    task.done.reject(task.signal?.reason)
  }

  #startWaiting(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#underWay(owner) >= this.#ownerMax) continue
      const free = this.#freeProcess()
      if (!free) return
      const task = queue.shift() as Task
      // Moves to the end of the line if it has more.
      this.#waiting.delete(owner)
      if (queue.length > 0) this.#waiting.set(owner, queue)
      void this.#runIn(free, task)
    }
  }

  async #runIn(one: InterpreterProcess, { owner, work, signal, done, onStart }: Task): Promise<void> {
    onStart?.()
    this.#busy.set(one, owner)
    clearTimeout(this.#idleTimers.get(one))
    try {
      done.resolve(await one.run(work, signal))
    } catch (error) {
      done.reject(error)
    }
    this.#busy.delete(one)
    if (one.state !== 'ended') this.#idle(one)
    this.#startWaiting()
  }

  #underWay(owner: string): number {
    return [...this.#busy.values()].filter(one => one === owner).length
  }

  /** A process that is ready or starting, or a new one if there may be more. */
  #freeProcess(): InterpreterProcess | undefined {
    const free = [...this.#processes].filter(one => !this.#busy.has(one) && one.state !== 'ended')
    const first = free.find(({ state }) => state === 'ready') ?? free[0]
    if (first || this.#processes.size >= this.#options.processesMax) return first
    return this.#start()
  }

  #start(): InterpreterProcess {
    const one = new InterpreterProcess(this.#options.interpreter)
    this.#processes.add(one)
    // A process that cannot start is not restarted endlessly, only when there is something to run.
    let hasStarted = false
    one.ready.then(
      () => {
        hasStarted = true
        if (!this.#busy.has(one)) this.#idle(one)
      },
      () => undefined,
    )
    void one.ended.then(() => {
      this.#processes.delete(one)
      clearTimeout(this.#idleTimers.get(one))
      this.#idleTimers.delete(one)
      if (hasStarted) this.keepWarm()
      this.#startWaiting()
    })
    return one
  }

  /** Starts the processes that are kept ready. */
  keepWarm(): void {
    while (!this.#closed && this.#processes.size < this.#options.warm) this.#start()
  }

  #idle(one: InterpreterProcess): void {
    const end = (): void => {
      if (this.#processes.size > this.#options.warm) one.kill()
    }
    this.#idleTimers.set(one, setTimeout(end, IDLE_MS_MAX))
  }
}
