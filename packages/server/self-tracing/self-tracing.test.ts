import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataDir, type ServerProcess, startServerProcess } from '../server-process.testing.ts'

const ENV = { SPANHOUSE_SELF_TRACING: 'project', SPANHOUSE_OUTBOUND_OPEN: 'true' }
let dataDir: string
let server: ServerProcess
let ownKey: string
beforeAll(async () => {
  dataDir = await newDataDir('self-tracing')
  server = await startServerProcess({ dataDir, env: ENV })
  ownKey = (await readFile(join(dataDir, 'self-tracing-key'), 'utf8')).trim()
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(key: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/api${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return answer.json()
}

const EVERYTHING = { windowing: { limit: 1_000 } }
const ownSpans = async (): Promise<any[]> => (await ask(ownKey, '/spans/query', EVERYTHING)).spans

/** The span of this name, once it is stored. */
async function recorded(name: string): Promise<any> {
  for (let tries = 0; tries < 300; tries++) {
    const found = (await ownSpans()).find(span => span.span_name === name)
    if (found) return found
    await delay(100)
  }
  throw new Error(`${name} was not recorded:\n${server.output()}`)
}

const EXPORT = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'hello',
              startTimeUnixNano: '1770000000000000000',
              endTimeUnixNano: '1770000001000000000',
            },
          ],
        },
      ],
    },
  ],
}

test('requests are traces of a project of their own, with their statements', async () => {
  await ask(server.apiKey, '/otlp/v1/traces', EXPORT)
  await ask(server.apiKey, '/spans/query', EVERYTHING)
  expect(await recorded('POST /otlp/v1/traces')).toMatchObject({ status_code: 'STATUS_CODE_UNSET' })
  const { trace_id, span_id } = await recorded('POST /spans/query')
  const { trace } = await ask(ownKey, `/traces/${trace_id}`)
  const root: any = Object.values(trace.spans)[0]
  expect(root).toMatchObject({
    span_id,
    attributes: { http: { route: '/spans/query', response: { status_code: 200 } } },
  })
  const statement: any = Object.values(root.spans)
    .flat()
    .find((span: any) => span.span_name === 'clickhouse SELECT')
  expect(statement.attributes.db.query.text).toContain('FROM spans')
  expect(JSON.stringify(await ask(server.apiKey, '/spans/query', EVERYTHING))).not.toContain(trace_id)
})

test('they are in an organization of their own, so members of the default one cannot read them', async () => {
  const [own, ofDefault] = await Promise.all([ownKey, server.apiKey].map(key => ask(key, '/projects/current')))
  expect(own.organization_id).not.toBe(ofDefault.organization_id)
})

test('jobs are traces: a delivery', async () => {
  await ask(server.apiKey, '/webhooks/subscriptions', {
    subscription: { data: { url: 'http://127.0.0.1:9/', event_types: ['workflows.revisions.committed'] } },
  })
  await ask(server.apiKey, '/simple/applications', {
    application: { slug: 'a', data: { uri: 'agenta:builtin:echo:v0', parameters: {} } },
  })
  expect(await recorded('webhook delivery')).toMatchObject({
    attributes: { spanhouse: { delivery_id: expect.any(String) } },
  })
})

test('nothing that is done for this project is traced, the storing of its spans included', async () => {
  const own = (await ask(ownKey, '/projects/current')).project_id
  for (let count = 0; count < 5; count++) await ask(ownKey, '/traces/query', EVERYTHING)
  await ask(server.apiKey, '/projects/current')
  // It was requested last, so whatever is recorded of the others has been exported before or with it.
  await recorded('GET /projects/current')
  const spans = await ownSpans()
  expect(spans.map(span => span.attributes.spanhouse?.project_id)).not.toContain(own)
  expect(spans.map(span => span.span_name)).not.toContain('POST /traces/query')
  expect(JSON.stringify(spans)).not.toContain('INSERT INTO spans')
})

test('what is recorded is exported at a stop, and a restart continues in the same project', async () => {
  await ask(server.apiKey, '/environments/query', {})
  await server.stop()
  server = await startServerProcess({ dataDir, like: server, env: ENV })
  expect(await recorded('POST /environments/query')).toBeDefined()
})
