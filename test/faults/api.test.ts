import { rm } from 'node:fs/promises'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'

test.skipIf(!natsAvailable || !postgresAvailable)(
  'an API process answers questions and says that it is ready while NATS is away, but not without ClickHouse',
  async () => {
    const dataDir = await newDataDir('api')
    const [postgres, nats, clickhouse] = await Promise.all([startPostgres(), startNats(), startTestServer()])
    const stores = { DATABASE_URL: postgres.url, NATS_URL: nats.url, CLICKHOUSE_URL: clickhouse.url }
    const env = { ...stores, SPANHOUSE_ROLES: 'api' }
    const { url, apiKey, kill } = await startServerProcess({ dataDir, env })
    const ready = () => call(url, 'GET', '/api/ready', undefined)
    const send = (method: string, path: string, body?: object) => call(url, method, path, `ApiKey ${apiKey}`, body)
    expect((await ready()).body.status).toBe('ok')

    await nats.kill()
    // An answer of /ready stands for a second.
    await eventually(async () => (await ready()).body.status === 'degraded')
    expect(await ready()).toMatchObject({ status: 200, body: { parts: { stream: 'failing', clickhouse: 'ok' } } })
    expect(await send('POST', '/api/spans/query', {})).toMatchObject({ status: 200, body: { count: 0 } })
    expect(await send('POST', '/api/testsets/', { testset: { slug: 'without-stream' } })).toMatchObject({ status: 200 })
    const trace = { data: { outputs: {} }, references: {}, links: {} }
    const refused = await send('POST', '/api/simple/traces/', { trace })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])

    await clickhouse.stop()
    await eventually(async () => (await ready()).status === 503)
    await kill()
    await Promise.all([postgres.stop(), nats.stop(), rm(dataDir, { recursive: true, force: true })])
  },
)

test.skipIf(!natsAvailable || !postgresAvailable)(
  'a writer says that it is not ready while ClickHouse is away',
  async () => {
    const dataDir = await newDataDir('writer')
    const [postgres, nats, clickhouse] = await Promise.all([startPostgres(), startNats(), startTestServer()])
    const stores = { DATABASE_URL: postgres.url, NATS_URL: nats.url, CLICKHOUSE_URL: clickhouse.url }
    const { url, kill } = await startServerProcess({ dataDir, env: { ...stores, SPANHOUSE_ROLES: 'writer' } })
    const ready = () => call(url, 'GET', '/api/ready', undefined)
    expect((await ready()).body).toEqual({
      status: 'ok',
      parts: { postgres: 'ok', stream: 'ok', clickhouse: 'ok' },
    })

    await clickhouse.kill()
    await eventually(async () => (await ready()).status === 503)
    expect((await ready()).body).toMatchObject({ parts: { clickhouse: 'failing', stream: 'ok' } })
    await clickhouse.restart()
    await eventually(async () => (await ready()).status === 200)
    await kill()
    const stopped = [postgres.stop(), nats.stop(), clickhouse.stop()]
    await Promise.all([...stopped, rm(dataDir, { recursive: true, force: true })])
  },
)
