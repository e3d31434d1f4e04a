import type { Database, RootDatabase } from 'lmdb'
import { DUPLICATE_WINDOW_MS } from '../admission.ts'

/** Maximum ids removed per id added, so that no publish pays for many others. */
const FORGET_MAX = 8

/** The ids of messages published within the duplicate window. All writes happen inside a transaction. */
export class RecentIds {
  readonly #times: Database<number, string>
  readonly #byTime: Database<true, [number, string]>

  constructor(root: RootDatabase) {
    this.#times = root.openDB({ name: 'id-times', encoding: 'json' })
    this.#byTime = root.openDB({ name: 'ids-by-time', encoding: 'json' })
  }

  has(id: string, nowMs: number): boolean {
    const time = this.#times.get(id)
    return time !== undefined && time > nowMs - DUPLICATE_WINDOW_MS
  }

  add(id: string, nowMs: number): void {
    this.#forget(nowMs)
    const known = this.#times.get(id)
    if (known !== undefined) this.#byTime.remove([known, id])
    this.#times.put(id, nowMs)
    this.#byTime.put([nowMs, id], true)
  }

  #forget(nowMs: number): void {
    const keys = this.#byTime.getKeys({ end: [nowMs - DUPLICATE_WINDOW_MS, ''], limit: FORGET_MAX })
    for (const key of [...keys]) {
      this.#byTime.remove(key)
      this.#times.remove(key[1])
    }
  }
}
