import { setTimeout as delay } from 'node:timers/promises'
import { type Micros, microsNow, type TraceId, type Uuid } from '@spanhouse/model'
import { type Engine, latestAccepted } from '@spanhouse/span-store'

interface Place {
  project_id: Uuid
  trace_id: TraceId
}

/** How many writes are remembered, and for how long. */
const WRITES_MAX = 10_000
const RECENT_MICROS = 10_000_000
/** How long a read waits for a write, and how often it checks. */
const WAIT_MS = 3_000
const LOOK_EVERY_MS = 40

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

  /** Resolves when the accepted version of the trace is stored, or after three seconds. */
  async stored(place: Place): Promise<void> {
    const accepted_at = this.#accepted.get(place.project_id + place.trace_id)
    if (accepted_at === undefined) return
    const until = performance.now() + WAIT_MS
    const isRecent = accepted_at > microsNow() - RECENT_MICROS
    while (isRecent && performance.now() < until && (await latestAccepted(this.#engine, place)) < accepted_at)
      await delay(LOOK_EVERY_MS)
    if (this.#accepted.get(place.project_id + place.trace_id) === accepted_at) this.forget(place)
  }
}
