import { setTimeout as delay } from 'node:timers/promises'
import type { Lease, Postgres } from '@spanhouse/postgres'
import type { Logger } from 'pino'

/** Where leases come from. */
type Leases = Pick<Postgres, 'lease'>

export interface HoldOptions {
  partitions: readonly number[]
  /** Undefined: nobody else works on these partitions. */
  leases: Leases | undefined
  signal: AbortSignal
  log: Logger
  /** Works on these partitions until the signal, and has stopped touching them when it resolves. */
  run(partitions: readonly number[], signal: AbortSignal): Promise<void>
}

/** How often partitions are asked for that nobody may be holding any more. */
const ASK_EVERY_MS = 1_000

/**
 * Runs on those partitions that nobody else works on: a lease on each sees to it. When a lease is lost or another
 * partition falls free, the run ends and starts again on what is held then. Returns after the signal.
 */
export async function holdPartitions({ partitions, leases, signal, log, run }: HoldOptions): Promise<void> {
  if (!leases) return run(partitions, signal)
  const held = new Map<number, Lease>()
  while (!signal.aborted) {
    await takeFree(partitions, held, leases)
    if (held.size === 0) {
      await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => {})
      continue
    }
    log.info({ partitions: [...held.keys()] }, 'writing these partitions')
    const change = new AbortController()
    const watching = watch(partitions, held, leases, change, signal)
    await run([...held.keys()], AbortSignal.any([signal, change.signal]))
    change.abort()
    await watching
  }
  await Promise.all([...held.values()].map(lease => lease.release()))
}

const leaseName = (partition: number): string => `span-partition-${partition}`

async function takeFree(all: readonly number[], held: Map<number, Lease>, leases: Leases): Promise<number> {
  for (const [partition, lease] of held) if (lease.lost.aborted) held.delete(partition)
  const before = held.size
  for (const partition of all) {
    if (held.has(partition)) continue
    const lease = await leases.lease(leaseName(partition)).catch(() => null)
    if (lease) held.set(partition, lease)
  }
  return held.size - before
}

async function watch(
  all: readonly number[],
  held: Map<number, Lease>,
  leases: Leases,
  change: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const until = AbortSignal.any([signal, change.signal, ...[...held.values()].map(lease => lease.lost)])
  while (!until.aborted) {
    await delay(ASK_EVERY_MS, undefined, { signal: until }).catch(() => {})
    if (!until.aborted && held.size < all.length && (await takeFree(all, held, leases)) > 0) break
  }
  change.abort()
}
