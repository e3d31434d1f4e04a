import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = await newDataDir('clickhouse')
  server = await startServerProcess({ dataDir })
})
afterEach(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(server.url, method, path, `ApiKey ${server.apiKey}`, body)

async function sendSpan(): Promise<string> {
  const traceId = newTraceId()
  const sent = await ask('POST', '/api/otlp/v1/traces', exportOf(otlpSpan({ traceId })))
  expect(sent.status).toBe(202)
  return traceId
}

const isStored = (traceId: string): Promise<unknown> =>
  eventually(async () => (await ask('GET', `/api/spans/?trace_id=${traceId}`)).body.count === 1)

async function killClickHouse(known: number): Promise<number> {
  const pid = await eventually(async () => {
    const status = await readFile(join(dataDir, 'clickhouse', 'status'), 'utf8')
    const pid = Number(/PID: (\d+)/.exec(status)?.[1])
    return pid !== known ? pid : undefined
  })
  process.kill(pid, 'SIGKILL')
  return pid
}

test('while ClickHouse dies again and again exports are accepted, questions wait or get 503, and all is stored in the end', async () => {
  const traces = [await sendSpan()]
  await isStored(traces[0] as string)
  // Each death makes the wait for the next start twice as long: 3.2 s after the fifth.
  for (let time = 1, pid = 0; time <= 5; time++) {
    pid = await killClickHouse(pid)
    traces.push(await sendSpan())
  }
  expect((await ask('GET', '/api/ready')).status).toBe(503)
  expect((await ask('GET', '/api/health')).status).toBe(200)
  // It waits for the restart. Where that takes long it is refused, and never answered with nothing.
  const answer = await ask('GET', `/api/spans/?trace_id=${traces[0]}`)
  if (answer.status === 200) expect(answer.body.count).toBe(1)
  else expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)])
  for (const traceId of traces) await isStored(traceId)
  expect(server.output()).toContain('it restarts in 3.2 s')
})
