import { randomInt, randomUUID } from 'node:crypto'
import {
  startTestCluster,
  startTestServer,
  type TestCluster,
  type TestServer,
} from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { openPostgres, type Postgres } from '@spanhouse/postgres'
import {
  createDatabase,
  dropDatabase,
  postgresAvailable,
  TEMPLATE,
} from '@spanhouse/postgres/postgres-server.testing.ts'
import { beginRun, closeShard, openEngine, openShard, type Shard, SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { makeSpan } from '@spanhouse/span-store/spans.testing.ts'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { type Writing, writeRoutes } from '../roles/write-routes.ts'
import { startCluster } from './check.ts'
import { CLICKHOUSE_DDL } from './ddl.ts'
import { addShard } from './growth.ts'
import { changeLayout, createLayout, readLayout } from './layout.ts'

describe.skipIf(!postgresAvailable)('a start over two servers', () => {
  let cluster: TestCluster
  let single: TestServer
  let shards: Shard[]
  const databases: { url: string; postgres: Postgres }[] = []

  beforeAll(async () => {
    ;[cluster, single] = await Promise.all([startTestCluster(2), startTestServer()])
    shards = cluster.servers.map(({ url }, index) => openShard(index + 1, [url], { connections: 1 }))
  })
  afterAll(async () => {
    for (const { url, postgres } of databases) {
      await postgres.close()
      await dropDatabase(url)
    }
    await Promise.all(shards.map(closeShard))
    await Promise.all([cluster.stop(), single.stop()])
  })

  const newDatabase = async (): Promise<Postgres> => {
    const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE })
    const postgres = await openPostgres({ url })
    databases.push({ url, postgres })
    return postgres
  }
  const start = ({ db }: Postgres, listed: readonly Shard[] = shards): Promise<void> =>
    startCluster({
      shards: listed,
      db,
      partitions: 2,
      folder: CLICKHOUSE_DDL,
      coldStorage: undefined,
      log: pino({ level: 'silent' }),
    })

  const startAlone = async (postgres: Postgres, urls: string[]): Promise<void> => {
    const shard = openShard(1, urls, { connections: 1 })
    await start(postgres, [shard]).finally(() => closeShard(shard))
  }

  /** As a server does that was the only one of an installation. */
  const fill = async (url: string): Promise<void> => {
    const engine = openEngine(url, { connections: 1, run: randomInt(1, 2 ** 47) })
    await beginRun(engine, [0])
    const project_id = randomUUID()
    const span = makeSpan({ trace_id: '1'.repeat(32), span_id: '2'.repeat(16) })
    await new SpanWriter(engine).write(SpanBatch.of([{ project_id, user_id: project_id, accepted_at: 1, span }]))
    await engine.close()
  }

  test('refuses servers that cannot be a new cluster, and records one that can', async () => {
    const [mine, other] = [await newDatabase(), await newDatabase()]
    const [first, second] = cluster.servers.map(({ url }) => url) as [string, string]
    await expect(startAlone(mine, [single.url])).rejects.toThrow(
      /^shard 1 \(.*\) lacks a macro: .* docs\/cluster\.md says which it needs\.$/,
    )
    await expect(startAlone(mine, [first, first])).rejects.toThrow(
      /^shard 1 \(.*\) has several addresses but no Keeper, which replicas need: see docs\/cluster\.md\.$/,
    )
    await start(other)
    await expect(start(mine)).rejects.toThrow(
      /^shard 1 \(.*\) belongs to a cluster that is not in this database: DATABASE_URL may be wrong\.$/,
    )
    for (const { cluster: tables } of shards) await tables.command({ text: 'TRUNCATE TABLE shard_marks', params: {} })
    await fill(second)
    await expect(start(mine)).rejects.toThrow(
      /^shard 2 \(.*\) has spans already: only the first shard of a new cluster may have any\.$/,
    )
    expect(await readLayout(mine.db)).toBeUndefined()
  })

  test('a shard is not added if it has data', async () => {
    const postgres = await newDatabase()
    await changeLayout(postgres.db, trx => createLayout(trx, { shards: 1, partitions: 2, hasTraces: false }))
    await expect(addShard({ shards, postgres, folder: CLICKHOUSE_DDL })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^shard 2 \(.*\) has data already: a shard that is added must be empty\.$/),
    })
    expect((await readLayout(postgres.db))?.shards).toHaveLength(1)
  })

  test('what runs goes on when a newer version has migrated the tables; what starts then is refused', async () => {
    const postgres = await newDatabase()
    const ledger = (text: string): Promise<unknown> =>
      Promise.all(shards.map(({ own }) => own.command({ text, params: {} })))
    for (const { cluster: tables } of shards) await tables.command({ text: 'TRUNCATE TABLE shard_marks', params: {} })
    for (const { own } of shards) await own.command({ text: 'TRUNCATE TABLE spans', params: {} })
    await start(postgres)
    await ledger("INSERT INTO schema_migrations (version, name) VALUES (999, '999_newer')")
    await expect(start(postgres)).rejects.toThrow(/^shard 1 \(.*\): The ClickHouse store has schema version 999/)

    const stopping = new AbortController()
    const written: Writing['partitions'][] = []
    const write = async ({ partitions }: Writing): Promise<void> => {
      written.push(partitions)
      stopping.abort()
    }
    const { db } = postgres
    const [config, log] = [readConfig({}), pino({ level: 'silent' })]
    await writeRoutes({ config, db, shards, partitions: [0], signal: stopping.signal, log, write })
    expect(written).toEqual([[0]])
    await ledger('ALTER TABLE schema_migrations DELETE WHERE version = 999 SETTINGS mutations_sync = 1')
  })
})
