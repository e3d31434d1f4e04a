import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts'
import { clusterDatabaseOf } from './cluster-database.ts'

/**
 * Settings of statements that read a cluster. A trace is on one shard with all that is known of it, so a sub-query over
 * traces looks at the traces of the shard that runs it. A shard that does not respond makes a statement fail.
 */
const CLUSTER_SETTINGS = {
  distributed_product_mode: 'local',
  skip_unavailable_shards: 0,
  // Statements say themselves which rows of theirs they need first.
  optimize_skip_unused_shards: 0,
} as const

/**
 * With replicas, the first that is healthy is asked, so that a caller who asks again finds what he found before. A
 * statement fails if all replicas of a shard lack what was stored more than some seconds ago: they would be asked for
 * rows that they do not have.
 */
const REPLICATED = {
  load_balancing: 'in_order',
  max_replica_delay_for_distributed_queries: 10,
  fallback_to_stale_replicas_for_distributed_queries: 0,
} as const

/** No other server could respond in place of a slow one, and none can be behind: to ask that is a request more. */
const UNREPLICATED = {
  use_hedged_requests: 0,
  max_replica_delay_for_distributed_queries: 0,
  // The default of one second is too short for a busy machine.
  connect_timeout_with_failover_ms: 5_000,
} as const

/** The address of a server of a cluster, with the database that shows the rows of all shards. */
export function clusterUrl(url: string): string {
  const address = new URL(url)
  address.pathname = clusterDatabaseOf(databaseOf(url))
  return address.href
}

/** The database that an address names. */
export const databaseOf = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1)) || 'default'

/**
 * An engine that reads the rows of all shards of a list, from a server of the first. No other shard stands in for it:
 * without it there is no answer anyway, and one that is listed but not added yet lacks what is the same on every shard,
 * so its answers would be incomplete.
 */
export function openClusterReader(
  shards: readonly { readonly urls: readonly string[] }[],
  options: EngineOptions,
): Engine {
  const isReplicated = shards.some(({ urls }) => urls.length > 1)
  const settings = { ...options.settings, ...CLUSTER_SETTINGS, ...(isReplicated ? REPLICATED : UNREPLICATED) }
  return openEngine((shards[0]?.urls ?? []).map(clusterUrl), { ...options, settings })
}

/** The parts of a cluster that is one engine. */
export interface ClusterParts {
  /** Reads the rows of all shards; closed with the engine. */
  reader: Engine
  /** Each shard's own tables, for commands. Asked for each command, since shards may be added. */
  members(): Promise<readonly Engine[]>
  shards: NonNullable<Engine['shards']>
  shardsOf: NonNullable<Engine['shardsOf']>
}

/**
 * A cluster as one engine: reads see the rows of all shards, and commands are run on each shard's own server. If a
 * command fails on one shard, it may have been run on others: callers repeat it. Rows cannot be inserted into all
 * shards.
 */
export function clusterEngine({ reader, members, shards, shardsOf }: ClusterParts): Engine {
  const onEach = async (work: (engine: Engine) => Promise<void>): Promise<void> => {
    const ended = await Promise.allSettled((await members()).map(work))
    const failed = ended.find(one => one.status === 'rejected')
    if (failed) throw failed.reason
  }
  return {
    shards,
    shardsOf,
    rows: (statement, holder) => reader.rows(statement, holder),
    binaryRows: (statement, read, holder) => reader.binaryRows(statement, read, holder),
    table: (statement, name, holder) => reader.table(statement, name, holder),
    command: statement => onEach(engine => engine.command(statement)),
    insert: () => Promise.reject(new Error('rows are inserted into one shard')),
    endWrites: runs => onEach(engine => engine.endWrites(runs)),
    close: () => reader.close(),
  }
}
