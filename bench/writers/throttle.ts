import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'

/** What can be held to a share of the time. */
export type Pausable = Pick<ServerProcess, 'pause' | 'resume'>

/** Each process runs once in this time. Eight turns of 10 ms: so many processes never run at the same moment. */
const PERIOD_MS = 80
const TURN_MS = PERIOD_MS / 8

/**
 * Lets processes run for only a share of the time, by SIGSTOP and SIGCONT, as if each had a slow core to itself on a
 * machine with fewer cores than processes. Their turns follow one another. Timers come late on a busy machine:
 * `ranSeconds` is how long the processes really ran.
 */
export class Throttle {
  readonly #processes: readonly Pausable[]
  readonly #ended = new AbortController()
  readonly #turns: Promise<void>[]
  readonly #started = performance.now()
  #runMs = TURN_MS
  #ranMs = 0

  /** At most eight processes. */
  constructor(processes: readonly Pausable[]) {
    this.#processes = processes
    this.#turns = processes.map((process, turn) => this.#run(process, turn))
  }

  /** How much of its turn a process may use, which is an eighth of the time. */
  set turnShare(share: number) {
    this.#runMs = TURN_MS * share
  }

  /** Of all processes together. */
  get ranSeconds(): number {
    return this.#ranMs / 1000
  }

  async #run(process: Pausable, turn: number): Promise<void> {
    process.pause()
    for (let at = turn * TURN_MS; !this.#ended.signal.aborted; at += PERIOD_MS) {
      await delay(Math.max(0, this.#started + at - performance.now()))
      const resumed = performance.now()
      process.resume()
      await delay(this.#runMs)
      process.pause()
      this.#ranMs += performance.now() - resumed
    }
  }

  /** Resolves when all processes run without a limit again. */
  async end(): Promise<void> {
    this.#ended.abort()
    await Promise.all(this.#turns)
    for (const process of this.#processes) process.resume()
  }
}
