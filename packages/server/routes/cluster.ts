import { Problem } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import { type Shard, sizeOfShard } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import { optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { type DivisionStatus, divisionStatus, growPartitions } from '../cluster/divisions.ts'
import { addShard, type GrowingCluster } from '../cluster/growth.ts'
import { type Layout, readLayout } from '../cluster/layout.ts'
import { PARTITIONS_MAX } from '../config.ts'
import { addAdminEndpoint } from '../http/endpoint.ts'

const tag = 'cluster'

const STATES = {
  active: 'It has its share of the partitions.',
  adding: 'It is receiving the data that every shard has; then it gets partitions.',
  listed: 'It is in CLICKHOUSE_URLS, but not in the cluster.',
} as const

const shard = z.object({
  shard: z.int().meta({ description: 'Counted from 1, in the order of CLICKHOUSE_URLS.' }),
  url: z.string(),
  state: z.enum(Object.keys(STATES) as (keyof typeof STATES)[]),
  is_away: z.boolean().meta({ description: 'Whether it does not respond.' }),
  spans: optional(z.int()),
  bytes: optional(z.int()).meta({ description: 'Of the spans on disk.' }),
  partitions: z.array(z.int()).meta({ description: "The stream's partitions whose new traces it gets." }),
  earlier_partitions: z.array(z.int()).meta({ description: 'The partitions whose earlier traces it has.' }),
})

const streamAnswer = z.object({
  partitions: z.int(),
  started: z.int().meta({ description: 'How many of them have had a writer since their number last changed.' }),
})

const answer = z.object({
  count: z.int(),
  shards: z.array(shard),
  stream: optional(streamAnswer).meta({ description: 'Omitted if the number of its partitions cannot change.' }),
})

export interface ClusterRoutes {
  /** Undefined: a single server. */
  cluster: GrowingCluster | undefined
  db: Database
  stream: SpanStream | undefined
}

/** The shards of ClickHouse and the partitions of the stream, and how their numbers grow. */
export function clusterRoutes({ cluster, db, stream }: ClusterRoutes): (app: FastifyInstance) => void {
  return app => {
    addAdminEndpoint(app, {
      method: 'GET',
      path: '/admin/cluster',
      tag,
      summary: 'Lists the shards of the ClickHouse cluster; none if the store is a single server.',
      answer,
      handle: async () => ({ ...(await statusOf(cluster)), stream: await divisionStatus(db) }),
    })
    addAdminEndpoint(app, {
      method: 'POST',
      path: '/admin/cluster/partitions',
      change: 'partitions.created',
      tag,
      status: 202,
      summary: 'Gives the stream more partitions: a multiple of their number, while spans are accepted and stored.',
      body: z.object({ partitions: z.int().min(1).max(PARTITIONS_MAX) }),
      answer: z.object({ count: z.int(), stream: streamAnswer }),
      handle: async ({ body }) => {
        if (!stream) throw new Problem('conflict', 'This process has no stream.')
        await growPartitions({ db, stream }, body.partitions)
        return { count: 1, stream: (await divisionStatus(db)) as DivisionStatus }
      },
    })
    addAdminEndpoint(app, {
      method: 'POST',
      path: '/admin/cluster/shards',
      change: 'shards.created',
      tag,
      status: 202,
      summary:
        'Adds the next shard of CLICKHOUSE_URLS to the cluster; it gets new traces once it has what every shard has.',
      answer: z.object({ count: z.int(), shard: z.object({ shard: z.int() }) }),
      handle: async () => {
        if (!cluster)
          throw new Problem('conflict', 'The store is a single server: start all processes with CLICKHOUSE_URLS first.')
        return { count: 1, shard: { shard: await addShard(cluster) } }
      },
    })
  }
}

async function statusOf(cluster: GrowingCluster | undefined): Promise<Omit<z.output<typeof answer>, 'stream'>> {
  const layout = cluster && (await readLayout(cluster.postgres.db))
  if (!layout) return { count: 0, shards: [] }
  const shards = await Promise.all(cluster.shards.map(shard => shardStatus(shard, layout)))
  return { count: shards.length, shards }
}

async function shardStatus(
  shard: Shard,
  { shards, routes }: Layout,
): Promise<z.output<typeof answer>['shards'][number]> {
  const record = shards[shard.number - 1]
  const has = [...routes].filter(([, route]) => route.includes(shard.number))
  const size = await sizeOfShard(shard).catch(error => {
    if (error instanceof Problem) return undefined
    throw error
  })
  return {
    shard: shard.number,
    url: new URL(shard.urls[0] as string).origin,
    state: record === undefined ? 'listed' : record.is_active ? 'active' : 'adding',
    is_away: size === undefined,
    spans: size?.spans,
    bytes: size?.bytes,
    partitions: has.filter(([, route]) => route.at(-1) === shard.number).map(([partition]) => partition),
    earlier_partitions: has.filter(([, route]) => route.at(-1) !== shard.number).map(([partition]) => partition),
  }
}
