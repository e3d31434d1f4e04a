import { setTimeout as delay } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import type { Dispatcher } from '../scope.ts'
import { runsWithWork, type WorkingRun } from './claims.ts'
import type { EngineParts } from './doors.ts'
import { RunWorker } from './run-worker.ts'

/** How often a worker looks for runs with work: one statement with an index of those runs alone. */
const LOOK_MS = 1_000

/** Runs that one worker works on at once; further ones wait for their turn. */
const RUNS_MAX = 32

/** How long a worker that stops waits for calls in progress. Another worker repeats those that are aborted then. */
const STOP_MS_MAX = 8_000

/**
 * A worker: finds runs with work in the tables and executes it. Any number of workers may run. All state is in the
 * tables, so a worker may die at any moment.
 */
export class Engine implements Dispatcher {
  readonly #parts: EngineParts
  readonly #stopping = new AbortController()
  readonly #runs = new Map<Uuid, { worker: RunWorker; ended: Promise<void> }>()
  readonly #ended: Promise<void>
  #wake: () => void = () => {}

  /** Starts looking for work. */
  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#ended = this.#lookAgainAndAgain()
  }

  start(): void {
    this.#wake()
  }

  /** Claims nothing more, waits some seconds for what is under way, and gives back the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { worker } of this.#runs.values()) worker.stop()
    const late = setTimeout(() => {
      for (const { worker } of this.#runs.values()) worker.cut()
    }, STOP_MS_MAX)
    await Promise.all([this.#ended, ...[...this.#runs.values()].map(({ ended }) => ended)])
    clearTimeout(late)
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const woken = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      await this.#look().catch(error => {
        this.#parts.log.warn({ err: error }, 'cannot look for evaluations to execute; trying again')
      })
      await Promise.race([woken, delay(LOOK_MS, undefined, { signal }).catch(() => {})])
    }
  }

  async #look(): Promise<void> {
    for (const run of await runsWithWork(this.#parts.db)) {
      if (this.#stopping.signal.aborted || this.#runs.size >= RUNS_MAX) return
      if (!this.#runs.has(run.id)) this.#begin(run)
    }
  }

  #begin(run: WorkingRun): void {
    // Another worker each time: what an earlier one could not finish is taken over like that of any other.
    const membership = { project_id: run.project_id, run_id: run.id, worker_id: newId() }
    const worker = new RunWorker(this.#parts, membership)
    const ended = worker
      .work(run)
      .catch(error => {
        this.#parts.log.warn({ err: error, run_id: run.id }, 'cannot work on an evaluation; trying again')
      })
      .finally(() => this.#runs.delete(run.id))
    this.#runs.set(run.id, { worker, ended })
  }
}
