import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  startTestCluster,
  startTestServer,
  type TestCluster,
} from '@spanhouse/clickhouse-server/test-server.testing.ts'
import type { Span } from '@spanhouse/model'
import { clusterEngine, openClusterReader } from './cluster/cluster-engine.ts'
import { closeShard, migrateShard, openShard, type Shard } from './cluster/shard.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import type { Settings } from './engine/http-client.ts'
import { migrateSpans } from './migrate.ts'

/** Starts a separate server with the tables created. */
export async function openTestEngine(settings: Settings = {}): Promise<{ engine: Engine; close(): Promise<void> }> {
  const server = await startTestServer()
  const maker = openEngine(server.url, { connections: 1 })
  await migrateSpans(maker, DDL)
  await maker.close()
  const engine = openEngine(server.url, { connections: 4, settings })
  return {
    engine,
    close: async () => {
      await engine.close()
      await server.stop()
    },
  }
}

/** The tables of this version. */
const DDL = fileURLToPath(new URL('../../clickhouse', import.meta.url))

/** A cluster with the tables created. */
export interface OpenTestCluster {
  cluster: TestCluster
  shards: Shard[]
  /** All shards as one. */
  engine: Engine
  close(): Promise<void>
}

export async function openTestCluster(
  count: number,
  options: Parameters<typeof startTestCluster>[1] = {},
): Promise<OpenTestCluster> {
  const cluster = await startTestCluster(count, options)
  const urls = cluster.servers.map(({ url }) => url)
  const shards = urls.map((url, index) => openShard(index + 1, [url], { connections: 4 }))
  for (const shard of shards) await migrateShard(shard, DDL)
  const reader = openClusterReader(shards, { connections: 4 })
  return {
    cluster,
    shards,
    engine: clusterEngine({
      reader,
      members: async () => shards.map(({ own }) => own),
      shards: async () => shards.map(({ own }) => own),
      shardsOf: async () => [],
    }),
    close: async () => {
      await Promise.all([reader.close(), ...shards.map(closeShard)])
      await cluster.stop()
    },
  }
}

export const newProject = (): string => randomUUID()

/** A canonical span with the given differences. */
export function makeSpan(differences: Partial<Span> & Pick<Span, 'trace_id' | 'span_id'>): Span {
  return {
    span_type: 'task',
    span_kind: 'SPAN_KIND_INTERNAL',
    span_name: 'step',
    start_time: 1_770_000_000_000_000,
    end_time: 1_770_000_001_000_000,
    status_code: 'STATUS_CODE_UNSET',
    attributes: { ag: { type: {}, data: {}, metrics: { duration: {}, errors: {}, tokens: {}, costs: {} } } },
    ...differences,
  }
}
