import { setTimeout as delay } from 'node:timers/promises'
import { type Micros, microsNow } from '@spanhouse/model'
import { type Engine, latestAccepted } from '@spanhouse/span-store'
import type { Place } from '../ingest/trace-turn.ts'

/** How many writes are remembered, and for how long. */
const WRITES_MAX = 10_000
const RECENT_MICROS = 10_000_000
/** How long a read waits for a write. */
const WAIT_MS = 3_000
/** When it checks: after this time, and then after a quarter of the time waited so far. */
const LOOK_AFTER_MS = 40

/**
 * The simple traces that this process has just accepted, so that a read right after a write waits until it is stored
 * instead of finding nothing. It does not wait for writes of other processes.
 */
export class RecentWrites {
  readonly #engine: Engine
  /** When each trace was last accepted, least recent first. */
  readonly #accepted = new Map<string, Micros>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  note({ project_id, trace_id }: Place, accepted_at: Micros): void {
    const key = project_id + trace_id
    this.#accepted.delete(key)
    this.#accepted.set(key, accepted_at)
    if (this.#accepted.size > WRITES_MAX) this.#accepted.delete(this.#accepted.keys().next().value as string)
  }

  forget({ project_id, trace_id }: Place): void {
    this.#accepted.delete(project_id + trace_id)
  }

  /** Resolves when the accepted version of the trace is stored or forgotten, or after `waitMs` (three seconds). */
  async stored(place: Place, waitMs = WAIT_MS): Promise<void> {
    const accepted_at = this.#accepted.get(place.project_id + place.trace_id)
    if (accepted_at === undefined) return
    const isAwaited = accepted_at > microsNow() - RECENT_MICROS
    if (isAwaited && !(await this.#isStored(place, accepted_at, waitMs))) return
    if (this.#accepted.get(place.project_id + place.trace_id) === accepted_at) this.forget(place)
  }

  /** False if it is not stored in time, or was forgotten meanwhile. */
  async #isStored(place: Place, accepted_at: Micros, waitMs: number): Promise<boolean> {
    const began = performance.now()
    while (this.#accepted.get(place.project_id + place.trace_id) === accepted_at) {
      if ((await latestAccepted(this.#engine, place)) >= accepted_at) return true
      const waitedMs = performance.now() - began
      if (waitedMs >= waitMs) return false
      await delay(Math.max(LOOK_AFTER_MS, waitedMs / 4), undefined, { ref: false })
    }
    return false
  }
}
