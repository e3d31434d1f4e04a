import { randomInt, randomUUID } from 'node:crypto'
import { startTestCluster, type TestCluster } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import type { Database } from '@spanhouse/postgres'
import {
  beginRun,
  closeShard,
  firstResponding,
  openClusterReader,
  openEngine,
  openShard,
  type Shard,
  SpanBatch,
  SpanWriter,
  writeMark,
} from '@spanhouse/span-store'
import { openReplica, type Replica } from '@spanhouse/span-store/cluster/replica.testing.ts'
import { makeSpan } from '@spanhouse/span-store/spans.testing.ts'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkShardAgain } from './check.ts'
import { CLICKHOUSE_DDL } from './ddl.ts'

/* Three addresses of one server stand for the replicas of a shard. */

let cluster: TestCluster
let replicas: Replica[]
let shard: Shard
const logged: { replica?: string; msg: string }[] = []
const log = pino({ level: 'warn' }, { write: line => void logged.push(JSON.parse(line)) })

beforeAll(async () => {
  cluster = await startTestCluster(1)
  const url = cluster.servers[0]?.url as string
  replicas = await Promise.all([1, 2, 3].map(() => openReplica(url)))
  shard = openShard(
    1,
    replicas.map(replica => replica.url),
    { connections: 1 },
  )
})
afterAll(async () => {
  await closeShard(shard)
  await Promise.all(replicas.map(replica => replica.goAway()))
  await cluster.stop()
})

/** As a process does when it starts, and a writer before each run. */
const check = (): Promise<void> =>
  checkShardAgain(
    shard,
    { shards: [], routes: new Map() },
    // Nothing is asked of Postgres: no server joins.
    { shards: [shard], folder: CLICKHOUSE_DDL, coldStorage: undefined, db: undefined as unknown as Database, log },
  )

test('a replica that is away is logged and left out; reads and writes go to another', async () => {
  await check()
  expect(logged).toEqual([])
  expect(await firstResponding(shard)).toBe(0)

  await replicas[0]?.goAway()
  await check()
  expect(logged).toMatchObject([
    { replica: new URL(replicas[0]?.url as string).origin, msg: expect.stringContaining('is left out of migrations') },
  ])
  const server = await firstResponding(shard)
  expect(server).toBe(1)

  const engine = openEngine(shard.urls, {
    connections: 1,
    run: randomInt(1, 2 ** 47),
    only: { server, onAway: () => undefined },
  })
  await beginRun(engine, [0])
  const project_id = randomUUID()
  const span = makeSpan({ trace_id: '1'.repeat(32), span_id: '2'.repeat(16) })
  await new SpanWriter(engine).write(SpanBatch.of([{ project_id, user_id: project_id, accepted_at: 1, span }]))
  await engine.close()
  expect(replicas[1]?.statements.some(statement => statement.startsWith('INSERT INTO spans'))).toBe(true)

  const reader = openClusterReader([shard], { connections: 1 })
  const text = 'SELECT count() AS count FROM spans WHERE project_id = {project_id:UUID}'
  expect(await reader.rows({ text, params: { project_id } })).toEqual([{ count: 1 }])
  await reader.close()
})

test('a mark is on most replicas before it is recorded', async () => {
  const mark = { store_id: randomUUID(), mark: 1 }
  // Commands go to the server that reads have found to respond.
  await shard.cluster.rows({ text: 'SELECT 1', params: {} })
  await writeMark(shard, mark)
  const isSync = (statement: string): boolean => statement.startsWith('SYSTEM SYNC REPLICA shard_marks')
  for (const replica of replicas.slice(1)) expect(replica.statements.some(isSync)).toBe(true)
  await replicas[2]?.goAway()
  await expect(writeMark(shard, { ...mark, mark: 2 })).rejects.toMatchObject({ code: 'overloaded' })
})
