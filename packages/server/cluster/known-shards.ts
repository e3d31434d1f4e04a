import type { Database } from '@spanhouse/postgres'
import type { Engine } from '@spanhouse/span-store'
import { partitionOf } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { type Layout, readLayout } from './layout.ts'

/**
 * For how long the layout is used without being read again. A shard has no traces until it was recorded that long ago.
 */
export const LAYOUT_KNOWN_MS = 2_000

/**
 * The shards to read from, by a layout that may be some seconds old. `engines` has one for each listed shard; undefined
 * for one with replicas, of which a single one may lack what was stored last.
 */
export function knownShards(
  db: Database,
  engines: readonly (Engine | undefined)[],
  log: Logger,
): Required<Pick<Engine, 'shards' | 'shardsOf'>> {
  const isSingle = engines.every(engine => engine !== undefined)
  let count = 0
  let routes: Layout['routes'] = new Map()
  let dueAt = 0
  let reading: Promise<void> | undefined
  const readAgain = (): Promise<void> => {
    const readAt = performance.now()
    reading ??= readLayout(db)
      .then(layout => {
        routes = layout?.routes ?? routes
        count = layout?.shards.length ?? 0
        dueAt = readAt + LAYOUT_KNOWN_MS
      })
      // Older routes do, and without any all shards are asked.
      .catch(error =>
        log.warn({ err: error }, 'cannot read the layout of the cluster; ClickHouse itself asks all shards'),
      )
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return {
    // A shard that is missing would make an answer partial: without a recent layout, or with one of more shards than
    // are listed, ClickHouse itself asks those that it knows.
    shards: async () => {
      if (!isSingle) return undefined
      if (performance.now() >= dueAt) await readAgain()
      const isKnown = performance.now() < dueAt && count > 0 && count <= engines.length
      return isKnown ? engines.slice(0, count) : undefined
    },
    shardsOf: async trace_id => {
      const isRead = performance.now() < dueAt || readAgain()
      if (routes.size === 0) await isRead
      const route = routes.get(partitionOf(Buffer.from(trace_id, 'hex'), routes.size)) ?? []
      return route.toReversed().flatMap(shard => engines[shard - 1] ?? [])
    },
  }
}
