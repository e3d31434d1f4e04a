import { copyEverything } from '@spanhouse/evaluation'
import { Problem } from '@spanhouse/model'
import { type Database, type Postgres, whileLeased } from '@spanhouse/postgres'
import { hasSpans, migrateShard, readMark, requireListed, type Shard } from '@spanhouse/span-store'
import type { Logger } from 'pino'
import { type Background, inBackground, pause, repeatedly } from '../background/background.ts'
import { leaveMark, requireEnough } from './check.ts'
import { LAYOUT_KNOWN_MS } from './known-shards.ts'
import { addRecord, changeLayout, type Layout, readLayout, setActive, spread, storeRoutes } from './layout.ts'
import { fillRetentions } from './retentions.ts'

/*
 * A shard is added in two steps. The first records it: from then on it gets what every shard has, along with the
 * others. The second gives it what the others had before, and then its share of the partitions: new traces of these go
 * there, all others stay where they are. A step that was cut short is repeated.
 */

export interface GrowingCluster {
  /** As listed in CLICKHOUSE_URLS: the shards of the cluster, and those to be added. */
  shards: readonly Shard[]
  postgres: Pick<Postgres, 'db' | 'lease'>
  /** The migrations of ClickHouse. */
  folder: string
}

/**
 * Records the next listed shard as part of the cluster and returns its number. Rejects with a Problem `conflict` if it
 * cannot be, which says why.
 */
export async function addShard({ shards, postgres: { db }, folder }: GrowingCluster): Promise<number> {
  const layout = await readLayout(db)
  const next = shards[layout?.shards.length ?? 0]
  if (!layout || !next)
    throw conflict(
      `CLICKHOUSE_URLS lists no shard that is not in the cluster (${shards.length} of ${shards.length}): append its address for all processes and restart them.`,
    )
  const adding = layout.shards.find(({ is_active }) => !is_active)
  if (adding) throw conflict(`Shard ${adding.number} is still being added.`)
  await requireAddable(next, { shards, folder }).catch(error => {
    throw error instanceof Problem ? error : conflict((error as Error).message, error)
  })
  const store_id = await changeLayout(db, trx => addRecord(trx, next.number))
  await leaveMark(next, store_id, db)
  return next.number
}

async function requireAddable(
  next: Shard,
  { shards, folder }: Pick<GrowingCluster, 'shards' | 'folder'>,
): Promise<void> {
  await migrateShard(next, folder)
  if ((await readMark(next)) || (await hasSpans(next)))
    throw new Error(`${next.name} has data already: a shard that is added must be empty.`)
  for (const shard of shards.slice(0, next.number))
    await requireListed(shard, { countMin: next.number, listed: shards.length })
}

const conflict = (message: string, cause?: unknown): Problem => new Problem('conflict', message, { cause })

/** How often a process looks whether a shard is being added, and whether its list is still long enough. */
const LOOK_EVERY_MS = 2_000

export interface GrowthStart extends GrowingCluster {
  log: Logger
  /** Called if the cluster has more shards than are listed: this process would change only some of them. */
  onFailure(error: Error): void
}

/** Completes the addition of shards, in one process at a time. */
export const startGrowth = ({ log, onFailure, ...cluster }: GrowthStart): Background =>
  inBackground(signal => repeatedly(LOOK_EVERY_MS, signal, () => complete(cluster, log, signal)).catch(onFailure))

async function complete(cluster: GrowingCluster, log: Logger, signal: AbortSignal): Promise<void> {
  const { shards, postgres } = cluster
  const layout = await readLayout(postgres.db).catch(error => {
    log.warn({ err: error }, 'cannot read the layout of the cluster; trying again')
  })
  if (!layout) return
  requireEnough(shards.length, layout)
  const adding = layout.shards.find(({ is_active }) => !is_active)
  if (!adding) return
  await whileLeased(postgres, 'cluster-growth', () => completeShard(cluster, adding.number, signal)).catch(error => {
    log.warn({ err: error, shard: adding.number }, 'cannot complete the addition of a shard; trying again')
  })
}

async function completeShard({ shards, postgres }: GrowingCluster, number: number, signal: AbortSignal): Promise<void> {
  await fill(shards[number - 1] as Shard, postgres.db, signal)
  // Until then, readers may not know of it.
  await pause(LAYOUT_KNOWN_MS, signal)
  if (!signal.aborted) await activate(postgres.db, number)
}

/** Copies what every shard has. */
async function fill({ own }: Shard, db: Database, signal: AbortSignal): Promise<void> {
  await fillRetentions(own, db, signal)
  await copyEverything({ db, engine: own }, signal)
}

const activate = (db: Database, number: number): Promise<void> =>
  changeLayout(db, async trx => {
    const { routes } = (await readLayout(trx)) as Layout
    await setActive(trx, number)
    await storeRoutes(trx, spread(routes, number))
  })
