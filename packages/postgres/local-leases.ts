import type { Lease, Leases } from './lease.ts'

/** Leases within one process, which is the only one that can use an embedded database. */
export class LocalLeases implements Leases {
  readonly #held = new Map<string, AbortController>()

  async tryAcquire(name: string): Promise<Lease | null> {
    if (this.#held.has(name)) return null
    const loss = new AbortController()
    this.#held.set(name, loss)
    return { name, lost: loss.signal, release: async () => this.#release(name, loss) }
  }

  async countHeld(names: readonly string[]): Promise<number> {
    return names.filter(name => this.#held.has(name)).length
  }

  async close(): Promise<void> {
    for (const loss of this.#held.values()) loss.abort(new Error('the database was closed'))
    this.#held.clear()
  }

  /** Releasing twice must not release the next holder's lease. */
  #release(name: string, loss: AbortController): void {
    if (this.#held.get(name) === loss) this.#held.delete(name)
  }
}
