import { hash } from 'node:crypto'
import { Problem, type Uuid } from '@spanhouse/model'
import { type ColdStorage, moveOldSpans, usePolicy } from '../cold-storage.ts'
import { catchUp } from '../engine/catch-up.ts'
import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts'
import { isUnanswered, toProblem } from '../engine/failures.ts'
import { migrateSpans, NewerStore, readMigrations } from '../migrate.ts'
import { clusterStatements, createClusterDatabase } from './cluster-database.ts'
import { clusterUrl, databaseOf } from './cluster-engine.ts'
import { copyTables } from './copy-tables.ts'
import { replicated } from './replicated.ts'

/** One shard of the list of a cluster. */
export interface Shard {
  /** Counted from 1. */
  readonly number: number
  /** For messages: its first address without user and password. */
  readonly name: string
  /** The servers with its rows. */
  readonly urls: readonly string[]
  readonly database: string
  /** Its own tables. */
  readonly own: Engine
  /** The tables of the cluster on this server. */
  readonly cluster: Engine
  /** Each server alone, for what replicas do not tell each other. */
  readonly servers: readonly Server[]
}

/** The engines of a shard, on one of its servers. */
type Server = Pick<Shard, 'own' | 'cluster'>

export function openShard(number: number, urls: readonly string[], options: EngineOptions): Shard {
  const [first = ''] = urls
  return {
    number,
    name: nameOf(number, first),
    urls,
    database: databaseOf(first),
    ...openServers(urls, options),
    servers: urls.map(url => openServers([url], options)),
  }
}

const nameOf = (shard: number, url: string): string => `shard ${shard} (${new URL(url).origin})`

const openServers = (urls: readonly string[], options: EngineOptions): Server => ({
  own: openEngine(urls, options),
  cluster: openEngine(urls.map(clusterUrl), options),
})

export async function closeShard(shard: Shard): Promise<void> {
  await Promise.all([shard, ...shard.servers].flatMap(({ own, cluster }) => [own.close(), cluster.close()]))
}

/**
 * Does something on each server of a shard that responds. Resolves to the addresses of the others, without user and
 * password; throws the Problem of one of them if none responds.
 */
async function onResponding(shard: Shard, work: (server: Server) => Promise<void>): Promise<string[]> {
  const away: string[] = []
  for (const [index, server] of shard.servers.entries())
    await work(server).catch(error => {
      if (!(error instanceof Problem)) throw error
      away.push(new URL(shard.urls[index] as string).origin)
      if (away.length === shard.servers.length) throw error
    })
  return away
}

/** The index of the first server of a shard that responds. Throws a Problem `overloaded` if none does. */
export async function firstResponding(shard: Shard): Promise<number> {
  let first: number | undefined
  await onResponding(shard, async server => {
    if (first !== undefined) return
    await server.own.rows({ text: 'SELECT 1', params: {} })
    first = shard.servers.indexOf(server)
  })
  return first as number
}

/**
 * Brings the tables of a shard's servers up to date, their own and then those of the cluster. Of several replicas,
 * those that do not respond are left out: it resolves to their addresses. One that joins the others is given what every
 * server has by `fill`. Throws an Error for the operator that names the shard, see `migrateSpans`.
 */
export async function migrateShard(
  shard: Shard,
  folder: string,
  fill: (server: Engine) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const isReplicated = shard.servers.length > 1
  let migrated: Engine | undefined
  const form = isReplicated ? replicated : (statement: string) => statement
  return named(shard, () =>
    onResponding(shard, async ({ own, cluster }) => {
      if (isReplicated) await requireReplicated(own)
      if (migrated) await copyTables(migrated, own, fill)
      await migrateSpans(own, folder, { isReplicated })
      await own.command({ text: createClusterDatabase(shard.database), params: {} })
      for (const text of [form(MARKS), TABLES_MADE]) await cluster.command({ text, params: {} })
      await makeClusterTables(cluster, await clusterStatements(own, shard.database, migrations))
      migrated ??= own
    }),
  )
}

/**
 * Like `moveOldSpans`, for a shard: each of its servers that responds has the policy before they move anything. Throws
 * an Error for the operator that names the shard.
 */
export async function moveOldSpansOf(shard: Shard, coldStorage: ColdStorage): Promise<void> {
  await named(shard, async () => {
    await onResponding(shard, ({ own }) => usePolicy(own, coldStorage))
    await moveOldSpans(shard.own, coldStorage)
  })
}

const NOT_REPLICATED = `
SELECT engine FROM system.tables
WHERE database = currentDatabase() AND name = 'spans' AND NOT startsWith(engine, 'Replicated')`

/** Throws an Error if the server's tables are those of a shard with one server. */
async function requireReplicated(own: Engine): Promise<void> {
  if ((await own.rows({ text: NOT_REPLICATED, params: {} })).length > 0)
    throw new Error('CLICKHOUSE_URLS lists replicas of it, but its tables are not replicated; see docs/cluster.md.')
}

/** A hash of the statements that were last run to their end, so that they are not run again with each start. */
const TABLES_MADE = `
CREATE TABLE IF NOT EXISTS cluster_tables (statements String, made_at DateTime64(6) DEFAULT now64(6))
ENGINE = MergeTree ORDER BY made_at`

async function makeClusterTables(cluster: Engine, statements: readonly string[]): Promise<void> {
  const params = { statements: hash('sha256', statements.join('\n')) }
  const [made] = await cluster.rows<{ last: string }>({
    text: 'SELECT argMax(statements, made_at) AS last FROM cluster_tables',
    params: {},
  })
  if (made?.last === params.statements) return
  for (const text of statements) await cluster.command({ text, params: {} })
  await cluster.command({ text: 'INSERT INTO cluster_tables (statements) SELECT {statements:String}', params })
}

/** What a shard knows of its place, in the database of the cluster: a row for each time that a writer began. */
const MARKS = `
CREATE TABLE IF NOT EXISTS shard_marks (store_id UUID, mark UInt64, made_at DateTime DEFAULT now())
ENGINE = MergeTree ORDER BY mark`

/** The identity of a shard's data, and the last mark that a writer has left there. */
export interface ShardMark {
  store_id: Uuid
  mark: number
}

/** Undefined: the shard was never part of a cluster. */
export async function readMark(shard: Shard): Promise<ShardMark | undefined> {
  await catchUp(shard.cluster, { tables: ['shard_marks'] })
  const text =
    'SELECT store_id, max(mark) AS mark FROM shard_marks GROUP BY store_id ORDER BY min(made_at), store_id LIMIT 1'
  const [row] = await shard.cluster.rows<ShardMark>({ text, params: {} })
  return row
}

/**
 * Leaves a mark. Marks of a shard grow, so one with older data lacks the last ones. Resolves when most of its servers
 * have the mark: any of them may be asked for it, when the one in use is gone.
 */
export async function writeMark(shard: Shard, { store_id, mark }: ShardMark): Promise<void> {
  await shard.cluster.command({
    text: 'INSERT INTO shard_marks (store_id, mark) SELECT {store_id:UUID}, {mark:UInt64}',
    params: { store_id, mark },
  })
  await catchUp(shard.cluster, { tables: ['shard_marks'], servers: 'most' })
}

/** Whether a shard has spans of its own. */
export async function hasSpans({ own }: Shard): Promise<boolean> {
  return (await own.rows({ text: 'SELECT 1 FROM spans LIMIT 1', params: {} })).length > 0
}

/** What a shard has of the cluster's spans. */
export interface ShardSize {
  spans: number
  /** On disk. */
  bytes: number
}

export async function sizeOfShard({ own }: Shard): Promise<ShardSize> {
  const [size] = await own.rows<ShardSize>({
    text: `SELECT sum(rows) AS spans, sum(bytes_on_disk) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() AND table = 'spans'`,
    params: {},
  })
  return size ?? { spans: 0, bytes: 0 }
}

interface ClusterRow {
  shard: number
  is_local: 0 | 1
}

const LISTED = `
SELECT shard_num AS shard, max(is_local) AS is_local FROM system.clusters
WHERE cluster = getMacro('cluster') GROUP BY shard_num ORDER BY shard_num`

/** ClickHouse's message for a macro that is not configured; its code depends on where the macro stands. */
const NO_MACRO = /No macro '/
/** Its message if no Keeper is configured; a lost connection to one has the same code. */
const NO_KEEPER = /without ZooKeeper/

/**
 * Compares a list of addresses with the cluster that each server of a shard is configured for that responds: any of
 * them may be the one that reads all shards. Throws an Error for the operator if that has fewer shards than `countMin`
 * or more than are listed, or has this server in another place.
 */
export async function requireListed(
  shard: Shard,
  { countMin, listed }: { countMin: number; listed: number },
): Promise<void> {
  const clusters = new Map<Server, ClusterRow[]>()
  await named(shard, () =>
    onResponding(shard, async server => {
      clusters.set(server, await server.own.rows<ClusterRow>({ text: LISTED, params: {} }))
    }),
  )
  for (const [server, rows] of clusters) {
    const name = nameOf(shard.number, shard.urls[shard.servers.indexOf(server)] as string)
    const own = rows.find(({ is_local }) => is_local)?.shard
    if (rows.length < countMin)
      throw new Error(
        `${name} knows a cluster of ${rows.length} shards, not ${countMin}: list all in its remote_servers.`,
      )
    if (rows.length > listed)
      throw new Error(
        `CLICKHOUSE_URLS lists ${listed} of the ${rows.length} shards that ${name} knows in remote_servers.`,
      )
    if (own !== undefined && own !== shard.number)
      throw new Error(
        `${name} in CLICKHOUSE_URLS is shard ${own} in its remote_servers: list the shards in the same order.`,
      )
  }
}

/**
 * Names the shard in an error for the operator. A shard that does not respond stays a Problem, which is worth a retry.
 */
async function named<T>({ name }: Shard, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && NO_KEEPER.test((error.cause as Error | undefined)?.message ?? ''))
      throw new Error(`${name} has several addresses but no Keeper, which replicas need: see docs/cluster.md.`, {
        cause: error,
      })
    if (isUnanswered(error)) throw toProblem(error)
    if (NO_MACRO.test((error as Error).message))
      throw new Error(`${name} lacks a macro: ${(error as Error).message} docs/cluster.md says which it needs.`, {
        cause: error,
      })
    if (error instanceof NewerStore) throw new NewerStore(`${name}: ${error.message}`, { cause: error })
    if (!(error instanceof Error) || error.constructor !== Error) throw error
    throw new Error(`${name}: ${error.message}`, { cause: error })
  }
}
