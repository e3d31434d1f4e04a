import { setTimeout as delay } from 'node:timers/promises'
import { invalid, type Micros, microsNow, Problem, type Uuid } from '@spanhouse/model'
import { type Filter, filterSize } from '@spanhouse/query'
import { type Arrival, arrivalsSince, type Engine, readArrived } from '@spanhouse/span-store'
import type { FastifyBaseLogger } from 'fastify'
import { SILENCE_MS } from '../http/answer/server-sent-events.ts'
import { ArrivedSpan, Listener } from './listener.ts'

/** Conditions of a listener's filter and values in their lists, in total. */
const FILTER_SIZE_MAX = 500

/** How often a project with listeners is polled. */
const LOOK_EVERY_MS = 500
/** Spans of one poll that are read completely, if their sizes allow it. */
const SPANS_MAX = 500
/** Time for matching and serialising the results of one round of polls, for all projects together. */
const TELL_MS_MAX = 200
/**
 * A version becomes visible only when its batch is stored, which is after the time that it carries. So every poll goes
 * back this far, and sent versions are remembered for as long.
 */
const OVERLAP_MICROS = 10_000_000

/**
 * Streams the spans of projects as they are stored. A project is polled while it has listeners, once for all of them;
 * filters are matched in memory. Only spans that can be read are sent: a listener that requests a span it was sent
 * finds it.
 */
export class Tail {
  readonly #engine: Engine
  readonly #projects = new Map<Uuid, Set<Listener>>()
  #isClosed = false

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * Throws a Problem `invalid` for a filter that is too large, `overloaded` if the server is stopping. The share
   * `listen` limits the number of listeners.
   */
  listen(project_id: Uuid, filter: Filter | undefined, log: FastifyBaseLogger): Listener {
    if (filter && filterSize(filter) > FILTER_SIZE_MAX)
      throw invalid(`filter has more than ${FILTER_SIZE_MAX} conditions and listed values, the maximum for a live tail`)
    const listeners = this.#projects.get(project_id) ?? new Set()
    if (this.#isClosed) throw new Problem('overloaded', 'The server is stopping.', { retryAfterSeconds: 10 })
    const listener = new Listener(filter)
    listeners.add(listener)
    listener.events.once('close', () => listeners.delete(listener))
    if (!this.#projects.has(project_id)) {
      this.#projects.set(project_id, listeners)
      void this.#follow(project_id, listeners, log)
    }
    return listener
  }

  /** Ends all streams and accepts no more listeners. */
  close(): void {
    this.#isClosed = true
    for (const listeners of this.#projects.values()) for (const listener of listeners) listener.end()
  }

  /** Polls until there are no more listeners. */
  async #follow(project_id: Uuid, listeners: ReadonlySet<Listener>, log: FastifyBaseLogger): Promise<void> {
    const told = new Told(microsNow())
    let silentSince = performance.now()
    while (listeners.size > 0 && !this.#isClosed) {
      await delay(LOOK_EVERY_MS)
      try {
        if ((await this.#tellNew(project_id, listeners, told)) > 0) silentSince = performance.now()
      } catch (error) {
        // They are sent when a poll succeeds again: it goes back to the last one sent.
        log.warn({ err: error }, 'cannot read new spans for the live tail')
      }
      if (performance.now() - silentSince < SILENCE_MS) continue
      for (const listener of listeners) listener.comment()
      silentSince = performance.now()
    }
    // In the same turn as the last check for listeners: a listener that arrives now starts a new loop.
    this.#projects.delete(project_id)
  }

  async #tellNew(project_id: Uuid, listeners: ReadonlySet<Listener>, told: Told): Promise<number> {
    const arrivals = await arrivalsSince(this.#engine, project_id, told.since)
    const fresh = arrivals.filter(arrival => told.isNew(arrival))
    const shown = fresh.slice(0, SPANS_MAX)
    const arrived = shown.length > 0 ? await readArrived(this.#engine, project_id, shown) : []
    const spans = arrived.map(({ span, matchable }) => new ArrivedSpan(span, matchable))
    // Those beyond a poll's limits. What a poll does not return is not counted: it may have been sent already.
    const skipped = fresh.length - arrived.length
    for (const listener of listeners) if (skipped > 0) listener.skip(skipped)
    if (spans.length > 0) await this.#tell(spans, listeners)
    for (const listener of listeners) listener.sayDropped()
    told.add(fresh)
    return spans.length
  }

  /** The listener whose filter was fastest last time comes first, and leaves the rest of its time to the next ones. */
  async #tell(spans: readonly ArrivedSpan[], listeners: ReadonlySet<Listener>): Promise<void> {
    let left = TELL_MS_MAX / this.#projects.size
    const waiting = [...listeners].toSorted((one, other) => one.spentMs - other.spentMs)
    for (const [at, listener] of waiting.entries()) {
      await listener.offer(spans, left / (waiting.length - at))
      left -= listener.spentMs
    }
  }
}

/** The versions sent recently. */
class Told {
  readonly #begin: Micros
  readonly #versions = new Map<string, Micros>()
  #latest: Micros
  #latestSeenAt = performance.now()

  constructor(begin: Micros) {
    this.#begin = begin
    this.#latest = begin
  }

  /** The time from which there may be something new. If nothing arrives any more, eventually nothing is read again. */
  get since(): Micros {
    const elapsed = Math.round((performance.now() - this.#latestSeenAt) * 1000)
    return Math.max(this.#begin, this.#latest - Math.max(0, OVERLAP_MICROS - elapsed))
  }

  isNew({ trace_id, span_id, written_at }: Arrival): boolean {
    return (this.#versions.get(trace_id + span_id) ?? 0) < written_at
  }

  add(arrivals: readonly Arrival[]): void {
    for (const { trace_id, span_id, written_at } of arrivals) {
      this.#versions.set(trace_id + span_id, written_at)
      if (written_at <= this.#latest) continue
      this.#latest = written_at
      this.#latestSeenAt = performance.now()
    }
    const { since } = this
    for (const [version, written_at] of this.#versions) if (written_at <= since) this.#versions.delete(version)
  }
}
