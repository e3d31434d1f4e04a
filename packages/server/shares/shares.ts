import type { Problem } from '@spanhouse/model'
import { Counter, Gauge, type Registry } from 'prom-client'
import { type Division, Pool, type Tenant } from './pool.ts'

/** Reads of ClickHouse at once. The engine has more connections, for what takes a moment and waits for no slot. */
const READ_SLOTS = 4

/**
 * What requests have to share, by what they use most of. No project has more than half of anything but time: the others'
 * requests find a slot, or get the next one.
 */
export const SHARES = {
  /** Whatever is not named below: mostly a few short statements of Postgres. */
  call: { slots: 64, project: 16, organization: 32, waiting: 256 },
  /** Searches and reads spans in ClickHouse. */
  read: { slots: READ_SLOTS, project: READ_SLOTS / 2, organization: READ_SLOTS - 1, waiting: 32 },
  /** Reads or writes many records at once: lists, files, embeds. */
  heavy: { slots: 8, project: 4, organization: 6, waiting: 64 },
  /** Listens to spans as they are stored, for as long as the caller likes. Nobody waits for the end of that. */
  listen: { slots: 200, project: 20, organization: 50, waiting: 0 },
  /** Runs a handler, which mostly means to wait for a model. Its request holds no slot of another share. */
  run: { slots: 512, project: 256, organization: 384, waiting: 256 },
  /** Calls an address that the caller has chosen. */
  probe: { slots: 8, project: 2, organization: 4, waiting: 8 },
  /** Hashes a password, which is slow on purpose; asked by nobody in particular. */
  password: { slots: 2, project: 2, organization: 2, waiting: 32 },
} as const satisfies Record<string, Division>

export type ShareName = keyof typeof SHARES

/** The shares of one process, and what is counted of them. */
export class Shares {
  readonly #pools: Record<ShareName, Pool>
  readonly #refused: Counter<'share' | 'code'>

  constructor(registry: Registry) {
    const names = Object.keys(SHARES) as ShareName[]
    const pools = Object.fromEntries(names.map(name => [name, new Pool(name, SHARES[name])])) as Record<ShareName, Pool>
    this.#pools = pools
    this.#refused = new Counter({
      name: 'spanhouse_share_refused_total',
      help: 'Requests refused because their project, or the process, had no slot left in a share.',
      labelNames: ['share', 'code'],
      registers: [registry],
    })
    gauge('spanhouse_share_in_use', 'Requests that hold a slot of a share.', pool => pool.inUse)
    gauge('spanhouse_share_waiting', 'Requests that wait for a slot of a share.', pool => pool.waiting)

    function gauge(name: string, help: string, read: (pool: Pool) => number): void {
      new Gauge({
        name,
        help,
        labelNames: ['share'] as const,
        registers: [registry],
        collect() {
          for (const share of names) this.set({ share }, read(pools[share]))
        },
      })
    }
  }

  /** A slot for one request: see `Pool.take`. */
  async take(share: ShareName, tenant: Tenant, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#pools[share].take(tenant, signal)
    } catch (error) {
      if (!signal.aborted) this.#refused.inc({ share, code: (error as Problem).code })
      throw error
    }
  }
}
