import { rm } from 'node:fs/promises'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterEach, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
afterEach(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

test('a deletion that was accepted is carried out after a crash, and takes nothing that is sent later', async () => {
  dataDir = await newDataDir('crash')
  server = await startServerProcess({ dataDir })
  const ask = (method: string, path: string, body?: unknown) =>
    call(server.url, method, path, `ApiKey ${server.apiKey}`, body)
  const [traceId, marker] = [newTraceId(), newTraceId()]
  const spans = Array.from({ length: 200 }, () => otlpSpan({ traceId }))
  expect((await ask('POST', '/api/otlp/v1/traces', exportOf(...spans))).status).toBe(202)
  // Nobody waits for the answer: somewhere between acceptance and the deletion's end the process dies.
  const unanswered = ask('DELETE', `/api/traces/${traceId}`).catch(() => undefined)
  await eventually(async () => (await ask('GET', '/api/metrics')).status > 0)
  await server.kill()
  await unanswered
  server = await startServerProcess({ dataDir, like: server })
  const again = await ask('DELETE', `/api/traces/${traceId}`)
  expect(again.status).toBe(202)
  const countOf = async (id: string): Promise<number> => (await ask('GET', `/api/spans/?trace_id=${id}`)).body.count
  expect(await countOf(traceId)).toBe(0)
  await ask('POST', '/api/otlp/v1/traces', exportOf(spans[0] as never, otlpSpan({ traceId: marker })))
  // The traces may have different writers: either can be stored first.
  await eventually(async () => (await countOf(marker)) === 1 && (await countOf(traceId)) === 1)
})
