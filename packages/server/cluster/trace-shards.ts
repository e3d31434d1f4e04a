import type { TraceId } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import type { Engine } from '@spanhouse/span-store'
import { partitionOf } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { type Layout, readLayout } from './layout.ts'

/** For how long routes are used without being read again. */
const KNOWN_MS = 2_000

/**
 * Finds the shards that should have a trace, by routes that may be some seconds old. `engines` has one for each listed
 * shard; undefined for one with replicas, of which a single one may lack what was stored last.
 */
export function traceShards(
  db: Database,
  engines: readonly (Engine | undefined)[],
  log: Logger,
): (trace_id: TraceId) => Promise<Engine[]> {
  let routes: Layout['routes'] = new Map()
  let dueAt = 0
  let reading: Promise<void> | undefined
  const readAgain = (): Promise<void> => {
    reading ??= readLayout(db)
      .then(layout => {
        routes = layout?.routes ?? routes
        dueAt = performance.now() + KNOWN_MS
      })
      // Older routes do, and without any all shards are asked.
      .catch(error =>
        log.warn({ err: error }, 'cannot read the layout of the cluster; traces by id may be asked of all shards'),
      )
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  return async trace_id => {
    const isRead = performance.now() < dueAt || readAgain()
    if (routes.size === 0) await isRead
    const route = routes.get(partitionOf(Buffer.from(trace_id, 'hex'), routes.size)) ?? []
    return route.toReversed().flatMap(shard => engines[shard - 1] ?? [])
  }
}
