import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Engine, openEngine, partsToChange } from '@spanhouse/span-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { KEYS, NOT_STORED, recorded, unpackFolder } from './recorded-folder.testing.ts'

let dataDir: string
let clickhouse: TestServer
let engine: Engine
let server: ServerProcess

beforeAll(async () => {
  dataDir = await unpackFolder()
  clickhouse = await startTestServer({ path: join(dataDir, 'clickhouse') })
  engine = openEngine(clickhouse.url, { connections: 1 })
  // Stored parts then stay as they are, as if they were too large to be changed in the time that a test has.
  await command('SYSTEM STOP MERGES')
  const env = { CLICKHOUSE_URL: clickhouse.url, SPANHOUSE_LOG_LEVEL: 'info' }
  server = await startServerProcess({ dataDir, like: KEYS, env })
})
afterAll(async () => {
  await server?.stop()
  await engine?.close()
  await clickhouse?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const command = (text: string): Promise<void> => engine.command({ text, params: {} })

/** The answer to a query of spans, without the span that is stored at some time after the start. */
async function spans(...conditions: object[]): Promise<{ span_name: string }[]> {
  const body = conditions.length > 0 ? { filtering: { conditions } } : {}
  const answer = await call(server.url, 'POST', '/api/spans/query', `ApiKey ${server.apiKey}`, body)
  expect(answer.status).toBe(200)
  return answer.body.spans.filter((one: { trace_id: string }) => one.trace_id !== NOT_STORED)
}

const IN_OUTPUTS = { field: 'attributes', key: 'ag.data.outputs', operator: 'contains', value: 'rarely' }

test('a start on an older store waits for no change of its parts, and reads are right before and after it', async () => {
  expect(server.output()).toMatch(/"migrations":\[.*"007_long_data".*"partsLeft":\d/s)
  const then = (await recorded('spans/query')).spans
  for (const changed of [false, true]) {
    if (changed) {
      await command('SYSTEM START MERGES')
      await eventually(async () => (await partsToChange(engine)) === 0)
    } else expect(await partsToChange(engine)).toBeGreaterThan(0)
    expect(await spans()).toEqual(then)
    expect((await spans(IN_OUTPUTS)).map(({ span_name }) => span_name)).toEqual(['chat', 'plan_trip'])
  }
})
