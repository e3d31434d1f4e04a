import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Engine, openEngine } from './engine.ts'
import { metered, Usage } from './usage.ts'

/** In ClickHouse's place: answers every statement with one row and the same summary. */
let server: Server
let engine: Engine

beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume()
    const summary = '{"read_rows":"8192","read_bytes":"5000","elapsed_ns":"1500000"}'
    response.writeHead(200, { 'x-clickhouse-format': 'JSONEachRow', 'x-clickhouse-summary': summary })
    setTimeout(() => response.end('{"one":1}\n'), 5)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  engine = openEngine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
})

afterEach(async () => {
  await engine.close()
  server.closeAllConnections()
  server.close()
})

const statement = { text: 'SELECT 1', params: {} }

test('the statements of a piece of work are counted, and not those of another one', async () => {
  const [usage, other] = [new Usage(), new Usage()]
  await metered(usage, () => Promise.all([engine.rows(statement), engine.rows(statement)]))
  await metered(other, () => engine.rows(statement))
  expect(usage).toMatchObject({ statements: 2, engineMs: 3, rows: 16_384, bytes: 10_000 })
  expect(other).toMatchObject({ statements: 1, engineMs: 1.5, rows: 8192, bytes: 5000 })
  // The second waited for the only connection until the first was answered.
  expect(usage.queueMs).toBeGreaterThanOrEqual(4)
  expect(usage.waitMs).toBeGreaterThanOrEqual(8)
  expect(usage.busyMs).toBeGreaterThanOrEqual(usage.waitMs)
  expect(usage.busyMs).toBeLessThan(usage.queueMs + usage.waitMs)
})

test('work that nobody measures is done as usual', async () => {
  expect(await engine.rows(statement)).toEqual([{ one: 1 }])
})
