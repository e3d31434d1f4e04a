import { Problem } from '@spanhouse/model'
import { withDatabaseProblems } from '@spanhouse/postgres'

export interface CachedLookupOptions<V> {
  /** Finds many keys with one statement; a key that is missing from the answer does not exist. */
  load: (keys: string[]) => Promise<Map<string, V>>
  /** How long an answer may be used again. */
  ttlMs: number
  /** How many answers are remembered: this many of what exists, and as many of what does not. */
  entriesMax?: number
  /** How many keys one statement asks for. */
  batchMax?: number
  /** How many keys may wait for the next statement; beyond it callers get a 503. */
  waitingMax?: number
}

interface Entry<V> {
  value: V | null
  untilMs: number
}

/**
 * A look-up that stays cheap when strangers choose the keys. Answers are remembered for a short, bounded while, also
 * that a key does not exist. One statement runs at a time; what is asked meanwhile waits for the next, which asks for
 * all of it at once. So a flood of unknown keys costs a statement per round trip, and cannot push known keys out of
 * memory: the two are remembered apart.
 */
export class CachedLookup<V> {
  readonly #load: (keys: string[]) => Promise<Map<string, V>>
  readonly #ttlMs: number
  readonly #entriesMax: number
  readonly #batchMax: number
  readonly #waitingMax: number
  readonly #found = new Map<string, Entry<V>>()
  readonly #missing = new Map<string, Entry<V>>()
  readonly #waiting = new Map<string, PromiseWithResolvers<V | null>>()
  #isLoading = false
  /** Counts the times everything was forgotten: an answer that was on its way then is not remembered. */
  #generation = 0

  constructor(options: CachedLookupOptions<V>) {
    this.#load = options.load
    this.#ttlMs = options.ttlMs
    this.#entriesMax = options.entriesMax ?? 10_000
    this.#batchMax = options.batchMax ?? 500
    this.#waitingMax = options.waitingMax ?? 10_000
  }

  /** Throws a Problem `overloaded` when the database cannot be reached or too many keys are waiting. */
  async get(key: string): Promise<V | null> {
    const entry = this.#found.get(key) ?? this.#missing.get(key)
    if (entry !== undefined && entry.untilMs > performance.now()) return entry.value
    return this.#waitFor(key)
  }

  /** Forgets everything that was remembered or is being read. */
  forget(): void {
    this.#generation++
    this.#found.clear()
    this.#missing.clear()
  }

  #waitFor(key: string): Promise<V | null> {
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
      const values = await withDatabaseProblems(() => this.#load(batch.map(([key]) => key)))
      for (const [key, { resolve }] of batch) {
        const value = values.get(key) ?? null
        if (generation === this.#generation) this.#remember(key, value)
        resolve(value)
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    }
  }

  #remember(key: string, value: V | null): void {
    const entries = value === null ? this.#missing : this.#found
    const others = value === null ? this.#found : this.#missing
    others.delete(key)
    entries.delete(key)
    entries.set(key, { value, untilMs: performance.now() + this.#ttlMs })
    // A map keeps the order of insertion, so the first is the oldest.
    for (const oldest of entries.keys()) {
      if (entries.size <= this.#entriesMax) break
      entries.delete(oldest)
    }
  }
}
