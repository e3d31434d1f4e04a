import type { Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import type { StoredKey } from './credentials.ts'

/** The precision of `last_used_at`: a key in constant use is updated this often. */
const EXACT_TO_MS = 60_000
/** Keys that may wait to be written; further keys are recorded when they are next used. */
const WAITING_MAX = 10_000

/** Records when keys were last used, in the background, with at most one statement at a time. */
export class KeyUsage {
  readonly #db: Database
  #waiting = new Set<Uuid>()
  #writing: Promise<void> | null = null

  constructor(db: Database) {
    this.#db = db
  }

  /** Marks the key as used now. Returns immediately. */
  note(key: StoredKey, nowMs: number): void {
    if (nowMs - key.usedMs < EXACT_TO_MS || this.#waiting.size >= WAITING_MAX) return
    key.usedMs = nowMs
    this.#waiting.add(key.id)
    this.#writing ??= this.#write()
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting]
      this.#waiting = new Set()
      const last_used_at = new Date().toISOString()
      // Nothing depends on this: a failure loses one minute's mark, and the next lookup reports the state of the
      // database.
      await this.#db
        .updateTable('api_keys')
        .set({ last_used_at })
        .where('id', 'in', ids)
        .execute()
        .catch(() => undefined)
    }
    this.#writing = null
  }
}
