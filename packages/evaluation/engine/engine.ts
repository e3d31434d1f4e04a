import { setTimeout as delay } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import type { Dispatcher } from '../scope.ts'
import { runsWithWork, type WorkingRun } from './claims.ts'
import type { EngineParts } from './doors.ts'
import { RunWorker } from './run-worker.ts'

/** How often a worker looks for runs with work: one statement with an index of those runs alone. */
const LOOK_MS = 1_000

/** Runs that one worker claims scenarios of at once; further ones wait for their turn. */
const RUNS_MAX = 32
/** How long a turn lasts at least. It goes on while no other run waits. */
const TURN_MS = 5_000
/** Together with runs whose turn is over and that still have calls in progress. */
const WORKERS_MAX = 4 * RUNS_MAX

/** How long a worker that stops waits for calls in progress. Another worker repeats those that are aborted then. */
const STOP_MS_MAX = 8_000

/**
 * A worker: finds runs with work in the tables and executes it. Any number of workers may run. All state is in the
 * tables, so a worker may die at any moment.
 */
export class Engine implements Dispatcher {
  readonly #parts: EngineParts
  readonly #stopping = new AbortController()
  readonly #runs = new Map<Uuid, Turn>()
  /** When the last turn of runs with work began. */
  readonly #turns = new Map<Uuid, number>()
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
    const runs = await runsWithWork(this.#parts.db)
    const ids = new Set(runs.map(({ id }) => id))
    for (const id of this.#turns.keys()) if (!ids.has(id)) this.#turns.delete(id)
    const waiting = new Set(runs.filter(({ id }) => !this.#runs.has(id)))
    while (waiting.size > 0 && !this.#stopping.signal.aborted && this.#makeRoom()) {
      const next = this.#nextOf(waiting)
      waiting.delete(next)
      this.#begin(next)
    }
  }

  /** That of the project with the fewest turns, so that none waits for the runs of another; it has waited longest. */
  #nextOf(waiting: ReadonlySet<WorkingRun>): WorkingRun {
    const taken = this.#turnsByProject()
    const rank = ({ project_id, id }: WorkingRun): [number, number] => [
      taken.get(project_id)?.length ?? 0,
      this.#turns.get(id) ?? 0,
    ]
    return [...waiting].reduce((first, one) => {
      const [[a, since], [b, other]] = [rank(first), rank(one)]
      return b < a || (b === a && other < since) ? one : first
    })
  }

  /** Whether a turn can begin. If there are too many, the longest one of the project with most of them ends. */
  #makeRoom(): boolean {
    const taken = [...this.#turnsByProject().values()]
    if (taken.reduce((sum, turns) => sum + turns.length, 0) < RUNS_MAX) return true
    if (this.#runs.size >= WORKERS_MAX) return false
    const until = performance.now() - TURN_MS
    const [turns = []] = taken
      .map(some => some.filter(({ since }) => since <= until))
      .toSorted((one, other) => other.length - one.length)
    const longest = turns.toSorted((one, other) => one.since - other.since).at(0)
    if (!longest) return false
    longest.isOver = true
    longest.worker.stop()
    return true
  }

  #turnsByProject(): Map<Uuid, Turn[]> {
    return Map.groupBy(
      [...this.#runs.values()].filter(({ isOver }) => !isOver),
      ({ project_id }) => project_id,
    )
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
    const since = performance.now()
    this.#turns.set(run.id, since)
    this.#runs.set(run.id, { project_id: run.project_id, worker, ended, since, isOver: false })
  }
}

/** Of a run that is worked on. */
interface Turn {
  project_id: Uuid
  worker: RunWorker
  ended: Promise<void>
  since: number
  /** It claims nothing more. */
  isOver: boolean
}
