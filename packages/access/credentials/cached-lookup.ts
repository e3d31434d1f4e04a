import { Problem } from '@spanhouse/model'
import { withDatabaseProblems } from '@spanhouse/postgres'

export interface CachedLookupOptions<V> {
  /** Loads many keys with one statement; a key that is missing from the result does not exist. */
  load: (keys: string[]) => Promise<Map<string, V>>
  /** How long a result is cached. */
  ttlMs: number
  /** How long a statement may take before what was known goes on; two seconds when left out. */
  lateMs?: number
  /** How long a statement may take before it counts as failed; ten seconds when left out. */
  loadMs?: number
  /** How many results are cached: this many existing keys, and as many that do not exist. */
  entriesMax?: number
  /** How many keys one statement loads. */
  batchMax?: number
  /** How many keys may wait for the next statement; beyond it callers get a 503. */
  waitingMax?: number
}

interface Entry<V> {
  value: V | null
  loadedMs: number
  untilMs: number
}

type Waiting<V> = PromiseWithResolvers<V | null>

const LATE_MS = 2_000
/** As long as a caller waits for a connection to the database. */
const LOAD_MS = 10_000

/** How long keys that last existed count as existing while the database is unavailable. */
export const AWAY_MS_MAX = 15 * 60_000
/** How often the database is tried again in that time. */
const ASK_AGAIN_MS = 5_000

/**
 * A look-up that stays cheap when strangers choose the keys. Answers are remembered for a short, bounded while, also
 * that a key does not exist. One statement runs at a time; what is asked meanwhile waits for the next, which asks for
 * all of it at once. So a flood of unknown keys costs a statement per round trip, and cannot push known keys out of
 * memory: the two are remembered apart. While the database cannot be asked, or is late with its answer, what it said to
 * exist a quarter of an hour ago or less still counts. Whatever else is asked waits for the answer.
 */
export class CachedLookup<V> {
  readonly #load: (keys: string[]) => Promise<Map<string, V>>
  readonly #ttlMs: number
  readonly #lateMs: number
  readonly #loadMs: number
  readonly #entriesMax: number
  readonly #batchMax: number
  readonly #waitingMax: number
  readonly #found = new Map<string, Entry<V>>()
  readonly #missing = new Map<string, Entry<V>>()
  readonly #waiting = new Map<string, Waiting<V>>()
  #isLoading = false
  /** The last statement found no database, or has not been answered in time. */
  #isAway = false
  /** Incremented by `forget`: a result that was being loaded at that time is not cached. */
  #generation = 0

  constructor(options: CachedLookupOptions<V>) {
    this.#load = options.load
    this.#ttlMs = options.ttlMs
    this.#lateMs = options.lateMs ?? LATE_MS
    this.#loadMs = options.loadMs ?? LOAD_MS
    this.#entriesMax = options.entriesMax ?? 10_000
    this.#batchMax = options.batchMax ?? 500
    this.#waitingMax = options.waitingMax ?? 10_000
  }

  /**
   * Throws a Problem `overloaded` when the database is unavailable and has not recently returned the key, or when too
   * many keys are waiting.
   */
  async get(key: string): Promise<V | null> {
    const entry = this.#found.get(key) ?? this.#missing.get(key)
    if (entry !== undefined && entry.untilMs > performance.now()) return entry.value
    const known = this.#isAway ? this.#knownWhileAway(key) : undefined
    const asked = this.#waitFor(key)
    if (known === undefined) return asked
    // The caller already has its result, so a failed retry is ignored.
    asked.catch(() => {})
    return known
  }

  /** Drops everything that is cached or being loaded. */
  forget(): void {
    this.#generation++
    this.#found.clear()
    this.#missing.clear()
  }

  async #waitFor(key: string): Promise<V | null> {
    const waiting = this.#waiting.get(key) ?? newWaiting<V>()
    if (this.#waiting.size >= this.#waitingMax && !this.#waiting.has(key)) {
      throw new Problem('overloaded', 'Too many requests with unknown credentials.', { retryAfterSeconds: 1 })
    }
    this.#waiting.set(key, waiting)
    if (!this.#isLoading) void this.#run()
    return waiting.promise
  }

  async #run(): Promise<void> {
    this.#isLoading = true
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, this.#batchMax)
      for (const [key] of batch) this.#waiting.delete(key)
      await this.#answer(batch)
    }
    this.#isLoading = false
  }

  async #answer(batch: [string, Waiting<V>][]): Promise<void> {
    const generation = this.#generation
    const late = setTimeout(() => this.#goOnWithKnown(batch), this.#lateMs)
    try {
      const values = await this.#loadInTime(batch.map(([key]) => key))
      this.#isAway = false
      for (const [key, { resolve }] of batch) {
        const value = values.get(key) ?? null
        if (generation === this.#generation) this.#remember(key, value)
        resolve(value)
      }
    } catch (error) {
      this.#isAway = isAway(error)
      if (this.#isAway) this.#goOnWithKnown(batch)
      for (const [, { reject }] of batch) reject(error)
    } finally {
      clearTimeout(late)
    }
  }

  /**
   * Answers those of what was asked, and of what waits behind it, that are known well enough; the others go on waiting.
   */
  #goOnWithKnown(batch: readonly [string, Waiting<V>][]): void {
    this.#isAway = true
    for (const [key, { resolve }] of [...batch, ...this.#waiting]) {
      const known = this.#knownWhileAway(key)
      if (known === undefined) continue
      resolve(known)
      // Who asks from here on waits for the next statement: what is known may be forgotten meanwhile.
      if (this.#waiting.get(key)?.resolve === resolve) this.#waiting.set(key, newWaiting())
    }
  }

  async #loadInTime(keys: string[]): Promise<Map<string, V>> {
    const failed = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      failed.reject(new Problem('overloaded', 'The database does not respond; try again.', { retryAfterSeconds: 5 }))
    }, this.#loadMs)
    try {
      return await Promise.race([withDatabaseProblems(() => this.#load(keys)), failed.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #knownWhileAway(key: string): V | null | undefined {
    const entry = this.#found.get(key)
    const nowMs = performance.now()
    if (entry === undefined || entry.loadedMs + AWAY_MS_MAX < nowMs) return undefined
    entry.untilMs = nowMs + ASK_AGAIN_MS
    return entry.value
  }

  #remember(key: string, value: V | null): void {
    const entries = value === null ? this.#missing : this.#found
    const others = value === null ? this.#found : this.#missing
    others.delete(key)
    entries.delete(key)
    const loadedMs = performance.now()
    entries.set(key, { value, loadedMs, untilMs: loadedMs + this.#ttlMs })
    // A map keeps the order of insertion, so the first entry is the oldest.
    for (const oldest of entries.keys()) {
      if (entries.size <= this.#entriesMax) break
      entries.delete(oldest)
    }
  }
}

/** Nobody may be waiting when it is rejected. */
function newWaiting<V>(): Waiting<V> {
  const waiting = Promise.withResolvers<V | null>()
  waiting.promise.catch(() => {})
  return waiting
}

/** Whether the database itself is unavailable, as opposed to a failed query. */
const isAway = (error: unknown): boolean => error instanceof Problem && error.retryable
