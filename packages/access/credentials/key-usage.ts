import type { Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import type { StoredKey } from './credentials.ts'

/** How exact `last_used_at` is: a key in constant use is written this often. */
const EXACT_TO_MS = 60_000
/** Keys that may wait to be written; the use of further ones is noted when they are used again. */
const WAITING_MAX = 10_000

/** Notes when keys were last used, in the background and never more than one statement at a time. */
export class KeyUsage {
  readonly #db: Database
  #waiting = new Set<Uuid>()
  #writing: Promise<void> | null = null

  constructor(db: Database) {
    this.#db = db
  }

  /** Marks the key as used now. Returns at once. */
  note(key: StoredKey, nowMs: number): void {
    if (nowMs - key.usedMs < EXACT_TO_MS || this.#waiting.size >= WAITING_MAX) return
    key.usedMs = nowMs
    this.#waiting.add(key.id)
    this.#writing ??= this.#write()
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting]
      this.#waiting = new Set()
      const last_used_at = new Date().toISOString()
      // Nothing depends on it: a failure costs one minute's mark, and the next look-up reports the database itself.
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
