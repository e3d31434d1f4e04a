import type { Lease, Postgres } from '@spanhouse/postgres'
import type { Logger } from 'pino'
import { pause } from '../background/background.ts'

/** Where leases come from. */
type Leases = Pick<Postgres, 'lease' | 'leasesHeld'>

export interface HoldOptions {
  partitions: readonly number[]
  /** Undefined: no other writer works on these partitions. */
  leases: Leases | undefined
  signal: AbortSignal
  log: Logger
  /**
   * Works on these partitions until the signal aborts, and no longer touches them when it resolves. May end earlier.
   */
  run(partitions: readonly number[], signal: AbortSignal): Promise<void>
}

/** How often a writer checks for free partitions and for the number of writers. */
const LOOK_EVERY_MS = 1_000

/**
 * Runs on a fair share of the partitions: a lease on each ensures that no other writer works on it, and a lease on a
 * seat announces this writer. If a lease is lost, a partition becomes free or the share changes, the run ends and
 * starts again on the partitions then held. Returns after the signal.
 */
export async function holdPartitions(options: HoldOptions): Promise<void> {
  const { partitions, leases, signal, log, run } = options
  if (!leases) return run(partitions, signal)
  const share = new Share(partitions, leases)
  while (!signal.aborted) {
    await share.settle().catch(error => log.warn({ err: error }, 'cannot acquire partitions; trying again'))
    if (share.held.length > 0) {
      log.info({ partitions: share.held }, 'partitions of this writer')
      const change = new AbortController()
      const { held } = share
      const watching = watch(share, held.length, change, signal)
      await run(held, AbortSignal.any([signal, change.signal]))
      change.abort()
      await watching
    }
    if (!share.isDue) await wait(signal)
  }
  await share.release()
}

const wait = (signal: AbortSignal): Promise<void> => pause(LOOK_EVERY_MS, signal)

/** Requests a change if a lease is lost or the share differs from the `running` partitions. */
async function watch(share: Share, running: number, change: AbortController, signal: AbortSignal): Promise<void> {
  const until = AbortSignal.any([signal, change.signal, share.lost])
  while (!until.aborted && !share.isDue) {
    await wait(until)
    if (!until.aborted) await share.look(running).catch(() => {})
  }
  change.abort()
}

/** The leases of one writer. */
class Share {
  readonly #partitions: readonly number[]
  readonly #leases: Leases
  readonly #held = new Map<number, Lease>()
  #seat: Lease | null = null
  /** Whether `settle` would change anything. */
  isDue = false

  constructor(partitions: readonly number[], leases: Leases) {
    this.#partitions = partitions
    this.#leases = leases
  }

  get held(): number[] {
    return [...this.#held.keys()]
  }

  get lost(): AbortSignal {
    return AbortSignal.any([...this.#held.values()].map(lease => lease.lost))
  }

  /** Acquires free partitions up to the share and releases those beyond it. Nobody works on them meanwhile. */
  async settle(): Promise<void> {
    this.isDue = false
    for (const [partition, lease] of this.#held) if (lease.lost.aborted) this.#held.delete(partition)
    const size = await this.#size()
    const beyond = [...this.#held].slice(size)
    for (const [partition] of beyond) this.#held.delete(partition)
    await Promise.all(beyond.map(([, lease]) => lease.release()))
    if (beyond.length === 0) await this.#takeUpTo(size)
  }

  /**
   * Checks whether to settle again. Partitions that became free are acquired at once: also those that an earlier call
   * acquired before it failed are more than the `running` ones.
   */
  async look(running: number): Promise<void> {
    const size = await this.#size()
    await this.#takeUpTo(size)
    if (this.#held.size > size || this.#held.size > running) this.isDue = true
  }

  /** Partitions divided by writers, rounded up; none without a seat. There are as many seats as partitions. */
  async #size(): Promise<number> {
    const seats = this.#partitions.map(seat => `span-writer-${seat}`)
    if (this.#seat?.lost.aborted) this.#seat = null
    for (const seat of seats) this.#seat ??= await this.#leases.lease(seat)
    if (!this.#seat) return 0
    return Math.ceil(this.#partitions.length / Math.max(1, await this.#leases.leasesHeld(seats)))
  }

  async #takeUpTo(size: number): Promise<void> {
    for (const partition of this.#partitions) {
      if (this.#held.size >= size) return
      if (this.#held.has(partition)) continue
      const lease = await this.#leases.lease(`span-partition-${partition}`)
      if (lease) this.#held.set(partition, lease)
    }
  }

  async release(): Promise<void> {
    await Promise.all([...this.#held.values(), ...(this.#seat ? [this.#seat] : [])].map(lease => lease.release()))
  }
}
