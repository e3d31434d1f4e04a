import type { Database } from '@spanhouse/postgres'
import type { Logger } from 'pino'
import { pause, repeatedly } from '../background/background.ts'
import { requireEnough } from './check.ts'
import { isSameRouting, type Layout, type Route, readLayout } from './layout.ts'

/** Partitions with the same shards: one writer writes them. */
export interface RoutedPartitions {
  route: Route
  partitions: readonly number[]
}

export interface RoutesRun {
  db: Database
  /** How many shards this process knows. */
  listed: number
  partitions: readonly number[]
  signal: AbortSignal
  log: Logger
  /** Writes until the signal aborts. May end earlier, and is then called again. */
  run(routed: RoutedPartitions, layout: Layout, signal: AbortSignal): Promise<void>
}

/** How often the layout is read, and the delay before a run that ended is repeated. */
const LOOK_EVERY_MS = 1_000

/**
 * Writes each group of partitions by itself, so that those of a shard that is away wait and the others go on. When
 * routes change, all runs end and begin again on the new ones. Throws an Error for the operator if the cluster has more
 * shards than this process knows.
 */
export async function runRoutes(options: RoutesRun): Promise<void> {
  const { db, listed, partitions, signal, log, run } = options
  while (!signal.aborted) {
    const layout = await untilRead(db, signal, log)
    if (!layout) return
    requireEnough(listed, layout)
    const change = new AbortController()
    const until = AbortSignal.any([signal, change.signal])
    const watching = watch(db, layout, until).then(() => change.abort())
    const runs = routed(layout, partitions).map(group =>
      repeatedly(LOOK_EVERY_MS, until, () => run(group, layout, until)),
    )
    // If one cannot go on, all of them end before this does.
    await Promise.all(runs).catch(async error => {
      change.abort()
      await Promise.allSettled(runs)
      throw error
    })
    change.abort()
    await watching
  }
}

function routed({ routes }: Layout, partitions: readonly number[]): RoutedPartitions[] {
  const groups = new Map<string, { route: Route; partitions: number[] }>()
  for (const partition of partitions) {
    const route = routes.get(partition) as Route
    const group = groups.get(route.join()) ?? { route, partitions: [] }
    groups.set(route.join(), group)
    group.partitions.push(partition)
  }
  return [...groups.values()]
}

async function untilRead(db: Database, signal: AbortSignal, log: Logger): Promise<Layout | undefined> {
  while (!signal.aborted) {
    try {
      return await readLayout(db)
    } catch (error) {
      log.warn({ err: error }, 'cannot read the layout of the cluster; trying again')
      await pause(LOOK_EVERY_MS, signal)
    }
  }
  return undefined
}

/** Resolves when the routes have changed, or when the signal aborts. */
async function watch(db: Database, layout: Layout, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, signal)
    const now = signal.aborted ? undefined : await readLayout(db).catch(() => undefined)
    if (now && !isSameRouting(layout, now)) return
  }
}
