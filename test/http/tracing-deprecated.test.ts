import { beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const node = (trace_id: string, members: object = {}): Record<string, any> => ({
  trace_id,
  span_id: newSpanId(),
  span_name: 'step',
  start_time: '2026-02-03T09:15:00Z',
  ...members,
})

const stored = (trace_id: string, count: number): Promise<any[]> =>
  eventually(async () => {
    const { body } = await project.get(`/api/spans/?trace_id=${trace_id}`)
    return body.count === count && body.spans
  })

const linkOf = ({ trace_id, span_id }: Record<string, any>) => ({ trace_id, span_id })

test('spans are taken in as a flat list or as trees by trace id; a list goes before', async () => {
  const trace_id = newTraceId()
  const root = node(trace_id)
  const child = node(trace_id, { parent_id: root.span_id })
  const bad = node(trace_id, { span_id: 'x' })
  const flat = await project.post('/api/tracing/spans/ingest', {
    spans: [root, bad],
    traces: { [trace_id]: { spans: { child } } },
  })
  expect([flat.status, flat.body]).toEqual([202, { count: 1, links: [linkOf(root)] }])
  const tree = await project.post('/api/preview/tracing/spans/ingest/', {
    traces: { [trace_id]: { spans: { child: { ...child, spans: { leaf: node(trace_id) } } } }, [newTraceId()]: {} },
  })
  expect(tree.body.count).toBe(2)
  expect(tree.body.links).toContainEqual(linkOf(child))
  await stored(trace_id, 3)
  expect(await project.post('/api/tracing/spans/ingest', {})).toMatchObject({
    status: 202,
    body: { count: 0, links: [] },
  })
})

test('one trace is written as a list or as a tree, and again', async () => {
  const trace_id = newTraceId()
  const root = node(trace_id)
  const child = node(trace_id, { parent_id: root.span_id })
  const made = await project.post('/api/tracing/traces/', { spans: [root, child] })
  expect([made.status, made.body]).toEqual([202, { count: 2, links: [linkOf(root), linkOf(child)] }])
  const leaf = node(trace_id)
  const traces = { [trace_id]: { spans: { root: { ...root, spans: { leaf } } } } }
  const again = await project.send('PUT', `/api/tracing/traces/${trace_id}`, { traces })
  expect([again.status, again.body]).toEqual([202, { count: 2, links: [linkOf(root), linkOf(leaf)] }])
  await stored(trace_id, 3)
  for (const id of ['x', newTraceId()])
    expect(await project.send('PUT', `/api/tracing/traces/${id}`, { traces })).toMatchObject({ status: 400 })
})

const T = newTraceId()
const U = newTraceId()
test.each<[string, object, string]>([
  ['nothing', {}, 'Missing spans'],
  ['an empty list', { spans: [] }, 'Missing spans'],
  ['an empty trace', { traces: { [T]: {} } }, 'Missing spans'],
  [
    'two traces in a map',
    { traces: { [T]: { spans: { a: node(T) } }, [U]: { spans: { a: node(U) } } } },
    'Too many traces',
  ],
  ['two traces in a list', { spans: [node(T), node(U)] }, 'Too many traces'],
  ['no root in a list', { spans: [node(T, { parent_id: newSpanId() })] }, 'Missing root span'],
  ['two roots in a list', { spans: [node(T), node(T)] }, 'Too many root spans'],
  ['two roots in a tree', { traces: { [T]: { spans: { a: node(T), b: node(T) } } } }, 'Too many root spans'],
])('a trace: %s', async (_name, body, detail) => {
  expect(await project.post('/api/tracing/traces/', body)).toMatchObject({ status: 400, body: { detail } })
  expect(await project.send('PUT', `/api/tracing/traces/${T}`, body)).toMatchObject({ status: 400, body: { detail } })
})

test('wrong shapes are reported with their location', async () => {
  for (const [body, loc] of [
    [{ spans: {} }, ['body', 'spans']],
    [{ spans: [1] }, ['body', 'spans', 0]],
    [{ spans: [node(T, { span_kind: 'x' })] }, ['body', 'spans', 0, 'span_kind']],
    [{ traces: { [T]: { spans: { a: {} } } } }, ['body', 'traces', T, 'spans', 'a', 'trace_id']],
  ] as const)
    expect((await project.post('/api/tracing/spans/ingest', body)).body.detail[0]).toMatchObject({ loc })
})

test('spans and traces are found by the flat form, in the body or in the query string', async () => {
  const of = await newProject()
  const [one, two] = [newTraceId(), newTraceId()]
  const root = node(one, { span_name: 'root', start_time: '2026-02-03T09:00:00Z' })
  const child = node(one, { span_name: 'child', parent_id: root.span_id, start_time: '2026-02-03T09:00:01Z' })
  const other = node(two, { span_name: 'other', start_time: '2026-02-03T10:00:00Z' })
  await of.post('/api/tracing/spans/ingest', { spans: [root, child, other] })
  await eventually(async () => (await of.post('/api/spans/query', {})).body.count === 3)
  const ask = (body?: unknown, search = '') => of.post(`/api/tracing/spans/query${search}`, body)
  const named = (name: string) => ({ conditions: [{ field: 'span_name', value: name }] })
  const names = (answer: any): string[] => answer.body.spans.map((span: any) => span.span_name)

  const all = await ask()
  expect(all.status).toBe(200)
  expect(all.body.count).toBe(2)
  expect(Object.keys(all.body.traces)).toEqual([two, one])
  expect(all.body.traces[one]).toEqual({
    spans: { root: expect.objectContaining({ spans: { child: expect.anything() } }) },
  })
  expect(names(await ask({ focus: 'span' }))).toEqual(['other', 'child', 'root'])
  expect(names(await ask(undefined, '?focus=span&limit=1'))).toEqual(['other'])
  expect(names(await ask({ focus: 'span' }, '?limit=1&order=ascending'))).toEqual(['root'])
  expect(names(await ask({ focus: 'span', order: 'ascending' }, '?oldest=2026-02-03T09:30:00Z'))).toEqual([
    'root',
    'child',
    'other',
  ])
  expect(Object.keys((await ask({ filter: named('child') }, '?focus=span')).body.traces)).toEqual([one])
  expect(names(await ask({ focus: 'span', filter: JSON.stringify(named('child')) }))).toEqual(['child'])
  expect(
    names(await ask(undefined, `?focus=span&filter=${encodeURIComponent(JSON.stringify(named('root')))}`)),
  ).toEqual(['root'])
  expect(names(await ask({ focus: 'span', filtering: named('root'), windowing: { limit: 5 } }))).toEqual(['root'])
  const nested = (filtering: object, windowing: object) =>
    new URLSearchParams({ filtering: JSON.stringify(filtering), windowing: JSON.stringify(windowing) })
  expect(names(await ask(undefined, `?focus=span&${nested(named('root'), { limit: 1 })}`))).toEqual(['root'])
  expect(names(await ask(undefined, `?focus=span&${nested({}, { limit: 1 })}&application_id=x`))).toEqual(['other'])
  expect(names(await ask(undefined, `?focus=span&${nested({}, { limit: 1, order: 'ascending' })}`))).toEqual(['root'])
  expect(names(await ask({ focus: 'span', filtering: JSON.stringify(named('root')) }))).toEqual(['root'])
  expect(names(await ask({ focus: 'span', oldest: '2026-02-03T09:30:00Z' }))).toEqual(['other'])
  expect((await ask({ focus: 'span', newest: 1_770_109_200 })).body).toEqual({ count: 0 })
  expect(names(await ask({ focus: 'trace', format: 'opentelemetry', filter: named('child') }))).toEqual([
    'root',
    'child',
  ])
  expect((await ask({ focus: 'span', filter: named('none') })).body).toEqual({ count: 0 })
  expect((await ask({ filter: named('none') })).body).toEqual({ count: 0, traces: {} })
  for (const [body, search, status] of [
    [{ fokus: 'span' }, '', 422],
    [{ limit: 'x' }, '', 422],
    [{ oldest: 12_345 }, '', 422],
    [undefined, '?newest=12345', 422],
    [{ filter: '{' }, '', 422],
    [{ filter: { conditions: [{ field: 'nothing', value: 1 }] } }, '', 400],
    [undefined, '?focus=x', 422],
    [undefined, '?format=x', 422],
    [undefined, '?filtre={}', 422],
    [undefined, '?windowing={"lmit":1}', 422],
  ] as const)
    expect([body, search, (await ask(body, search)).status]).toEqual([body, search, status])
})

test('one trace by its id, and traces by query under the older path', async () => {
  const trace_id = newTraceId()
  await project.post('/api/tracing/traces/', { spans: [node(trace_id, { span_name: 'only' })] })
  await stored(trace_id, 1)
  const found = await project.get(`/api/tracing/traces/${trace_id}/`)
  expect(found.body).toMatchObject({ count: 1, traces: { [trace_id]: { spans: { only: { trace_id } } } } })
  expect((await project.get(`/api/tracing/traces/${newTraceId()}`)).body).toEqual({ count: 0 })
  expect((await project.get('/api/tracing/traces/xyz')).status).toBe(400)
  const filter = { conditions: [{ field: 'trace_id', operator: 'is', value: trace_id }] }
  for (const body of [{ filter }, { filtering: filter }]) {
    const answer = await project.post('/api/tracing/traces/query', body)
    expect(answer.body).toMatchObject({ count: 1, traces: [{ trace_id, spans: { only: {} } }] })
  }
})
