import type { Problem } from '@spanhouse/model'
import { Counter, Gauge, type Registry } from 'prom-client'
import { type Division, Pool, type Tenant } from './pool.ts'

/** Concurrent reads of ClickHouse. The engine has more connections, for short statements without a slot. */
const READ_SLOTS = 4

/**
 * The resources that requests share, by the one they use most. No project may use more than half of any of them except
 * over time: the others' requests find a slot, or get the next one.
 */
const SHARES = {
  /** The default: mostly a few short Postgres statements. */
  call: { slots: 64, project: 16, organization: 32, waiting: 256 },
  /** Searches and reads spans in ClickHouse. */
  read: { slots: READ_SLOTS, project: READ_SLOTS / 2, organization: READ_SLOTS - 1, waiting: 256 },
  /** Reads or writes many entities at once: lists, files, embeds. */
  heavy: { slots: 8, project: 4, organization: 6, waiting: 256 },
  /** Streams spans as they are stored, for as long as the caller likes. Requests do not wait for one to end. */
  listen: { slots: 200, project: 20, organization: 50, waiting: 0 },
  /** Runs a handler, which mostly waits for a model. Its request holds no slot of another share. */
  run: { slots: 512, project: 256, organization: 384, waiting: 256 },
  /** Runs a handler for an evaluation: whatever it has to do, direct runs find their slots. */
  evaluate: { slots: 256, project: 128, organization: 192, waiting: 4_096 },
  /** Calls an address chosen by the caller. */
  probe: { slots: 8, project: 2, organization: 4, waiting: 8 },
  /** Hashes a password, which is slow by design; its callers belong to no project. */
  password: { slots: 2, project: 2, organization: 2, waiting: 32 },
} as const satisfies Record<string, Division>

export type ShareName = keyof typeof SHARES

/** The shares whose requests last as long as the caller or a handler takes. */
const OPEN_ENDED: readonly ShareName[] = ['listen', 'run', 'evaluate']

/** Whether a request of the share must be done within `REQUEST_MS_MAX`. */
export const isTimed = (share: ShareName): boolean => !OPEN_ENDED.includes(share)

/** The shares of one process, with their metrics. */
export class Shares {
  readonly #pools: Record<ShareName, Pool>
  readonly #refused: Counter<'share' | 'code'>

  constructor(registry: Registry) {
    const names = Object.keys(SHARES) as ShareName[]
    const pools = Object.fromEntries(names.map(name => [name, new Pool(name, SHARES[name])])) as Record<ShareName, Pool>
    this.#pools = pools
    this.#refused = new Counter({
      name: 'spanhouse_share_refused_total',
      help: 'Requests rejected because their project, or the process, had no free slot in a share.',
      labelNames: ['share', 'code'],
      registers: [registry],
    })
    gauge('spanhouse_share_in_use', 'Requests that hold a slot in a share.', pool => pool.inUse)
    gauge('spanhouse_share_waiting', 'Requests that wait for a slot in a share.', pool => pool.waiting)

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
