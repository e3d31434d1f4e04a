import { rm } from 'node:fs/promises'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await newDataDir('online')
  server = await startServerProcess({ dataDir })
})
afterAll(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const post = async (path: string, body: object): Promise<any> => {
  const answer = await call(server.url, 'POST', `/api${path}`, `ApiKey ${server.apiKey}`, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

test('a live run whose process is killed again and again evaluates every trace exactly once', async () => {
  const data = { uri: 'agenta:custom:mock:v0', parameters: { key: 'pass' } }
  const { evaluator } = await post('/simple/evaluators/', { evaluator: { slug: 'judge', data } })
  const conditions = [{ field: 'trace_type', operator: 'is', value: 'invocation' }]
  const { query } = await post('/simple/queries/', {
    query: { slug: 'all', data: { filtering: { operator: 'and', conditions } } },
  })
  const { evaluation } = await post('/simple/evaluations/', {
    evaluation: {
      flags: { is_live: true },
      data: { query_steps: [query.revision_id], evaluator_steps: { [evaluator.revision_id]: 'auto' } },
    },
  })
  const run_id: string = evaluation.id
  const accepted: string[] = []
  const send = async (count: number): Promise<void> => {
    const spans = Array.from({ length: count }, () => otlpSpan({ traceId: newTraceId() }, { 'ag.data.outputs': 'x' }))
    await post('/otlp/v1/traces', exportOf(...spans))
    accepted.push(...spans.map(({ traceId }) => traceId))
  }
  const cells = async (): Promise<any[]> => (await post('/evaluations/results/query', { result: { run_id } })).results
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 5; n++) await send(20)
    // In the middle of it: some traces are stored and not looked at, some are taken up and not evaluated.
    await eventually(async () => (await cells()).length > accepted.length)
    await send(20)
    await server.kill()
    server = await startServerProcess({ dataDir, like: server })
  }
  const done = await eventually(async () => {
    const found = await cells()
    return found.filter(({ status }) => status === 'success').length >= 2 * accepted.length ? found : undefined
  }, 120_000)
  const sources = done.flatMap(({ step_key, trace_id }) =>
    step_key.startsWith('query-') ? [trace_id.replaceAll('-', '')] : [],
  )
  expect(sources.sort()).toEqual(accepted.toSorted())
  expect(done.length).toBe(2 * accepted.length)
})
