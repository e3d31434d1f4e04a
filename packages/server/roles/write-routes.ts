import { Problem } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import { firstResponding, type Shard } from '@spanhouse/span-store'
import type { Logger } from 'pino'
import { checkShardAgain, leaveMark } from '../cluster/check.ts'
import { CLICKHOUSE_DDL } from '../cluster/ddl.ts'
import { runRoutes } from '../cluster/writer-routes.ts'
import type { Config } from '../config.ts'

/** The addresses of a shard's servers, and which of them is used. */
export interface UsedShard {
  urls: readonly string[]
  server: number
}

/** Partitions to write, and the shards that may have their traces, the one for new traces last. */
export interface Writing {
  shards: readonly UsedShard[]
  partitions: readonly number[]
  signal: AbortSignal
}

export interface RoutesOptions {
  config: Config
  db: Database
  /** As listed in the configuration. */
  shards: readonly Shard[]
  partitions: readonly number[]
  signal: AbortSignal
  log: Logger
  write(writing: Writing): Promise<void>
}

/** Writes partitions of a cluster until the signal, each to the shards of its route, which are checked before. */
export const writeRoutes = ({ config, db, shards, partitions, signal, log, write }: RoutesOptions): Promise<void> =>
  runRoutes({
    db,
    listed: shards.length,
    partitions,
    signal,
    log,
    run: async ({ route, partitions }, layout, signal) => {
      const used: UsedShard[] = []
      try {
        for (const number of route) {
          const shard = shards[number - 1] as Shard
          await checkShardAgain(shard, layout, {
            shards,
            folder: CLICKHOUSE_DDL,
            coldStorage: config.coldStorage,
            db,
            log,
          })
          await leaveMark(shard, layout.shards[shard.number - 1]?.store_id as string, db)
          used.push({ urls: shard.urls, server: await firstResponding(shard) })
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        return log.warn({ err: error, partitions }, 'a shard does not respond; its partitions wait')
      }
      await write({ shards: used, partitions, signal })
    },
  })
