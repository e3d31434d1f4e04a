import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

test.skipIf(!natsAvailable || !postgresAvailable)(
  'a receiver goes on and says that it is ready while Postgres is away and after NATS has lost its data, but not without NATS',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-receiver-'))
    const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
    // A receiver never asks ClickHouse.
    const stores = { DATABASE_URL: postgres.url, NATS_URL: nats.url, CLICKHOUSE_URL: 'http://127.0.0.1:1' }
    const env = { ...stores, SPANHOUSE_ROLES: 'receiver' }
    const { url, apiKey, output, kill } = await startServerProcess({ dataDir, env })
    const send = () =>
      call(url, 'POST', '/api/otlp/v1/traces', `ApiKey ${apiKey}`, exportOf(otlpSpan({ traceId: newTraceId() })))
    const ready = () => call(url, 'GET', '/api/ready', undefined)

    expect((await send()).status).toBe(202)
    await postgres.kill()
    const parts = { postgres: 'failing', stream: 'ok' }
    // An answer of /ready stands for a second.
    await eventually(async () => (await ready()).body.status === 'degraded')
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'degraded', parts } })
    expect((await send()).status).toBe(202)

    await nats.wipe()
    // The first request that finds the stream missing creates it again.
    await eventually(async () => (await send()).status === 202)
    await eventually(async () => (await ready()).status === 200)
    expect(output()).toContain('accepted spans that were not yet stored are lost')

    await nats.kill()
    await eventually(async () => (await ready()).status === 503)
    expect((await send()).status).toBe(503)
    await kill()
    await Promise.all([postgres.stop(), nats.stop(), rm(dataDir, { recursive: true, force: true })])
  },
)
