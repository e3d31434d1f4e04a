import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { dashed, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

const PATH = '/api/simple/traces'
const T32 = expect.stringMatching(/^[0-9a-f]{32}$/)
const S16 = expect.stringMatching(/^[0-9a-f]{16}$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const UPDATED = expect.stringMatching(/Z$/)

const linkTo = () => ({ trace_id: newTraceId(), span_id: newSpanId() })

/** A new record; undefined members are left out. */
async function create(members: object = {}, of = project): Promise<any> {
  const trace = { data: { outputs: { ok: true } }, references: {}, links: {}, ...members }
  const answer = await of.post(`${PATH}/`, { trace })
  expect([answer.status, answer.body.count]).toEqual([202, 1])
  return answer.body.trace
}
const read = async (id: string): Promise<any> => (await project.get(`${PATH}/${id}`)).body
const patch = (id: string, trace: object) => project.send('PATCH', `${PATH}/${id}`, { trace })
const query = async (body: object): Promise<any> => (await project.post(`${PATH}/query`, body)).body
const idsOf = (traces: any[]): string[] => traces.map(trace => trace.trace_id)

test('what is created again with the same key, by the same user, is the same trace', async () => {
  const links = { invocation: linkTo() }
  const say = async (note: string, idempotency_key: string, of = project): Promise<string> => {
    const trace = { data: { outputs: { note } }, references: { evaluator: { slug: 'said-once' } }, links }
    const answer = await of.post(`${PATH}/`, { trace, idempotency_key })
    expect([answer.status, answer.text]).toEqual([202, expect.any(String)])
    return answer.body.trace.trace_id
  }
  const first = await say('one', 'a')
  expect(await say('two', 'a')).toBe(first)
  expect(await say('three', 'b')).not.toBe(first)
  expect(await say('four', 'a', await newProject())).not.toBe(first)
  await eventually(async () => (await read(first)).trace?.data.outputs.note === 'two')
  await eventually(async () => (await query({ trace: { links } })).count === 2)
  const long = { trace: { data: {}, references: {}, links: {} }, idempotency_key: 'k'.repeat(201) }
  expect((await project.post(`${PATH}/`, long)).status).toBe(422)
})

test('feedback with an evaluator: what is answered, what is read, what the registry and the spans have', async () => {
  const links = { invocation: linkTo() }
  const references = { evaluator: { slug: 'helpfulness' } }
  const data = { outputs: { rating: 4, note: 'clear' } }
  const given = { origin: 'human', kind: 'adhoc', channel: 'web', tags: { team: 'qa' }, meta: { n: [1, null] }, data }
  const trace = await create({ ...given, references, links })
  const full = {
    evaluator: { id: UUID, slug: 'helpfulness' },
    evaluator_variant: { id: UUID, slug: expect.any(String) },
    evaluator_revision: { id: UUID, slug: expect.any(String), version: '1' },
  }
  const lifecycle = { created_at: expect.stringMatching(/Z$/), created_by_id: UUID }
  expect(trace).toEqual({ trace_id: T32, span_id: S16, ...given, references: full, links, ...lifecycle })
  expect(await read(trace.trace_id)).toEqual({
    count: 1,
    trace: { ...trace, created_at: expect.stringMatching(/Z$/) },
  })
  const { span } = (await project.get(`/api/spans/${trace.trace_id}/${trace.span_id}`)).body
  expect(span).toMatchObject({
    span_name: 'helpfulness',
    trace_type: 'annotation',
    span_type: 'task',
    attributes: { ag: { flags: { is_feedback: true, is_web: true }, data } },
    links: [{ ...links.invocation, attributes: { key: 'invocation' } }],
    hashes: [{ id: UUID }],
  })
  expect(span.start_time).toBe(span.end_time)
  const found = await project.post('/api/simple/evaluators/query', {})
  const evaluator = found.body.evaluators.find((one: any) => one.slug === 'helpfulness')
  expect(evaluator).toMatchObject({
    id: trace.references.evaluator.id,
    name: 'helpfulness',
    data: {
      uri: 'agenta:custom:feedback:v0',
      schemas: { outputs: { type: 'object', properties: { outputs: { properties: { rating: { type: 'number' } } } } } },
    },
  })
  expect(JSON.stringify(evaluator.data.schemas)).not.toContain('required')
  const again = await create({ references, links, data: { outputs: { other: 1 } } })
  expect(again.references).toEqual(trace.references)
})

test('without an evaluator or without links nothing is made, and references stay as they were sent', async () => {
  const references = { evaluator: { slug: 'nobody' }, testcase: { id: randomUUID() }, query_revision: { version: '3' } }
  const trace = await create({ references, data: { outputs: 'plain', inputs: '{"a":1}', other: 1 } })
  expect(trace).toMatchObject({ origin: 'custom', kind: 'adhoc', channel: 'api', references, links: {} })
  expect(trace.data).toEqual({ outputs: 'plain', inputs: { a: 1 } })
  expect(trace).not.toHaveProperty('tags')
  expect(trace).not.toHaveProperty('meta')
  expect((await read(trace.trace_id)).trace.references).toEqual(references)
  const linked = await create({ links: { a: linkTo() } })
  expect(linked.references).toEqual({})
  const span = (await project.get(`/api/spans/${linked.trace_id}/${linked.span_id}`)).body
  expect(span).toEqual(expect.anything())
})

test.each([
  [
    { origin: 'human', kind: 'eval', channel: 'sdk' },
    { is_feedback: true, is_evaluation: true, is_sdk: true },
  ],
  [{ origin: 'custom', kind: 'adhoc', channel: 'api' }, { is_custom: true }],
  [
    { origin: 'auto', kind: 'play', channel: 'otlp' },
    { is_auto: true, is_play: true, is_otlp: true },
  ],
])('%j comes back as it was sent', async (given, flags) => {
  const trace = await create(given)
  expect(trace).toMatchObject(given)
  expect((await read(trace.trace_id)).trace).toMatchObject(given)
  const { span } = (await project.get(`/api/spans/${trace.trace_id}/${trace.span_id}`)).body
  expect(span.attributes.ag.flags).toEqual(flags)
})

test('links: maps keep their names, lists get some, and links without both ids are not stored', async () => {
  const [one, two] = [linkTo(), linkTo()]
  const map = await create({
    links: { a: { trace_id: dashed(one.trace_id), span_id: one.span_id }, b: { span_id: two.span_id } },
  })
  expect(map.links).toEqual({ a: one })
  expect((await read(map.trace_id)).trace.links).toEqual({ a: one })
  const list = await create({ links: [one, two, {}] })
  expect(list.links).toEqual({ link_0: one, link_1: two })
})

const base = { data: {}, references: {}, links: {} }
test.each<[string, unknown, (string | number)[]]>([
  ['no body', undefined, []],
  ['no trace', {}, ['trace']],
  ['no data', { ...base, data: undefined }, ['trace', 'data']],
  ['data that is text', { ...base, data: 'x' }, ['trace', 'data']],
  ['no references', { ...base, references: undefined }, ['trace', 'references']],
  ['no links', { ...base, links: undefined }, ['trace', 'links']],
  ['null for links', { ...base, links: null }, ['trace', 'links']],
  ['another origin', { ...base, origin: 'robot' }, ['trace', 'origin']],
  ['another kind', { ...base, kind: 'x' }, ['trace', 'kind']],
  ['another channel', { ...base, channel: 'x' }, ['trace', 'channel']],
  ['a number as a tag', { ...base, tags: { a: 2 } }, ['trace', 'tags']],
  ['a list of tags', { ...base, tags: { a: ['x'] } }, ['trace', 'tags']],
  ['text as meta', { ...base, meta: 'x' }, ['trace', 'meta']],
  ['a bad slug', { ...base, references: { evaluator: { slug: 'a b' } } }, ['trace', 'references', 'evaluator', 'slug']],
  ['a bad id', { ...base, references: { testcase: { id: 'x' } } }, ['trace', 'references', 'testcase', 'id']],
  [
    'a number as version',
    { ...base, references: { query: { version: 1 } } },
    ['trace', 'references', 'query', 'version'],
  ],
  ['a bad link id', { ...base, links: { a: { trace_id: 'x', span_id: 'y' } } }, ['trace', 'links', 'a', 'trace_id']],
])('%s is a 422 that says where', async (_name, given, loc) => {
  const body = given === undefined || Object.keys(given as object).length === 0 ? given : { trace: given }
  const answer = await project.post(PATH, body)
  expect(answer).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', ...loc] }, ...answer.body.detail.slice(1)] },
  })
})

test('0 and 1 as tags are false and true; keys of references that are not known are ignored', async () => {
  const trace = await create({ tags: { a: 1, b: { c: 0 } }, references: { workflow: { slug: 'x' }, other: 1 } })
  expect(trace).toMatchObject({ tags: { a: true, b: { c: false } }, references: {} })
})

test('what has no data is made but not found', async () => {
  const trace = await create({ data: { other: 1 } })
  expect(trace.data).toEqual({})
  expect(await read(trace.trace_id)).toEqual({ count: 0 })
})

test('an edit replaces what is sent, keeps what is not, and keeps name and time', async () => {
  const links = { invocation: linkTo() }
  const references = { evaluator: { slug: 'kept' } }
  const made = await create({ origin: 'human', tags: { a: 'x' }, meta: { m: 1 }, references, links })
  const spanPath = `/api/spans/${made.trace_id}/${made.span_id}`
  await read(made.trace_id)
  const before = (await project.get(spanPath)).body.span
  const answer = await patch(made.trace_id, { data: { outputs: { ok: false } } })
  expect([answer.status, answer.body.count]).toEqual([200, 1])
  const kept = { tags: { a: 'x' }, meta: { m: 1 }, references: made.references, links, origin: 'human' }
  const updated = { updated_at: expect.stringMatching(/Z$/), updated_by_id: UUID, created_at: before.created_at }
  expect(answer.body.trace).toMatchObject({ ...kept, ...updated, data: { outputs: { ok: false } } })
  expect((await read(made.trace_id)).trace).toMatchObject({ ...kept, ...updated, data: { outputs: { ok: false } } })
  const after = (await project.get(spanPath)).body.span
  for (const field of ['span_name', 'start_time', 'end_time', 'trace_type', 'created_at'])
    expect(after[field]).toEqual(before[field])
  const second = await patch(made.trace_id, {
    data: { inputs: { q: 1 } },
    tags: { b: true },
    meta: {},
    links: {},
    references: { testset: { slug: 't' } },
  })
  expect(second.body.trace).toMatchObject({
    data: { inputs: { q: 1 } },
    tags: { b: true },
    links: {},
    references: { testset: { slug: 't' } },
  })
  const { trace } = await read(made.trace_id)
  expect(trace.data).toEqual({ inputs: { q: 1 } })
  expect(trace.tags).toEqual({ b: true })
  expect(trace.references).toEqual({ testset: { slug: 't' } })
  expect(trace.links).toEqual({})
})

test('an edit that says what was there is an edit too', async () => {
  const { trace_id, data } = await create()
  const { trace } = (await patch(trace_id, { data })).body
  expect((await read(trace_id)).trace).toMatchObject({ data, updated_at: UPDATED, updated_by_id: trace.updated_by_id })
})

test('edits at the same time keep what the others wrote', async () => {
  const { trace_id } = await create()
  const edits = [{ tags: { a: true } }, { meta: { b: 1 } }, { links: { c: linkTo() } }]
  const sent = edits.map(members => patch(trace_id, { data: { outputs: { ok: true } }, ...members }))
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await read(trace_id)).trace).toMatchObject(Object.assign({}, ...edits))
})

test('an edit right before a deletion keeps nobody waiting', async () => {
  const { trace_id } = await create()
  const data = { outputs: { ok: false } }
  await patch(trace_id, { data })
  await project.send('DELETE', `${PATH}/${trace_id}`)
  expect(await patch(trace_id, { data })).toMatchObject({ status: 200, body: { count: 0 } })
})

test.each([PATH, '/api/traces', '/api/tracing/traces'])(
  'what is deleted through %s during an edit stays deleted',
  async path => {
    for (let delayMs = 0; delayMs < 40; delayMs += 10) {
      const { trace_id } = await create()
      await read(trace_id)
      const edited = patch(trace_id, { data: { outputs: { ok: false } } })
      await delay(delayMs)
      const deleted = await project.send('DELETE', `${path}/${trace_id}`)
      expect([(await edited).status, deleted.body.count]).toEqual([200, 1])
      expect(await read(trace_id)).toEqual({ count: 0 })
    }
  },
)

test('an edit needs data and an id; nothing to edit is count 0', async () => {
  expect(await patch(newTraceId(), { data: {} })).toMatchObject({ status: 200, body: { count: 0 } })
  expect(await patch('xyz', { data: {} })).toMatchObject({ status: 400 })
  expect(await patch(newTraceId(), { tags: {} })).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['body', 'trace', 'data'] }] },
  })
})

test('other surfaces delete only what they show', async () => {
  const traceId = newTraceId()
  await project.store(otlpSpan({ traceId, name: 'run' }, { 'ag.data.outputs': 'Lima' }))
  const annotation = { data: { outputs: 1 }, references: {}, links: {} }
  const { trace_id } = (await project.post('/api/annotations/', { annotation })).body.annotation
  const bare = (await project.post('/api/annotations/', { annotation: { ...annotation, data: {} } })).body.annotation
  for (const [path, id] of [
    [`/annotations/${traceId}`, traceId],
    [`/invocations/${traceId}`, traceId],
    [`/invocations/${trace_id}`, trace_id],
  ]) {
    const answer = await project.send('DELETE', `/api${path}`)
    expect([answer.status, answer.body]).toEqual([200, { count: 0 }])
    expect((await read(id as string)).count).toBe(1)
  }
  for (const path of [`/annotations/${trace_id}`, `/annotations/${bare.trace_id}`, `/simple/traces/${traceId}`])
    expect((await project.send('DELETE', `/api${path}`)).body.count).toBe(1)
})

test('a record is deleted once, and gone everywhere', async () => {
  const { trace_id, span_id } = await create()
  const answer = await project.send('DELETE', `${PATH}/${trace_id}`)
  expect([answer.status, answer.body]).toEqual([200, { count: 1, link: { trace_id, span_id } }])
  const again = await project.send('DELETE', `${PATH}/${trace_id}`)
  expect([again.status, again.body]).toEqual([200, { count: 0 }])
  expect(await read(trace_id)).toEqual({ count: 0 })
  expect((await project.get(`/api/traces/${trace_id}`)).body).toEqual({ count: 0 })
  expect(await query({ links: [{ trace_id }] })).toEqual({ count: 0, traces: [] })
  expect(await project.send('DELETE', `${PATH}/xyz`)).toMatchObject({ status: 400 })
  expect(await read('xyz')).toEqual({ count: 0 })
})

test('records that are deleted while they are queried are left out', async () => {
  const of = await newProject()
  const records = await Promise.all(Array.from({ length: 40 }, () => create({}, of)))
  const list = () => of.post(`${PATH}/query`, {})
  await eventually(async () => (await list()).body.count === 40)
  let isDone = false
  // A writer that is busy for ten seconds is a 503, with which the deletion is only accepted.
  const isDeleted = async ({ trace_id }: any) => (await of.send('DELETE', `${PATH}/${trace_id}`)).status === 200
  const deleting = Promise.all(records.map(one => eventually(() => isDeleted(one)))).finally(() => {
    isDone = true
  })
  while (!isDone) expect((await Promise.all([list(), list()])).map(({ status }) => status)).toEqual([200, 200])
  await deleting
  expect((await list()).body.count).toBe(0)
})

test('traces of instrumented code with data are records too', async () => {
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, name: 'run' }, { 'ag.data.outputs': 'Lima' })
  await project.store(root, otlpSpan({ traceId, parentSpanId: root.spanId }, { 'ag.data.outputs': 'inner' }))
  expect((await read(traceId)).trace).toMatchObject({
    trace_id: traceId,
    span_id: root.spanId,
    data: { outputs: 'Lima' },
  })
  expect(idsOf((await query({ links: [{ trace_id: traceId }] })).traces)).toEqual([traceId])
  const edited = await patch(traceId, { data: { outputs: 'Cusco' }, tags: { fixed: true } })
  expect(edited.body.trace).toMatchObject({ data: { outputs: 'Cusco' }, tags: { fixed: true } })
  await eventually(async () => (await read(traceId)).trace.data.outputs === 'Cusco')
  const { trace } = (await project.get(`/api/traces/${traceId}`)).body
  expect(trace.spans.run).toMatchObject({ span_id: root.spanId, spans: { step: { parent_id: root.spanId } } })
})

test('no link of instrumented code is lost, whatever its name', async () => {
  const traceId = newTraceId()
  const names = ['link_1', undefined, 'about', 'about', '__proto__']
  const links = names.map(() => linkTo())
  await project.store({
    ...otlpSpan({ traceId, name: 'run' }, { 'ag.data.outputs': 'Lima' }),
    links: links.map((link, at) => ({
      traceId: link.trace_id,
      spanId: link.span_id,
      attributes: names[at] === undefined ? [] : [{ key: 'key', value: { stringValue: names[at] } }],
    })),
  })
  const shown = Object.entries((await read(traceId)).trace.links)
  const keys = ['link_1', 'link_2', 'about', 'link_3', '__proto__']
  expect(shown).toEqual(keys.map((key, at) => [key, links[at]]))
})

test('queries by every member', async () => {
  const of = await newProject()
  const target = linkTo()
  const other = linkTo()
  const id = randomUUID()
  const records: Record<string, any> = {
    human: await create(
      { origin: 'human', kind: 'eval', channel: 'web', tags: { team: 'qa', deep: { a: 'b', c: true } } },
      of,
    ),
    custom: await create({ channel: 'sdk', meta: { run: 7, list: [1, 2] }, links: { invocation: target } }, of),
    auto: await create(
      {
        origin: 'auto',
        references: { testset: { slug: 'set', id }, query: { slug: 'ask' } },
        links: { x: target, y: other },
      },
      of,
    ),
  }
  await eventually(async () => (await of.post(`${PATH}/query`, {})).body.count === 3)
  const found = async (body: object): Promise<string[]> => {
    const answer = await of.post(`${PATH}/query`, body)
    expect(answer.status).toBe(200)
    expect(answer.body.count).toBe(answer.body.traces.length)
    const ids = idsOf(answer.body.traces)
    return Object.keys(records).filter(name => ids.includes(records[name].trace_id))
  }
  const cases: [object, string[]][] = [
    [{}, ['human', 'custom', 'auto']],
    [{ trace: {} }, ['human', 'custom', 'auto']],
    [{ trace: { origin: 'human' } }, ['human']],
    [{ trace: { origin: 'custom' } }, ['custom']],
    [{ trace: { origin: 'auto' } }, ['auto']],
    [{ trace: { kind: 'eval' } }, ['human']],
    [{ trace: { kind: 'adhoc' } }, ['custom', 'auto']],
    [{ trace: { kind: 'play' } }, ['human', 'custom', 'auto']],
    [{ trace: { channel: 'web' } }, ['human']],
    [{ trace: { channel: 'sdk' } }, ['custom']],
    [{ trace: { channel: 'api' } }, ['auto']],
    [{ trace: { channel: 'otlp' } }, ['human', 'custom', 'auto']],
    [{ trace: { origin: 'human', channel: 'sdk' } }, []],
    [{ trace: { tags: { team: 'qa' } } }, ['human']],
    [{ trace: { tags: { deep: { a: 'b' } } } }, ['human']],
    [{ trace: { tags: { team: 'dev' } } }, []],
    [{ trace: { meta: { run: 7 } } }, ['custom']],
    [{ trace: { meta: { list: [2] } } }, ['custom']],
    [{ trace: { references: { testset: { slug: 'set' } } } }, ['auto']],
    [{ trace: { references: { testset: { id } } } }, ['auto']],
    [{ trace: { references: { testset: { slug: 'set', id: randomUUID() } } } }, []],
    [{ trace: { references: { testset: { version: '1' } } } }, ['human', 'custom', 'auto']],
    [{ trace: { references: { testset: { slug: 'set' }, query: { slug: 'no' } } } }, []],
    [{ trace: { links: { any_name: target } } }, ['custom', 'auto']],
    [{ trace: { links: { a: target, b: other } } }, ['auto']],
    [{ trace: { links: [target, other] } }, ['custom', 'auto']],
    [{ trace: { links: { a: { trace_id: target.trace_id } } } }, []],
    [
      { links: [{ trace_id: records.human.trace_id, span_id: newSpanId() }, { trace_id: records.auto.trace_id }] },
      ['human', 'auto'],
    ],
    [{ links: { a: { trace_id: records.human.trace_id } }, trace: { origin: 'custom' } }, []],
    [{ links: [] }, ['human', 'custom', 'auto']],
    [{ windowing: { newest: '2020-01-01T00:00:00Z' } }, []],
  ]
  for (const [body, names] of cases) expect([body, await found(body)]).toEqual([body, names])
  const page = await of.post(`${PATH}/query`, { windowing: { limit: 1, order: 'ascending' } })
  expect(idsOf(page.body.traces)).toEqual([records.human.trace_id])
  const next = { oldest: page.body.traces[0].created_at, limit: 2 }
  expect((await of.post(`${PATH}/query`, { windowing: next })).status).toBe(200)
})

const idsByPage = async (of: TestProject, path: string, first: object): Promise<string[][]> => {
  const pages: string[][] = []
  for (let windowing: object | undefined = first; windowing; ) {
    const { status, body } = await of.post(`/api${path}/query`, { windowing })
    expect([status, body.count]).toEqual([200, Object.values<any[]>(body)[1]?.length])
    pages.push(idsOf(Object.values<any[]>(body)[1] as any[]))
    windowing = body.windowing
  }
  return pages
}

test('a full page has the window of the next, on every surface and in both orders', async () => {
  const of = await newProject()
  const references = { evaluator: { slug: 'judge' }, application: { slug: 'app' } }
  const content = { data: { outputs: 1 }, references, links: {} }
  for (let made = 0; made < 3; made++) {
    await of.post('/api/annotations/', { annotation: content })
    await of.post('/api/invocations/', { invocation: content })
  }
  const listed = async (path: string) => (await of.post(`/api${path}/query`, {})).body
  await eventually(async () => (await listed('/simple/traces')).count === 6)
  for (const path of ['/simple/traces', '/annotations', '/invocations']) {
    const { windowing, ...all } = await listed(path)
    expect(windowing).toBeUndefined()
    const ids = idsOf(Object.values<any[]>(all)[1] as any[])
    for (const order of ['descending', 'ascending']) {
      const pages = await idsByPage(of, path, { limit: 2, order })
      expect(pages.flat()).toEqual(order === 'descending' ? ids : ids.toReversed())
      expect(pages[0]).toHaveLength(2)
    }
  }
})

test('records that are left out of a page do not end the list', async () => {
  const of = await newProject()
  const second = (startSeconds: number) => ({
    startTimeUnixNano: `${1_790_000_000 + startSeconds}000000000`,
    endTimeUnixNano: `${1_790_000_000 + startSeconds}000000000`,
  })
  const traces = [newTraceId(), newTraceId(), newTraceId()]
  const withData = traces.map((traceId, at) => otlpSpan({ traceId, ...second(at * 10) }, { 'ag.data.outputs': 'x' }))
  // The second trace has another root, which started last and has no data: the record is that root, and shows nothing.
  await of.store(...withData, otlpSpan({ traceId: traces[1] as string, ...second(15) }))
  for (const order of ['descending', 'ascending']) {
    const pages = await idsByPage(of, '/simple/traces', { limit: 1, order })
    expect(pages.filter(page => page.length === 0).length).toBeGreaterThan(0)
    expect(pages.flat().toSorted()).toEqual([traces[0], traces[2]].toSorted())
  }
})

test.each<[object, (string | number)[]]>([
  [{ limit: 1 }, ['limit']],
  [{ filtering: {} }, ['filtering']],
  [{ annotation_links: [] }, ['annotation_links']],
  [{ trace: { link: {} } }, ['trace', 'link']],
  [{ trace: { references: { evalautor: { slug: 'x' } } } }, ['trace', 'references', 'evalautor']],
  [{ trace: { references: { evaluator: { slgu: 'x' } } } }, ['trace', 'references', 'evaluator', 'slgu']],
  [{ windowing: { lmit: 1 } }, ['windowing', 'lmit']],
])('a query with an unknown member is refused, since ignoring it would widen it: %j', async (body, loc) => {
  expect(await project.post(`${PATH}/query`, body)).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'extra_forbidden', loc: ['body', ...loc] }] },
  })
})

test.each<[string, unknown, number]>([
  ['no body', undefined, 422],
  ['an origin that is none', { trace: { origin: 'x' } }, 422],
  ['a limit that is none', { windowing: { limit: 'x' } }, 422],
  ['a limit that is none and half a link', { trace: { links: [{}] }, windowing: { limit: 'x' } }, 422],
  ['a limit that is none and a record without an id', { links: [{}], windowing: { limit: 'x' } }, 422],
  ['links that are none', { links: 5 }, 422],
  ['a trace id that is none', { links: [{ trace_id: 'xyz' }] }, 400],
])('a query with %s is refused', async (_name, body, status) => {
  expect((await project.post(`${PATH}/query`, body)).status).toBe(status)
})

test('not without a key, and not with the key of another project', async () => {
  const { apiUrl } = inject('target')
  const { trace_id } = await create()
  for (const [method, path] of [
    ['POST', PATH],
    ['GET', `${PATH}/${trace_id}`],
    ['PATCH', `${PATH}/${trace_id}`],
    ['DELETE', `${PATH}/${trace_id}`],
    ['POST', `${PATH}/query`],
  ] as const)
    expect((await call(apiUrl, method, path, undefined)).status).toBe(401)
  const other = await newProject()
  expect((await other.get(`${PATH}/${trace_id}`)).body).toEqual({ count: 0 })
  expect((await other.send('PATCH', `${PATH}/${trace_id}`, { trace: { data: {} } })).body).toEqual({ count: 0 })
  expect((await other.send('DELETE', `${PATH}/${trace_id}`)).body).toEqual({ count: 0 })
  expect((await read(trace_id)).count).toBe(1)
})
