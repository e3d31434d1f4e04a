import { randomUUID } from 'node:crypto'
import type { Uuid } from '@spanhouse/model'
import { type Database, sql, type Trx } from '@spanhouse/postgres'

/** A shard as Postgres has it. */
export interface ShardRecord {
  /** Counted from 1. */
  number: number
  store_id: Uuid
  /** The last mark that a writer has left there; 0: none yet. */
  mark: number
  /** Whether it has what every shard has. */
  is_active: boolean
}

/** The shards that may have traces of a partition of the stream. New traces go to the last. */
export type Route = readonly number[]

/** Which shards there are and which of them has what, the same for all processes. */
export interface Layout {
  shards: readonly ShardRecord[]
  /** By partition. */
  routes: ReadonlyMap<number, Route>
}

/** Undefined: the store is a single server. */
export async function readLayout(db: Database | Trx): Promise<Layout | undefined> {
  const rows = await db.selectFrom('cluster_shards').selectAll().orderBy('shard').execute()
  if (rows.length === 0) return undefined
  const shards = rows.map(({ shard, store_id, mark, is_active }) => ({
    number: shard,
    store_id,
    mark: Number(mark),
    is_active,
  }))
  const routes = new Map<number, number[]>()
  const positions = db.selectFrom('cluster_routes').selectAll().orderBy('stream_partition').orderBy('position')
  for (const { stream_partition, shard } of await positions.execute())
    routes.set(stream_partition, [...(routes.get(stream_partition) ?? []), shard])
  return { shards, routes }
}

/** Whether two layouts route all partitions alike. */
export const isSameRouting = (one: Layout, other: Layout): boolean =>
  JSON.stringify([...one.routes]) === JSON.stringify([...other.routes])

/**
 * Runs a change of the layout while no other process changes it.
 */
export const changeLayout = <T>(db: Database, change: (trx: Trx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async trx => {
    await sql`lock table cluster_shards in exclusive mode`.execute(trx)
    return change(trx)
  })

/** Records a cluster. If its first shard has traces, so it may have those of every partition. */
export async function createLayout(
  trx: Trx,
  { shards, partitions, hasTraces }: { shards: number; partitions: number; hasTraces: boolean },
): Promise<void> {
  for (let shard = 1; shard <= shards; shard++)
    await trx.insertInto('cluster_shards').values({ shard, store_id: randomUUID(), is_active: true }).execute()
  const first: Route = hasTraces ? [1] : []
  const routes = new Map(Array.from({ length: partitions }, (_, partition) => [partition, first]))
  await storeRoutes(trx, spread(routes, shards))
}

/** Records another shard, without partitions yet, and returns the identity of its data. */
export async function addRecord(trx: Trx, shard: number): Promise<Uuid> {
  const store_id = randomUUID()
  await trx.insertInto('cluster_shards').values({ shard, store_id }).execute()
  return store_id
}

export async function setActive(trx: Trx, shard: number): Promise<void> {
  await trx.updateTable('cluster_shards').set({ is_active: true }).where('shard', '=', shard).execute()
}

export async function storeRoutes(trx: Trx, routes: Layout['routes']): Promise<void> {
  await trx.deleteFrom('cluster_routes').execute()
  const rows = [...routes].flatMap(([stream_partition, route]) =>
    route.map((shard, position) => ({ stream_partition, position, shard })),
  )
  await trx.insertInto('cluster_routes').values(rows).execute()
}

/**
 * Gives each shard its share of the partitions for new traces, and moves no more of them than that takes. What a shard
 * had stays on the route.
 */
export function spread(routes: Layout['routes'], shards: number): Map<number, Route> {
  const shareMax = Math.ceil(routes.size / shards)
  const taken = new Array<number>(shards + 1).fill(0)
  const homeless: number[] = []
  const spreaded = new Map(routes)
  for (const [partition, route] of routes) {
    const last = route.at(-1)
    if (last === undefined || (taken[last] as number) >= shareMax) homeless.push(partition)
    else taken[last] = (taken[last] as number) + 1
  }
  balance(spreaded, taken, homeless, Math.floor(routes.size / shards))
  return spreaded
}

/** Gives the homeless partitions to the shards that have fewest, and takes more from those that have most if needed. */
function balance(routes: Map<number, Route>, taken: number[], homeless: number[], shareMin: number): void {
  const least = (): number =>
    taken.reduce((best, count, shard) => (shard > 0 && count < (taken[best] ?? Infinity) ? shard : best), 1)
  const move = (partition: number, shard: number): void => {
    const route = routes.get(partition) ?? []
    routes.set(partition, [...route.filter(one => one !== shard), shard])
    taken[shard] = (taken[shard] as number) + 1
  }
  for (const partition of homeless) move(partition, least())
  for (let poorest = least(); (taken[poorest] as number) < shareMin; poorest = least()) {
    const richest = taken.indexOf(Math.max(...taken))
    const [partition] = [...routes].find(([, route]) => route.at(-1) === richest) as [number, Route]
    taken[richest] = (taken[richest] as number) - 1
    move(partition, poorest)
  }
}

/** Records that a shard has a mark. Marks of later writers may have been recorded before. */
export async function recordMark(db: Database, shard: number, mark: number): Promise<void> {
  await db
    .updateTable('cluster_shards')
    .set({ mark: sql`greatest(mark, ${mark})` })
    .where('shard', '=', shard)
    .execute()
}

/** A greater number with each call, whichever process asks. */
export async function nextMark(db: Database): Promise<number> {
  const { rows } = await sql<{ mark: string }>`select nextval('cluster_marks') as mark`.execute(db)
  return Number(rows[0]?.mark)
}
