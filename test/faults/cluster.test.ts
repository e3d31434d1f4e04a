import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCluster, type TestCluster } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEngine } from '@spanhouse/span-store'
import { type NatsServer, natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { faultsIn, Load } from './chaos/load.ts'
import { seeded } from './chaos/random.ts'

/** A machine that is busy with other tests starts a process in half a minute. */
const PATIENCE_MS = 120_000

describe.skipIf(!postgresAvailable || !natsAvailable)('a cluster that grows', () => {
  let dataDir: string
  let postgres: PostgresServer
  let nats: NatsServer
  let cluster: TestCluster
  let server: ServerProcess
  let load: Load
  const ending = new AbortController()
  let loading: Promise<void>

  const urls = (): string[] => cluster.servers.map(({ url }) => url)
  const settings = (clickhouse: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    SPANHOUSE_ROLES: 'receiver,writer,api',
    ...clickhouse,
  })
  const restart = async (clickhouse: NodeJS.ProcessEnv): Promise<void> => {
    await server.stop()
    server = await startServerProcess({ dataDir, like: server, env: settings(clickhouse) })
  }
  const administer = (method: string, path: string) =>
    call(server.url, method, `/api/admin/cluster${path}`, `Access ${server.adminKey}`)
  const onShard = async <Row>(index: number, text: string): Promise<Row[]> => {
    const engine = openEngine(urls()[index] as string, { connections: 1 })
    return engine.rows<Row>({ text, params: {} }).finally(() => engine.close())
  }
  const countOn = async (index: number): Promise<number> =>
    (await onShard<{ count: number }>(index, 'SELECT count() AS count FROM spans'))[0]?.count ?? 0

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-growing-'))
    ;[postgres, nats, cluster] = await Promise.all([startPostgres(), startNats(), startTestCluster(1)])
    server = await startServerProcess({ dataDir, env: settings({ CLICKHOUSE_URL: urls()[0] }) })
    load = new Load(
      { receiverUrl: server.url, grpcUrl: server.grpcUrl, apiUrl: server.url, apiKey: server.apiKey },
      seeded(7),
    )
    loading = load.run(ending.signal)
  }, 2 * PATIENCE_MS)
  afterAll(async () => {
    ending.abort()
    await loading
    await server?.kill()
    await Promise.all([postgres?.stop(), nats?.stop(), cluster?.stop()])
    await rm(dataDir, { recursive: true, force: true })
  })

  test(
    'a single server with spans becomes the first shard, under load',
    async () => {
      await eventually(async () => (await countOn(0)) > 50, PATIENCE_MS)
      await cluster.grow()
      await restart({ CLICKHOUSE_URLS: urls().join(' ') })
      await eventually(async () => (await countOn(1)) > 50, PATIENCE_MS)
      const { body } = await administer('GET', '')
      expect(body.shards).toMatchObject([
        { shard: 1, state: 'active', is_away: false, partitions: expect.any(Array) },
        { shard: 2, state: 'active', is_away: false, earlier_partitions: [] },
      ])
      expect(body.shards.map((shard: { partitions: number[] }) => shard.partitions.length)).toEqual([4, 4])
      // Everything stored before is on the first shard, whatever its partition.
      expect(body.shards[0].earlier_partitions).toEqual(body.shards[1].partitions)
    },
    3 * PATIENCE_MS,
  )

  test(
    'a shard is added under load, gets its share of new traces, and nothing else moves',
    async () => {
      await cluster.grow()
      await restart({ CLICKHOUSE_URLS: urls().join('\n') })
      expect((await administer('GET', '')).body.shards[2]).toMatchObject({ shard: 3, state: 'listed', partitions: [] })
      expect(await countOn(2)).toBe(0)
      expect((await administer('POST', '/shards')).status).toBe(202)
      await eventually(async () => (await countOn(2)) > 50, PATIENCE_MS)
      const { shards } = (await administer('GET', '')).body
      expect(shards.map((shard: { partitions: number[] }) => shard.partitions.length)).toEqual([3, 3, 2])
      const more = await administer('POST', '/shards')
      expect([more.status, more.text]).toEqual([409, expect.stringContaining('append its address')])
    },
    3 * PATIENCE_MS,
  )

  test(
    'while a shard is away its partitions wait and the others go on, and queries fail loudly',
    async () => {
      const [, away] = cluster.servers
      await away?.kill()
      const before = await countOn(0)
      const query = await call(server.url, 'GET', `/api/spans/?trace_id=${'a'.repeat(32)}`, `ApiKey ${server.apiKey}`)
      expect([query.status, query.headers.get('retry-after')]).toEqual([503, expect.any(String)])
      await eventually(async () => (await countOn(0)) > before, PATIENCE_MS)
      expect((await administer('GET', '')).body.shards[1]).toMatchObject({ is_away: true })
      await away?.restart()
      const stored = await countOn(1)
      await eventually(async () => (await countOn(1)) > stored, PATIENCE_MS)
    },
    3 * PATIENCE_MS,
  )

  test(
    'then every span is there once, each trace is on one shard, and all totals are right',
    async () => {
      ending.abort()
      await loading
      await eventually(async () => (await server.metric('spanhouse_stream_messages')) === 0, PATIENCE_MS)
      const target = { receiverUrl: server.url, grpcUrl: server.grpcUrl, apiUrl: server.url, apiKey: server.apiKey }
      expect(await faultsIn(load, target)).toEqual([])
      const traces = await Promise.all(
        [0, 1, 2].map(index => onShard<{ id: string }>(index, 'SELECT DISTINCT hex(trace_id) AS id FROM spans')),
      )
      expect(traces.flat()).toHaveLength(load.traces.length)
      expect(new Set(traces.flat().map(({ id }) => id)).size).toBe(load.traces.length)
    },
    3 * PATIENCE_MS,
  )

  test.each([
    [
      'too short a list',
      () => ({ CLICKHOUSE_URLS: urls().slice(0, 2).join(' ') }),
      'lists 2 shards, but the cluster has 3',
    ],
    ['another order', () => ({ CLICKHOUSE_URLS: urls().toReversed().join(' ') }), 'list the shards in the same order'],
    ['a single server', () => ({ CLICKHOUSE_URL: urls()[0] }), 'The store is a cluster of 3 shards'],
    [
      'another number of partitions',
      () => ({ CLICKHOUSE_URLS: urls().join(' '), SPANHOUSE_STREAM_PARTITIONS: '16' }),
      'partitions',
    ],
  ])(
    '%s is refused at the start with one line',
    async (_, clickhouse, line) => {
      await expect(refusal(clickhouse())).resolves.toMatch(new RegExp(`^Spanhouse cannot start: .*${line}`, 'm'))
    },
    PATIENCE_MS,
  )

  test(
    'a shard with older data, with none, with those of another or with a newer schema is refused at the start',
    async () => {
      const listed = { CLICKHOUSE_URLS: urls().join(' ') }
      await server.stop()
      const marks = 'default_cluster.shard_marks'
      await command(
        2,
        `ALTER TABLE ${marks} DELETE WHERE mark >= (SELECT max(mark) FROM ${marks}) SETTINGS mutations_sync = 1`,
      )
      expect(await refusal(listed)).toMatch(
        /^Spanhouse cannot start: CLICKHOUSE_URLS: shard 3 .* has older data than before/m,
      )
      await command(2, `TRUNCATE TABLE ${marks}`)
      expect(await refusal(listed)).toMatch(/^Spanhouse cannot start: CLICKHOUSE_URLS: shard 3 .* is empty/m)
      const [first] = await onShard<{ store_id: string }>(0, `SELECT store_id FROM ${marks} LIMIT 1`)
      for (const [store_id, whose] of [
        [first?.store_id, 'shard 1'],
        [randomUUID(), 'another cluster'],
      ]) {
        await command(2, `TRUNCATE TABLE ${marks}`)
        await command(2, `INSERT INTO ${marks} (store_id, mark) VALUES ('${store_id}', 1)`)
        expect(await refusal(listed)).toMatch(
          new RegExp(`^Spanhouse cannot start: CLICKHOUSE_URLS: shard 3 .* has the data of ${whose}`, 'm'),
        )
      }
      const other = await startPostgres()
      expect(await refusal({ ...listed, DATABASE_URL: other.url })).toMatch(
        /^Spanhouse cannot start: CLICKHOUSE_URLS: shard 1 .* belongs to a cluster that is not in this database/m,
      )
      await other.stop()
      await command(1, "INSERT INTO schema_migrations (version, name) VALUES (999, 'later')")
      expect(await refusal(listed)).toMatch(
        /^Spanhouse cannot start: CLICKHOUSE_URLS: shard 2 .*: The ClickHouse store has schema version 999/m,
      )
    },
    3 * PATIENCE_MS,
  )

  async function command(index: number, text: string): Promise<void> {
    const engine = openEngine(urls()[index] as string, { connections: 1 })
    await engine.command({ text, params: {} }).finally(() => engine.close())
  }

  /** What a process says that ends at once. */
  async function refusal(clickhouse: NodeJS.ProcessEnv): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'spanhouse-refused-'))
    const { adminKey, apiKey, secretKey } = server
    const started = await startServerProcess({
      dataDir: folder,
      like: { adminKey, apiKey, secretKey },
      env: settings({ ...clickhouse, SPANHOUSE_ROLES: 'api' }),
    }).catch((error: Error) => error)
    await rm(folder, { recursive: true, force: true })
    if (started instanceof Error) return started.message
    await started.kill()
    throw new Error('the process started')
  }
})
