import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { microsNow } from '@spanhouse/model'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEmbeddedStream } from '@spanhouse/span-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'

const STREAM_BYTES_MAX = 64 * 2 ** 20
/** Two of them are a dead letter each; there is no room for a third. */
const UNREADABLE = Buffer.alloc(7 * 2 ** 20, 0x0a)

let dataDir: string
let server: ServerProcess
let key: string

/** A server whose stream holds messages that can be neither stored nor moved to the dead letters. */
beforeAll(async () => {
  dataDir = await newDataDir('stuck')
  server = await startServerProcess({ dataDir })
  const made = await call(server.url, 'POST', '/api/admin/simple/accounts/', `Access ${server.adminKey}`, {
    accounts: { one: { user: { email: 'stuck@example.test' } }, other: { user: { email: 'other@example.test' } } },
  })
  const { one, other } = made.body.accounts
  key = `ApiKey ${one.api_keys.key}`
  await server.stop()
  const stream = await openEmbeddedStream({
    path: join(dataDir, 'stream'),
    partitions: 2,
    bytesMax: STREAM_BYTES_MAX,
  })
  const sender = { project_id: other.projects.prj.id, user_id: other.user.id }
  const message = { ...sender, partition: 0, span_count: 1, format: 'otlp', body: UNREADABLE } as const
  for (const id of ['1', '2', '3']) await stream.publish([{ ...message, id, accepted_at: microsNow() }])
  await stream.close()
  const env = { SPANHOUSE_STREAM_BYTES_MAX: String(STREAM_BYTES_MAX) }
  server = await startServerProcess({ dataDir, like: server, env })
  await eventually(async () => (await server.metric('spanhouse_dead_letters')) === 2)
})
afterAll(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const post = async (path: string, body: object): Promise<any> =>
  (await call(server.url, 'POST', `/api${path}`, key, body)).body
const mock = (name: string, kwargs = {}) => ({ uri: 'agenta:custom:mock:v0', parameters: { key: name, kwargs } })
const made = async (kind: string, slug: string, data: object): Promise<any> =>
  (await post(`/simple/${kind}s/`, { [kind]: { slug, name: slug, data } }))[kind]

test("a run ends with the metrics of its traces while another project's message cannot leave the stream", async () => {
  const application = await made('application', 'app', mock('static', { output: 'Paris' }))
  const evaluator = await made('evaluator', 'judge', mock('pass'))
  const testset = await made('testset', 'rows', { testcases: [{ data: { a: 1 } }, { data: { a: 2 } }] })
  const { evaluation } = await post('/simple/evaluations/', {
    evaluation: {
      data: {
        testset_steps: [testset.revision_id],
        application_steps: { [application.revision_id]: 'auto' },
        evaluator_steps: { [evaluator.revision_id]: 'auto' },
      },
    },
  })
  await eventually(async () => {
    const { body } = await call(server.url, 'GET', `/api/evaluations/runs/${evaluation.id}`, key)
    return body.run.status === 'success'
  }, 30_000)
  const { metrics } = await post('/evaluations/metrics/query', { metrics: { run_id: evaluation.id } })
  expect(metrics).toHaveLength(3)
  const ofRun = metrics.find((row: any) => row.scenario_id === undefined)
  const errors = Object.values<any>(ofRun.data).map(step => step['attributes.ag.metrics.errors.cumulative'].count)
  expect(errors).toEqual([2, 2])
})

test('nor does it keep the evaluation of a trace that was just sent', async () => {
  const evaluator = await made('evaluator', 'auto', mock('pass'))
  const person = await made('evaluator', 'person', mock('pass'))
  const evaluators = { [evaluator.revision_id]: 'auto', [person.revision_id]: 'human' }
  const { queue } = await post('/simple/queues/', { queue: { data: { kind: 'traces', evaluators } } })
  const { trace } = await post('/simple/traces/', {
    trace: { origin: 'custom', kind: 'adhoc', channel: 'otlp', data: { outputs: 'Paris' }, references: {}, links: {} },
  })
  await post(`/simple/queues/${queue.id}/traces/`, { trace_ids: [trace.trace_id] })
  const statuses = async () => {
    const { results } = await post('/evaluations/results/query', { result: { run_id: queue.run_id } })
    return results.map((cell: any) => cell.status).sort()
  }
  await eventually(async () => String(await statuses()) === 'pending,success,success', 20_000)
})
