import { counted, Problem } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import {
  type ColdStorage,
  hasSpans,
  migrateShard,
  moveOldSpansOf,
  NewerStore,
  readMark,
  requireListed,
  type Shard,
  writeMark,
} from '@spanhouse/span-store'
import type { Logger } from 'pino'
import { changeLayout, createLayout, type Layout, nextMark, readLayout, recordMark } from './layout.ts'
import { fillRetentions } from './retentions.ts'

/** What the shards of a process' list are compared with. */
export interface ClusterStart {
  /** As listed in CLICKHOUSE_URLS. */
  shards: readonly Shard[]
  db: Database
  /** Partitions of the stream. */
  partitions: number
  /** The migrations of ClickHouse. */
  folder: string
  coldStorage: ColdStorage | undefined
  log: Logger
}

/**
 * Brings the tables of all listed shards up to date and compares the list with what is stored; the first process of a
 * new cluster records it. A shard of the cluster may be away: its writers check it when it is back. Throws an Error for
 * the operator if the list contradicts what is stored, and a Problem `overloaded` while too few servers respond.
 */
export async function startCluster(start: ClusterStart): Promise<void> {
  const { shards, db, partitions, log } = start
  const layout = await readLayout(db)
  if (!layout) {
    for (const shard of shards) await migrate(shard, start)
    await changeLayout(db, async trx => {
      if (await readLayout(trx)) return
      const hasTraces = await requireNew(shards)
      await createLayout(trx, { shards: shards.length, partitions, hasTraces })
    })
    return startCluster(start)
  }
  requireEnough(shards.length, layout)
  requirePartitions(partitions, layout)
  const away: Problem[] = []
  for (const shard of shards)
    await checkShard(shard, layout, start).catch(error => {
      if (!(error instanceof Problem)) throw error
      away.push(error)
      log.warn({ shard: shard.name, err: error }, 'a shard does not respond; it is checked when it does')
    })
  if (away[0] && away.length === shards.length) throw away[0]
}

/** Throws an Error for the operator if a list of shards is shorter than the cluster. */
export function requireEnough(listed: number, { shards }: Layout): void {
  if (listed < shards.length)
    throw new Error(
      `CLICKHOUSE_URLS lists ${counted(listed, 'shard')}, but the cluster has ${shards.length}: list all of them.`,
    )
}

/** Throws an Error for the operator if the store is a cluster. */
export async function requireNoCluster(db: Database): Promise<void> {
  const layout = await readLayout(db)
  if (layout)
    throw new Error(
      `The store is a cluster of ${counted(layout.shards.length, 'shard')}: set CLICKHOUSE_URLS instead of CLICKHOUSE_URL.`,
    )
}

/** Those of the listed shards that are in the cluster now. Throws an Error if it has more. */
export async function membersOf(listed: readonly Shard[], db: Database): Promise<readonly Shard[]> {
  const layout = await readLayout(db)
  if (!layout) throw new Problem('overloaded', 'The cluster is not recorded yet; try again.')
  requireEnough(listed.length, layout)
  return listed.slice(0, layout.shards.length)
}

function requirePartitions(partitions: number, { routes }: Layout): void {
  if (routes.size % partitions !== 0)
    throw new Error(`The stream has ${partitions} partitions, but the cluster was made for ${routes.size}.`)
}

/** A shard's tables and its place, before anything is written there or read. */
async function checkShard(shard: Shard, layout: Layout, start: Omit<ClusterStart, 'partitions'>): Promise<void> {
  await migrate(shard, start)
  await checkPlace(shard, layout, start)
}

/**
 * The same by a writer before each run: its shard may have been away. During an upgrade a newer version may have
 * migrated it since this process started, which then goes on with those tables.
 */
export async function checkShardAgain(
  shard: Shard,
  layout: Layout,
  start: Omit<ClusterStart, 'partitions'>,
): Promise<void> {
  await migrate(shard, start).catch(error => {
    if (!(error instanceof NewerStore)) throw error
  })
  await checkPlace(shard, layout, start)
}

async function checkPlace(
  shard: Shard,
  layout: Layout,
  { shards, db }: Pick<ClusterStart, 'shards' | 'db'>,
): Promise<void> {
  await requireListed(shard, { countMin: Math.min(layout.shards.length, shards.length), listed: shards.length })
  if (shard.number <= layout.shards.length) await requireSameData(shard, layout, db)
}

/** A replica that is left out has older tables until it is there when a process starts. */
async function migrate(
  shard: Shard,
  { folder, coldStorage, db, log }: Omit<ClusterStart, 'shards' | 'partitions'>,
): Promise<void> {
  for (const replica of await migrateShard(shard, folder, own => fillRetentions(own, db)))
    log.warn(
      { shard: shard.name, replica },
      'a replica does not respond and is left out of migrations; it is migrated when a process starts while it responds',
    )
  if (coldStorage) await moveOldSpansOf(shard, coldStorage)
}

/** Whether the first shard has traces. Throws an Error for the operator if a shard cannot be one of a new cluster. */
async function requireNew(shards: readonly Shard[]): Promise<boolean> {
  for (const shard of shards) {
    if (await readMark(shard))
      throw new Error(`${shard.name} belongs to a cluster that is not in this database: DATABASE_URL may be wrong.`)
    if (shard.number > 1 && (await hasSpans(shard)))
      throw new Error(`${shard.name} has spans already: only the first shard of a new cluster may have any.`)
  }
  return shards[0] !== undefined && hasSpans(shards[0])
}

/** Compares the data of a shard with what is recorded of it. */
async function requireSameData(shard: Shard, { shards }: Layout, db: Database): Promise<void> {
  const record = shards[shard.number - 1] as Layout['shards'][number]
  const found = await readMark(shard)
  if (found === undefined && record.mark === 0) return leaveMark(shard, record.store_id, db)
  if (found === undefined)
    throw new Error(`${shard.name} is empty, but shard ${shard.number} of this cluster has data.`)
  if (found.store_id !== record.store_id) {
    const other = shards.find(({ store_id }) => store_id === found.store_id)
    const whose = other ? `shard ${other.number}` : 'another cluster'
    throw new Error(`${shard.name} has the data of ${whose}: CLICKHOUSE_URLS lists it in the wrong place.`)
  }
  if (found.mark < record.mark)
    throw new Error(
      `${shard.name} has older data than before: its last mark is ${found.mark}, not ${record.mark}. Restore its data; docs/cluster.md says how to continue without it.`,
    )
}

/** Leaves a new mark on a shard and records it: from then on a copy made earlier is recognised. */
export async function leaveMark(shard: Shard, store_id: string, db: Database): Promise<void> {
  const mark = await nextMark(db)
  await writeMark(shard, { store_id, mark })
  await recordMark(db, shard.number, mark)
}
