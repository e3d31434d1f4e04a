import { Problem } from '@spanhouse/model'
import { withDatabaseProblems } from '@spanhouse/postgres'

export interface CachedLookupOptions<V> {
  /** Loads many keys with one statement; a key that is missing from the result does not exist. */
  load: (keys: string[]) => Promise<Map<string, V>>
  /** How long a result is cached. */
  ttlMs: number
  /** How long a statement may take before it counts as failed; 2 s by default. */
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

const LOAD_MS = 2_000

/** How long keys that last existed count as existing while the database is unavailable. */
export const AWAY_MS_MAX = 15 * 60_000
/** How often the database is tried again in that time. */
const ASK_AGAIN_MS = 5_000

/**
 * A lookup that stays cheap when strangers choose the keys. Results are cached for a short time, including that a key
 * does not exist. One statement runs at a time; keys requested in the meantime wait for the next statement, which loads
 * all of them. So a flood of unknown keys costs one statement per round trip, and cannot evict known keys, which are
 * cached separately. While the database is unavailable, keys that it returned within the last quarter of an hour count
 * as existing.
 */
export class CachedLookup<V> {
  readonly #load: (keys: string[]) => Promise<Map<string, V>>
  readonly #ttlMs: number
  readonly #loadMs: number
  readonly #entriesMax: number
  readonly #batchMax: number
  readonly #waitingMax: number
  readonly #found = new Map<string, Entry<V>>()
  readonly #missing = new Map<string, Entry<V>>()
  readonly #waiting = new Map<string, PromiseWithResolvers<V | null>>()
  #isLoading = false
  /** The last statement could not reach the database. */
  #isAway = false
  /** Incremented by `forget`: a result that was being loaded at that time is not cached. */
  #generation = 0

  constructor(options: CachedLookupOptions<V>) {
    this.#load = options.load
    this.#ttlMs = options.ttlMs
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
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<V | null>()
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

  async #answer(batch: [string, PromiseWithResolvers<V | null>][]): Promise<void> {
    const generation = this.#generation
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
      for (const [key, { resolve, reject }] of batch) {
        const known = this.#isAway ? this.#knownWhileAway(key) : undefined
        if (known === undefined) reject(error)
        else resolve(known)
      }
    }
  }

  async #loadInTime(keys: string[]): Promise<Map<string, V>> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Problem('overloaded', 'The database is not responding.', { retryAfterSeconds: 5 }))
    }, this.#loadMs)
    try {
      return await Promise.race([withDatabaseProblems(() => this.#load(keys)), late.promise])
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

/** Whether the database itself is unavailable, as opposed to a failed query. */
const isAway = (error: unknown): boolean => error instanceof Problem && error.retryable
