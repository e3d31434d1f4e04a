import { rm } from 'node:fs/promises'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { KEYS, NOT_STORED, recorded, unpackFolder } from './recorded-folder.testing.ts'

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await unpackFolder()
  server = await startServerProcess({ dataDir, like: KEYS })
})
afterAll(async () => {
  await server?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const query = (path: string, body: object = {}) =>
  call(server.url, 'POST', `/api/${path}`, `ApiKey ${server.apiKey}`, body)

test('what had been accepted and not been stored when the process was killed is stored now', async () => {
  const trace_id = NOT_STORED
  const { body } = await eventually(async () => {
    const answer = await call(server.url, 'GET', `/api/spans?trace_id=${trace_id}`, `ApiKey ${server.apiKey}`)
    return answer.body.count === 1 ? answer : undefined
  })
  expect(body.spans[0]).toMatchObject({ trace_id, span_name: 'accepted, not stored' })
})

test.each([
  ['applications/query', 'applications'],
  ['applications/revisions/query', 'application_revisions'],
  ['testsets/revisions/query', 'testset_revisions'],
  ['evaluators/query', 'evaluators'],
])('%s answers what it answered then', async (path, list) => {
  const then = await recorded(path)
  const now = (await query(path)).body
  expect(now[list]).toEqual(then[list])
})

test.each([
  ['spans/query', 'spans'],
  ['traces/query', 'traces'],
])('%s answers what it answered then, deleted traces left out', async (path, list) => {
  const then = await recorded(path)
  const now = (await query(path)).body
  const known = now[list].filter((one: { trace_id: string }) => one.trace_id !== NOT_STORED)
  expect(known).toEqual(then[list])
})

test('a span that comes to an old trace changes its totals', async () => {
  const trace_id = '5'.repeat(32)
  const span = {
    traceId: trace_id,
    spanId: '9'.repeat(16),
    parentSpanId: '2'.repeat(16),
    name: 'late chat',
    startTimeUnixNano: '1770000000000000000',
    endTimeUnixNano: '1770000001000000000',
    attributes: [{ key: 'ag.metrics.tokens.incremental.total', value: { intValue: 7 } }],
  }
  const sent = await query('otlp/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  expect(sent.body.count).toBe(1)
  const total = await eventually(async () => {
    const { body } = await call(server.url, 'GET', `/api/traces/${trace_id}`, `ApiKey ${server.apiKey}`)
    const { tokens } = body.trace.spans.root.attributes.ag.metrics
    return tokens.cumulative.total === 157 && tokens.cumulative
  })
  expect(total).toMatchObject({ prompt: 120, completion: 30 })
})
