import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

let dataDir: string
let clickhouse: TestServer
let proxy: Server
let server: ServerProcess
/** How long every statement waits before it reaches ClickHouse. */
let delayMs = 0

beforeAll(async () => {
  dataDir = await newDataDir('slow')
  clickhouse = await startTestServer()
  proxy = createServer(async (received, response) => {
    await delay(delayMs)
    const { method, headers, url = '' } = received
    const sent = request(new URL(url, clickhouse.url), { method, headers }, answer => {
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    received.pipe(sent)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(clickhouse.url)
  url.port = String((proxy.address() as AddressInfo).port)
  server = await startServerProcess({ dataDir, env: { CLICKHOUSE_URL: url.href } })
})
afterAll(async () => {
  delayMs = 0
  await server?.kill()
  proxy?.closeAllConnections()
  proxy?.close()
  await clickhouse?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const findTraces = () => call(server.url, 'POST', '/api/traces/query', `ApiKey ${server.apiKey}`, {})

test('statements that are slow, but not too slow one by one, do not add up', async () => {
  const traceId = newTraceId()
  const sent = exportOf(otlpSpan({ traceId }))
  expect((await call(server.url, 'POST', '/api/otlp/v1/traces', `ApiKey ${server.apiKey}`, sent)).status).toBe(202)
  await eventually(async () => (await findTraces()).body.count === 1)
  delayMs = 13_000
  const begin = performance.now()
  const answer = await findTraces()
  expect([answer.status, answer.body.detail]).toEqual([
    504,
    'The request took longer than 25 s, the maximum for waiting and for all its queries together.',
  ])
  expect(performance.now() - begin).toBeGreaterThan(2 * delayMs - 1_500)
  delayMs = 0
  await eventually(async () => (await findTraces()).status === 200)
})
