import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { startTestCluster, type TestCluster } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { openTcpProxy, type TcpProxy } from '@spanhouse/postgres/tcp-proxy.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEngine } from '@spanhouse/span-store'
import { type NatsServer, natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { faultsIn, Load } from './chaos/load.ts'
import { seeded } from './chaos/random.ts'

/** A machine that is busy with other tests starts a process in half a minute. */
const PATIENCE_MS = 120_000
const COMMAND = fileURLToPath(new URL('../../packages/cli/spanhouse.ts', import.meta.url))

/** What was published to the stream, as the server passes it on. */
class Published {
  /** By id of the message, the partitions that it was published to. */
  readonly #partitions = new Map<string, Set<number>>()
  readonly #acceptedAt = new Map<string, number>()

  constructor(nats: NatsConnection) {
    for (const subject of ['spans.*', 'spans.bulk.*'])
      nats.subscribe(subject, {
        callback: (_, { headers, subject }) => {
          const id = headers?.get('Span-Id')
          if (!id) return
          const partitions = this.#partitions.get(id) ?? new Set()
          this.#partitions.set(id, partitions.add(Number(subject.split('.').at(-1))))
          this.#acceptedAt.set(id, Number(headers?.get('Span-Accepted')))
        },
      })
  }

  /** The messages that were published to a second partition. */
  forwarded(): { accepted_at: number }[] {
    const ids = [...this.#partitions].flatMap(([id, partitions]) => (partitions.size > 1 ? id : []))
    return ids.map(id => ({ accepted_at: this.#acceptedAt.get(id) as number }))
  }
}

describe.skipIf(!postgresAvailable || !natsAvailable)('a stream that gets more partitions', () => {
  let folder: string
  let postgres: PostgresServer
  let nats: NatsServer
  let cluster: TestCluster
  let proxy: TcpProxy
  let connection: NatsConnection
  let published: Published
  let api: ServerProcess
  /** It finds Postgres through the proxy. */
  let receiver: ServerProcess
  const writers: ServerProcess[] = []
  let load: Load
  let grownAt: number
  const ending = new AbortController()
  let loading: Promise<void>

  let started = 0
  const start = (roles: string, databaseUrl = postgres.url): Promise<ServerProcess> =>
    startServerProcess({
      dataDir: join(folder, `${roles}-${started++}`),
      ...(api && { like: { apiKey: api.apiKey, adminKey: api.adminKey, secretKey: api.secretKey } }),
      env: {
        DATABASE_URL: databaseUrl,
        NATS_URL: nats.url,
        CLICKHOUSE_URLS: cluster.servers.map(({ url }) => url).join(' '),
        SPANHOUSE_STREAM_PARTITIONS: '2',
        SPANHOUSE_ROLES: roles,
      },
    })
  const startWriter = async (): Promise<ServerProcess> => {
    const writer = await start('writer')
    writers.push(writer)
    return writer
  }
  const administer = (method: string, path: string, body?: object) =>
    call(api.url, method, `/api/admin/cluster${path}`, `Access ${api.adminKey}`, body)
  const onShard = async <Row>(index: number, text: string): Promise<Row[]> => {
    const engine = openEngine(cluster.servers[index]?.url as string, { connections: 1 })
    return engine.rows<Row>({ text, params: {} }).finally(() => engine.close())
  }
  const waiting = (): Promise<number> => api.metric('spanhouse_stream_messages')

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spanhouse-partitions-'))
    ;[postgres, nats, cluster] = await Promise.all([startPostgres(), startNats(), startTestCluster(2)])
    proxy = await openTcpProxy(postgres.url)
    connection = await connect({ servers: nats.url })
    published = new Published(connection)
    api = await start('api,receiver')
    receiver = await start('receiver', proxy.url)
    await Promise.all([startWriter(), startWriter()])
    let exports = 0
    const target = {
      // A trace goes through both receivers.
      get receiverUrl() {
        return exports++ % 2 === 0 ? api.url : receiver.url
      },
      grpcUrl: api.grpcUrl,
      apiUrl: api.url,
      apiKey: api.apiKey,
    }
    load = new Load(target, seeded(11))
    loading = load.run(ending.signal)
  }, 3 * PATIENCE_MS)
  afterAll(async () => {
    ending.abort()
    await loading
    await Promise.all([api, receiver, ...writers].map(process => process?.kill()))
    await connection?.close()
    await proxy?.close()
    await Promise.all([postgres?.stop(), nats?.stop(), cluster?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  test(
    'only to a multiple of their number, and once all have a writer',
    async () => {
      await eventually(
        async () => (await administer('GET', '')).body.stream.started === 2 && load.traces.length > 50,
        PATIENCE_MS,
      )
      for (const partitions of [1, 2, 3])
        expect(await administer('POST', '/partitions', { partitions })).toMatchObject({
          status: 409,
          text: expect.stringContaining('a multiple'),
        })
      expect((await administer('POST', '/partitions', { partitions: 4096 })).status).toBe(422)
    },
    PATIENCE_MS,
  )

  test(
    'while one receiver does not learn of it, and a writer is killed while it forwards what was published before',
    async () => {
      await Promise.all(writers.map(writer => writer.kill()))
      const before = await waiting()
      await eventually(async () => (await waiting()) > before + 300, PATIENCE_MS)
      proxy.stall()
      grownAt = Date.now() * 1000
      const command = spawn(process.execPath, [COMMAND, 'cluster', 'partitions', '4'], {
        env: { ...process.env, SPANHOUSE_URL: api.url, SPANHOUSE_ADMIN_KEY: api.adminKey },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const printed: string[] = []
      command.stdout.on('data', chunk => printed.push(String(chunk)))
      const exited = once(command, 'exit')
      await eventually(async () => printed.join('').includes('has 4 partitions'), PATIENCE_MS)
      expect((await administer('POST', '/partitions', { partitions: 8 })).text).toContain('have a writer')
      expect(published.forwarded()).toEqual([])

      const forwarding = await startWriter()
      await eventually(async () => published.forwarded().length > 0, PATIENCE_MS)
      await forwarding.kill()
      await Promise.all([startWriter(), startWriter()])
      expect(await exited).toEqual([0, null])
      expect(printed.join('')).toMatch(/of which 4 have a writer\.\n$/)
      // The receiver that has not noticed goes on as before.
      await eventually(
        async () => published.forwarded().filter(({ accepted_at }) => accepted_at > grownAt + 5e6).length > 10,
        PATIENCE_MS,
      )
    },
    5 * PATIENCE_MS,
  )

  test(
    'and everything is stored once, each trace on one shard, with right totals',
    async () => {
      proxy.resume()
      ending.abort()
      await loading
      await eventually(async () => (await waiting()) === 0, PATIENCE_MS)
      expect(await faultsIn(load, { receiverUrl: '', grpcUrl: '', apiUrl: api.url, apiKey: api.apiKey })).toEqual([])
      const traces = await Promise.all(
        [0, 1].map(index => onShard<{ id: string }>(index, 'SELECT DISTINCT hex(trace_id) AS id FROM spans')),
      )
      expect(traces.map(({ length }) => length > 50)).toEqual([true, true])
      expect(new Set(traces.flat().map(({ id }) => id)).size).toBe(traces.flat().length)
      expect(traces.flat()).toHaveLength(load.traces.length)
      const { shards, stream } = (await administer('GET', '')).body
      expect(stream).toEqual({ partitions: 4, started: 4 })
      // New partitions have the shard of the one that they were split from.
      expect(shards.map((shard: { partitions: number[] }) => shard.partitions)).toEqual([
        [0, 2],
        [1, 3],
      ])
    },
    3 * PATIENCE_MS,
  )

  test(
    'a process starts with the number as it was first configured, and with no other that the stream never had',
    async () => {
      await (await start('receiver')).stop()
      const other = startServerProcess({
        dataDir: join(folder, 'other'),
        env: { DATABASE_URL: postgres.url, NATS_URL: nats.url, CLICKHOUSE_URL: '', SPANHOUSE_STREAM_PARTITIONS: '8' },
      })
      await expect(other).rejects.toThrow('SPANHOUSE_STREAM_PARTITIONS is 8, but the stream has 4 partitions')
    },
    PATIENCE_MS,
  )
})

const PARTITIONS = 8

describe.skipIf(!postgresAvailable || !natsAvailable)('a cluster that grows while a writer is stopped', () => {
  let folder: string
  let postgres: PostgresServer
  let nats: NatsServer
  let cluster: TestCluster
  let api: ServerProcess
  const writers: ServerProcess[] = []
  let load: Load
  const ending = new AbortController()
  let loading: Promise<void> | undefined

  const start = (roles: string, shards: number): Promise<ServerProcess> =>
    startServerProcess({
      dataDir: join(folder, `${roles}-${writers.length}-${shards}`),
      ...(api && { like: { apiKey: api.apiKey, adminKey: api.adminKey, secretKey: api.secretKey } }),
      env: {
        DATABASE_URL: postgres.url,
        NATS_URL: nats.url,
        CLICKHOUSE_URLS: cluster.servers
          .slice(0, shards)
          .map(({ url }) => url)
          .join(' '),
        SPANHOUSE_ROLES: roles,
      },
    })
  const administer = (method: string, path: string) =>
    call(api.url, method, `/api/admin/cluster${path}`, `Access ${api.adminKey}`)
  const onShard = async <Row>(index: number, text: string, params = {}): Promise<Row[]> => {
    const engine = openEngine(cluster.servers[index]?.url as string, { connections: 1 })
    return engine.rows<Row>({ text, params }).finally(() => engine.close())
  }
  const countOn = async (index: number): Promise<number> =>
    (await onShard<{ count: number }>(index, 'SELECT count() AS count FROM spans'))[0]?.count ?? 0
  const holds = async (writer: ServerProcess | undefined, count: number): Promise<boolean> =>
    (await writer?.metric('spanhouse_writer_partitions')) === count
  /** How many rows of each of these runs each shard has. */
  const rowsOf = (runs: readonly number[]): Promise<object[][]> =>
    Promise.all(
      [0, 1].map(index =>
        onShard<object>(
          index,
          'SELECT writer_run, count() AS count FROM spans WHERE has({runs:Array(UInt64)}, writer_run) GROUP BY writer_run ORDER BY writer_run',
          { runs },
        ),
      ),
    )

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spanhouse-stopped-'))
    ;[postgres, nats, cluster] = await Promise.all([startPostgres(), startNats(), startTestCluster(1)])
    api = await start('api,receiver', 1)
    await api.stop()
    await cluster.grow()
    api = await start('api,receiver', 2)
    writers.push(await start('writer', 2))
    writers.push(await start('writer', 2))
    load = new Load({ receiverUrl: api.url, grpcUrl: api.grpcUrl, apiUrl: api.url, apiKey: api.apiKey }, seeded(13))
    loading = load.run(ending.signal)
  }, 4 * PATIENCE_MS)
  afterAll(async () => {
    ending.abort()
    await loading
    await Promise.all([api, ...writers].map(process => process?.kill()))
    await Promise.all([postgres?.stop(), nats?.stop(), cluster?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  test(
    'it writes nothing any more when it continues, and nothing is lost or doubled',
    async () => {
      const [stopped, other] = writers
      await eventually(
        async () =>
          load.traces.length > 50 && (await holds(stopped, PARTITIONS / 2)) && (await holds(other, PARTITIONS / 2)),
        PATIENCE_MS,
      )
      // A statement of each writer is under way, and batches wait behind it.
      const [first] = cluster.servers
      first?.pause()
      const traces = load.traces.length
      await eventually(async () => load.traces.length > traces + 50, PATIENCE_MS)
      stopped?.pause()
      first?.resume()
      expect((await administer('POST', '/shards')).status).toBe(202)
      await eventually(async () => {
        const { shards } = (await administer('GET', '')).body
        return shards[1].partitions.length === PARTITIONS / 2
      }, PATIENCE_MS)
      const before = await countOn(1)
      await eventually(() => holds(other, PARTITIONS), PATIENCE_MS)
      await eventually(async () => (await countOn(1)) > before + 50, PATIENCE_MS)

      const fenced = (await onShard<{ run: number }>(0, 'SELECT run FROM fenced_runs')).map(({ run }) => run)
      expect(fenced).not.toEqual([])
      const stored = await rowsOf(fenced)
      stopped?.resume()
      await eventually(
        async () => (await holds(stopped, PARTITIONS / 2)) && (await holds(other, PARTITIONS / 2)),
        PATIENCE_MS,
      )
      ending.abort()
      await loading
      await eventually(async () => (await api.metric('spanhouse_stream_messages')) === 0, PATIENCE_MS)
      expect(await rowsOf(fenced)).toEqual(stored)
      expect(await faultsIn(load, { receiverUrl: '', grpcUrl: '', apiUrl: api.url, apiKey: api.apiKey })).toEqual([])
      const ids = await Promise.all(
        [0, 1].map(index => onShard<{ id: string }>(index, 'SELECT DISTINCT hex(trace_id) AS id FROM spans')),
      )
      expect(new Set(ids.flat().map(({ id }) => id)).size).toBe(ids.flat().length)
      expect(ids.flat()).toHaveLength(load.traces.length)
    },
    6 * PATIENCE_MS,
  )
})
