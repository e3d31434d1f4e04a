import { randomUUID } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import { expect, inject, test } from 'vitest'
import { callGrpc } from '../grpc.ts'
import { call, eventually, newProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, otlpSpan, protobufOf } from '../otlp.ts'
import { actIn, newMember, newPerson } from './people.ts'

const { apiUrl, adminKey, grpcUrl } = inject('target')
const DATA = { uri: 'agenta:builtin:echo:v0', parameters: { tone: 'dry' } }

test('the log names every write of a day: what was done, by whom, with which key and role; and no secret', async () => {
  const project = await newProject()
  const secrets = [
    `sk-${randomUUID()}`,
    `hook-${randomUUID()}`,
    `changed-${randomUUID()}`,
    String(project.apiKey.split('.')[1]),
  ]
  const ok = async (answer: Promise<{ status: number; body: any; text: string }>): Promise<any> => {
    const { status, body, text } = await answer
    if (status >= 300) throw new Error(text)
    return body
  }
  const { application } = await ok(
    project.post('/api/simple/applications/', { application: { slug: 'a', data: DATA } }),
  )
  await ok(
    project.post('/api/applications/revisions/commit', {
      application_revision: { application_variant_id: application.variant_id, data: { ...DATA, parameters: {} } },
    }),
  )
  await ok(
    project.send('PUT', `/api/applications/revisions/${application.revision_id}`, {
      application_revision: { name: 'N' },
    }),
  )
  await ok(project.post(`/api/simple/applications/${application.id}/archive`))
  const provider = (key: string) => ({ kind: 'provider_key', data: { kind: 'openai', provider: { key } } })
  const secret = await ok(project.post('/api/secrets/', { header: {}, secret: provider(secrets[0] as string) }))
  await ok(project.send('PUT', `/api/secrets/${secret.id}`, { secret: provider(secrets[2] as string) }))
  await ok(project.send('DELETE', `/api/secrets/${secret.id}`))
  await ok(project.send('PUT', '/api/projects/current/prices', { prices: { m: { input: 1, output: 2 } } }))
  await ok(project.send('PUT', '/api/projects/current/retention', { days: 30 }))
  await ok(project.send('PUT', '/api/events/retention', { days: 40 }))
  const hook = await ok(
    project.post('/api/webhooks/subscriptions', {
      subscription: { data: { url: 'https://h.example.test' }, secret: secrets[1] },
    }),
  )
  await ok(project.post(`/api/webhooks/subscriptions/${hook.subscription.id}/stop`))
  await ok(project.send('DELETE', `/api/webhooks/subscriptions/${hook.subscription.id}`))
  const { runs } = await ok(project.post('/api/evaluations/runs/', { runs: [{ name: 'r' }] }))
  await ok(project.post('/api/evaluations/scenarios/', { scenarios: [{ run_id: runs[0].id }, { run_id: runs[0].id }] }))
  await ok(project.send('DELETE', `/api/evaluations/runs/${runs[0].id}`))
  const key = await ok(project.post('/api/keys'))
  secrets.push(String(String(key).split('.')[1]))

  const { body } = await project.post('/api/events/query', {})
  const done = body.events
    .toReversed()
    .map((one: any) => `${one.actor?.operation ?? 'admin'} ${one.event_type}`)
    .filter((text: string) => !text.includes('/admin/'))
  const expected = [
    'POST /simple/applications artifacts.created',
    'POST /simple/applications variants.created',
    'POST /simple/applications workflows.revisions.committed',
    'POST /applications/revisions/commit workflows.revisions.committed',
    'PUT /applications/revisions/:application_revision_id revisions.updated',
    'POST /simple/applications/:application_id/archive artifacts.updated',
    'POST /secrets secrets.created',
    'PUT /secrets/:id secrets.updated',
    'DELETE /secrets/:id secrets.deleted',
    'PUT /projects/current/prices project_prices.created',
    'PUT /projects/current/retention projects.updated',
    'PUT /events/retention projects.updated',
    'POST /webhooks/subscriptions secrets.created',
    'POST /webhooks/subscriptions webhook_subscriptions.created',
    'POST /webhooks/subscriptions/:id/stop webhook_subscriptions.updated',
    'DELETE /webhooks/subscriptions/:id webhook_subscriptions.deleted',
    'DELETE /webhooks/subscriptions/:id secrets.deleted',
    'POST /evaluations/runs evaluation_runs.created',
    'POST /evaluations/scenarios evaluation_scenarios.created',
    'DELETE /evaluations/runs/:run_id evaluation_runs.deleted',
    'POST /keys api_keys.created',
  ]
  expect(done).toEqual(expect.arrayContaining(expected))
  const made = body.events.find((one: any) => one.event_type === 'evaluation_scenarios.created')
  expect(made).toMatchObject({
    project_id: project.projectId,
    actor: { kind: 'user', user_id: made.attributes.user_id, role: 'owner', key: project.apiKey.split('.')[0] },
    attributes: { count: 2, ids: [expect.any(String), expect.any(String)] },
  })
  for (const hidden of secrets) expect(body.events.some((one: any) => JSON.stringify(one).includes(hidden))).toBe(false)
})

test('events are filtered, paged and exported as lines', async () => {
  const project = await newProject()
  for (let count = 0; count < 5; count++)
    await project.send('PUT', '/api/projects/current/prices', { prices: { m: { input: count, output: 2 } } })
  const query = async (body: object) => (await project.post('/api/events/query', body)).body
  const mine = { event_type: 'project_prices.*' }
  const all = await query({ event: mine })
  expect(all).toMatchObject({ count: 5 })
  expect(all.windowing).toBeUndefined()
  const paged: any[] = []
  let windowing: any = { limit: 2 }
  while (windowing) {
    const page = await query({ event: mine, windowing })
    paged.push(...page.events)
    windowing = page.windowing
  }
  expect(paged).toEqual(all.events)
  const bounds = { oldest: all.events[3].created_at, newest: all.events[0].created_at }
  const first = await query({ event: mine, windowing: { ...bounds, limit: 2 } })
  const second = await query({ event: mine, windowing: first.windowing })
  expect([...first.events, ...second.events]).toEqual(all.events.slice(1, 4))
  expect((await query({ event: { event_types: ['project_prices.created'] } })).count).toBe(1)
  expect((await query({ event: { id: project.projectId, ...mine } })).count).toBe(5)
  expect((await query({ event: { user_id: randomUUID() } })).count).toBe(0)
  const exported = await project.post('/api/events/export', { event: mine, windowing: { order: 'ascending' } })
  expect(exported.headers.get('content-type')).toContain('application/jsonl')
  const lines = exported.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines).toEqual(all.events.toReversed())
})

test('a page of large events ends early, and the next ones follow', async () => {
  const project = await newProject()
  const { environment } = (await project.post('/api/simple/environments/', { environment: { slug: 'large' } })).body
  const reference = () => ({ application_revision: { id: randomUUID(), slug: randomUUID() } })
  const references = Object.fromEntries(Array.from({ length: 3_000 }, (_, key) => [`app-${key}`, reference()]))
  for (let count = 0; count < 5; count++) {
    const environment_revision = { environment_variant_id: environment.variant_id, data: { references } }
    await project.post('/api/environments/revisions/commit', { environment_revision })
  }
  const event = { event_type: 'environments.revisions.committed' }
  const bounds = { oldest: environment.created_at, order: 'ascending' }
  const exported = await project.post('/api/events/export', { event, windowing: bounds })
  const all = exported.text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).event_id)
  const paged: string[] = []
  let pages = 0
  for (let windowing: any = { ...bounds, limit: 100 }; windowing; pages++) {
    const { body } = await project.post('/api/events/query', { event, windowing })
    paged.push(...body.events.map((one: any) => one.event_id))
    windowing = body.windowing
  }
  expect([new Set(paged).size, paged]).toEqual([all.length, all])
  expect(all.length).toBeGreaterThanOrEqual(5)
  expect(pages).toBeGreaterThan(1)
})

test('who may read the log', async () => {
  const host = await newPerson()
  for (const [role, status] of [
    ['editor', 403],
    ['developer', 200],
  ] as const)
    expect((await actIn(host, await newMember(host, role))('POST', '/events/query', {})).status).toBe(status)
  const log = await call(apiUrl, 'POST', '/api/admin/events/query', `Access ${adminKey}`, {
    event: { event_type: 'users.created' },
    windowing: { limit: 10 },
  })
  expect(log.body.events.some((one: any) => one.actor.kind === 'admin' && one.attributes.ids[0] === host.user_id)).toBe(
    true,
  )
})

test('a quota refuses what is beyond it, and only for its project or key', async () => {
  const [project, neighbour] = [await newProject(), await newProject()]
  const quotas = { project: { requests_per_second: 5 }, keys: {} }
  expect((await project.send('PUT', '/api/projects/current/quotas', quotas)).body).toEqual(quotas)
  const ask = (of: typeof project) => of.get('/api/projects/current')
  const refused = await eventually(async () =>
    (await Promise.all(Array.from({ length: 20 }, () => ask(project)))).find(({ status }) => status === 429),
  )
  expect(refused.body.detail).toContain('5 requests per second')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(
    (await Promise.all(Array.from({ length: 20 }, () => ask(neighbour)))).map(({ status }) => status),
  ).not.toContain(429)
  await eventually(
    async () => (await project.send('PUT', '/api/projects/current/quotas', { project: {} })).status === 200,
  )
  await eventually(async () =>
    (await Promise.all(Array.from({ length: 20 }, () => ask(project)))).every(({ status }) => status === 200),
  )
  const unknown = { project: {}, keys: { nobody: { spans_per_second: 1 } } }
  expect((await project.send('PUT', '/api/projects/current/quotas', unknown)).status).toBe(404)
})

test('spans that are not stored take nothing of a quota', async () => {
  const project = await newProject()
  const quotas = { project: { spans_per_second: 10 } }
  expect((await project.send('PUT', '/api/projects/current/quotas', quotas)).status).toBe(200)
  const send = (trace_id: string, count: number) => {
    const spans = Array.from({ length: count }, () => ({ trace_id, span_id: newSpanId(), span_name: 'a' }))
    return project.post('/api/tracing/spans/ingest', { spans })
  }
  expect(await send('malformed', 1_000)).toMatchObject({ status: 202, body: { count: 0 } })
  expect(await send(newTraceId(), 1)).toMatchObject({ status: 202, body: { count: 1 } })
})

test.each(['http', 'grpc', 'json'])('exports that arrive together pass a quota only once: %s', async door => {
  // The receiver sees the key for the first time with its quota, and paying back takes 100 s.
  const project = await newProject()
  const quotas = { project: { spans_per_second: 10 } }
  expect((await project.send('PUT', '/api/projects/current/quotas', quotas)).status).toBe(200)
  const send = async (): Promise<boolean> => {
    const traceId = newTraceId()
    const spans = Array.from({ length: 1_000 }, () => otlpSpan({ traceId }))
    if (door === 'http') return (await project.export(exportOf(...spans))).status === 202
    if (door === 'grpc') {
      const headers = { authorization: `ApiKey ${project.apiKey}` }
      const { code } = await callGrpc(grpcUrl, protobufOf(...spans), { headers })
      return code === status.OK
    }
    const bodies = spans.map(({ spanId }) => ({ trace_id: traceId, span_id: spanId, span_name: 'a' }))
    return (await project.post('/api/tracing/spans/ingest', { spans: bodies })).status === 202
  }
  const passed = await Promise.all(Array.from({ length: 25 }, send))
  expect(passed.filter(Boolean)).toHaveLength(1)
  expect(await send()).toBe(false)
})
