import { beforeAll, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { dashed, newSpanId, newTraceId } from '../otlp.ts'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const START = '2026-02-03T09:15:00Z'

/** A span in the interface's own shape. */
function node(trace_id: string, members: object = {}): Record<string, any> {
  return { trace_id, span_id: newSpanId(), span_name: 'step', start_time: START, end_time: START, ...members }
}

const stored = (trace_id: string, count = 1, of = project): Promise<any[]> =>
  eventually(async () => {
    const { body } = await of.get(`/api/spans/?trace_id=${trace_id}`)
    return body.count >= count && body.spans
  })

test('a whole trace is accepted, and read as it was sent', async () => {
  const trace_id = newTraceId()
  const child = node(trace_id, { span_name: 'lookup', start_time: '2026-02-03T09:15:01Z', end_time: 1_770_110_102 })
  const root = node(trace_id, {
    span_name: 'answer',
    span_kind: 'SPAN_KIND_SERVER',
    status_code: 'STATUS_CODE_OK',
    status_message: 'fine',
    end_time: '2026-02-03T09:15:02.500Z',
    trace_type: 'annotation',
    attributes: {
      'ag.type.span': 'workflow',
      ag: {
        data: { inputs: { q: 'Peru' }, outputs: { __default__: 'Lima' } },
        session: { id: 's' },
        flags: { a: true },
      },
      'http.route': '/x',
    },
    references: [{ slug: 'geo', attributes: { key: 'application' } }],
    links: [{ trace_id: dashed(newTraceId()), span_id: newSpanId() }],
    events: [{ name: 'note', timestamp: 1_770_110_100_000, attributes: { 'a.b': 1 } }],
    spans: { ignored: child },
  })
  const answer = await project.post('/api/traces/', {
    trace: { trace_id: trace_id.toUpperCase(), spans: { any: root } },
  })
  expect([answer.status, answer.body]).toEqual([202, { count: 1, trace_id }])
  await stored(trace_id, 2)
  const { trace } = (await project.get(`/api/traces/${trace_id}`)).body
  expect(trace).toMatchObject({
    trace_id,
    spans: {
      answer: {
        trace_type: 'invocation',
        span_type: 'workflow',
        span_kind: 'SPAN_KIND_SERVER',
        status_message: 'fine',
        start_time: START,
        end_time: '2026-02-03T09:15:02.500000Z',
        session_id: 's',
        attributes: {
          ag: {
            data: { inputs: { q: 'Peru' }, outputs: 'Lima' },
            metrics: { duration: { cumulative: 2500 } },
            flags: { a: true },
          },
          http: { route: '/x' },
        },
        references: [{ slug: 'geo', attributes: { key: 'application' } }],
        links: [{ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/), attributes: {} }],
        events: [{ name: 'note', timestamp: '2026-02-03T09:15:00Z', attributes: { 'a.b': 1 } }],
        spans: {
          lookup: { parent_id: root.span_id, start_time: '2026-02-03T09:15:01Z', end_time: '2026-02-03T09:15:02Z' },
        },
      },
    },
  })
})

test('names come from the key, parents from the span around; both may be explicit', async () => {
  const trace_id = newTraceId()
  const other = newSpanId()
  const { span_name: _, ...nameless } = node(trace_id)
  const root: Record<string, any> = {
    ...nameless,
    spans: { twins: [node(trace_id), { ...node(trace_id, { parent_id: other }) }] },
  }
  await project.post('/api/traces', { trace: { trace_id, spans: { 'the root': root } } })
  const spans = await stored(trace_id, 3)
  expect(spans.map(span => [span.span_name, span.parent_id]).toSorted()).toEqual(
    [
      ['step', root.span_id],
      ['step', other],
      ['the root', undefined],
    ].toSorted(),
  )
})

test('a span sent again is a new version of it; spans that are left out stay', async () => {
  const trace_id = newTraceId()
  const root = node(trace_id, { attributes: { a: 1, b: 2 } })
  const child = node(trace_id, { parent_id: root.span_id })
  await project.post('/api/traces', { trace: { trace_id, spans: { root: { ...root, spans: { child } } } } })
  const [first] = await stored(trace_id, 2)
  expect(first).not.toHaveProperty('updated_at')
  const again = { ...root, span_name: 'renamed', attributes: { a: 3 } }
  const answer = await project.send('PUT', `/api/traces/${dashed(trace_id)}`, { trace: { trace_id, spans: { again } } })
  expect([answer.status, answer.body]).toEqual([202, { count: 1, trace_id }])
  const span = await eventually(async () =>
    (await project.get(`/api/spans/${trace_id}/${root.span_id}`)).body.span.span_name === 'renamed'
      ? (await project.get(`/api/spans/${trace_id}/${root.span_id}`)).body.span
      : undefined,
  )
  expect(span).toMatchObject({
    attributes: { a: 3 },
    updated_at: expect.any(String),
    updated_by_id: first.created_by_id,
  })
  expect(span.attributes).not.toHaveProperty('b')
  expect(await stored(trace_id)).toHaveLength(2)
})

const T = newTraceId()
const wrongTrace = { trace: { trace_id: T, spans: { root: node(newTraceId()) } } }
test.each<[string, unknown, number, unknown]>([
  ['no trace', {}, 400, 'Missing trace'],
  ['null for a trace', { trace: null }, 400, 'Missing trace'],
  ['a trace without id', { trace: { spans: { root: node(T) } } }, 400, 'Missing trace'],
  ['no spans', { trace: { trace_id: T } }, 400, 'Missing spans'],
  ['an empty map', { trace: { trace_id: T, spans: {} } }, 400, 'Missing spans'],
  ['no root', { trace: { trace_id: T, spans: { a: node(T, { parent_id: newSpanId() }) } } }, 400, 'Missing root span'],
  ['a list at the top', { trace: { trace_id: T, spans: { a: [node(T)] } } }, 400, 'Missing root span'],
  ['two roots', { trace: { trace_id: T, spans: { a: node(T), b: node(T) } } }, 400, 'Too many root spans'],
  ['spans of another trace', wrongTrace, 400, expect.any(String)],
  ['an id that is none', { trace: { trace_id: 'x', spans: { a: node('x') } } }, 400, expect.any(String)],
  ['no body', undefined, 422, [{ type: 'missing', loc: ['body'] }]],
  ['no JSON', '{"trace":', 422, [{ type: 'json_invalid', loc: ['body', expect.any(Number)] }]],
  ['a trace that is no object', { trace: 1 }, 422, [{ loc: ['body', 'trace'] }]],
  ['spans that are no map', { trace: { trace_id: T, spans: 1 } }, 422, [{ loc: ['body', 'trace', 'spans'] }]],
  [
    'a time that cannot be stored',
    { trace: { trace_id: T, spans: { a: node(T, { end_time: '9999-12-31T23:59:59Z' }) } } },
    422,
    [
      {
        type: 'less_than_equal',
        loc: ['body', 'trace', 'spans', 'a', 'end_time'],
        msg: 'Input should be less than or equal to 2255-01-01T00:00:00Z',
      },
    ],
  ],
  ['a span that is none', { trace: { trace_id: T, spans: { a: 1 } } }, 422, [{ loc: ['body', 'trace', 'spans', 'a'] }]],
  [
    'a span without its ids',
    { trace: { trace_id: T, spans: { a: {} } } },
    422,
    ['trace_id', 'span_id'].map(id => ({ type: 'missing', loc: ['body', 'trace', 'spans', 'a', id] })),
  ],
  ...(
    [
      ['trace_type', 'x'],
      ['span_type', 'x'],
      ['span_kind', 'SERVER'],
      ['status_code', 'OK'],
      ['start_time', 'soon'],
      ['attributes', []],
      ['links', {}],
      ['span_name', 5],
    ] as const
  ).map(([field, value]): [string, unknown, number, unknown] => [
    `${field} ${JSON.stringify(value)}`,
    { trace: { trace_id: T, spans: { a: { ...node(T), spans: { b: [node(T, { [field]: value })] } } } } },
    422,
    [{ loc: ['body', 'trace', 'spans', 'a', 'spans', 'b', 0, field] }],
  ]),
])('%s is refused', async (_name, body, status, detail) => {
  const answers = [await project.post('/api/traces/', body), await project.send('PUT', `/api/traces/${T}/`, body)]
  for (const answer of answers) expect(answer).toMatchObject({ status, body: { detail } })
})

test('a path of another trace, or of none, is refused', async () => {
  const body = { trace: { trace_id: T, spans: { root: node(T) } } }
  for (const id of ['xyz', newTraceId()])
    expect(await project.send('PUT', `/api/traces/${id}`, body)).toMatchObject({ status: 400 })
})

test.each<[string, object]>([
  ['a short trace id', { trace_id: '0123456789abcdef' }],
  ['a short span id', { span_id: 'abc' }],
  ['a parent that is none', { parent_id: 'abc' }],
  ['a time of an odd length', { start_time: 17701 }],
  ['an end of an odd length', { end_time: '17701' }],
])('%s leaves the span out, and only it', async (_name, members) => {
  const trace_id = newTraceId()
  const good = node(trace_id)
  const traces = [{ trace_id, spans: { good } }, { spans: { bad: node(trace_id, members) } }]
  const answer = await project.post('/api/traces/ingest', { traces })
  expect([answer.status, answer.body]).toEqual([
    202,
    { count: 1, trace_ids: [trace_id], links: [{ trace_id, span_id: good.span_id }] },
  ])
})

test.each([
  ['seconds', 1_770_110_100, START],
  ['milliseconds', 1_770_110_100_250, '2026-02-03T09:15:00.250000Z'],
  ['microseconds', 1_770_110_100_250_001, '2026-02-03T09:15:00.250001Z'],
  ['nanoseconds', '1770110100250001999', '2026-02-03T09:15:00.250001Z'],
  ['text without a zone', '2026-02-03T09:15:00', START],
  ['text with a zone', '2026-02-03T10:15:00+01:00', START],
])('times may be %s', async (_name, start_time, expected) => {
  const trace_id = newTraceId()
  const text = JSON.stringify({ trace: { trace_id, spans: { a: node(trace_id, { start_time, end_time: null }) } } })
  // Nanoseconds as a number have more digits than JavaScript keeps.
  await project.post('/api/traces', text.replace(/"(\d{19})"/, '$1'))
  expect((await stored(trace_id))[0]).toMatchObject({ start_time: expected, end_time: expected })
})

test('many traces at once: several roots, lists at the top, the last of two versions of a span', async () => {
  const [one, other] = [newTraceId(), newTraceId()]
  const twice = node(one)
  const body = {
    traces: [
      { trace_id: one, spans: { a: [twice, node(one)], b: node(one), c: { ...twice, span_name: 'last' } } },
      { spans: { a: node(other, { parent_id: newSpanId() }) } },
    ],
  }
  const answer = await project.post('/api/traces/ingest/', body)
  expect(answer.status).toBe(202)
  expect(answer.body).toMatchObject({ count: 2, trace_ids: [one, other] })
  expect(answer.body.links).toHaveLength(4)
  const spans = await stored(one, 3)
  expect(spans.filter(span => span.span_name === 'last')).toHaveLength(1)
  for (const empty of [{}, { traces: null }, { traces: [] }])
    expect(await project.post('/api/traces/ingest', empty)).toMatchObject({
      status: 400,
      body: { detail: 'Missing traces' },
    })
  expect(await project.post('/api/traces/ingest', { traces: [{}] })).toMatchObject({
    status: 202,
    body: { count: 0, trace_ids: [], links: [] },
  })
})

test.each([null, '', '0000000000000000'])('%j for a parent is none', async parent_id => {
  const trace_id = newTraceId()
  const answer = await project.post('/api/traces', { trace: { trace_id, spans: { a: node(trace_id, { parent_id }) } } })
  expect(answer.status).toBe(202)
  expect((await stored(trace_id))[0]).not.toHaveProperty('parent_id')
})

test('a list may be long', async () => {
  const trace_id = newTraceId()
  const root = node(trace_id)
  const children = Array.from({ length: 130_000 }, (_, at) => ({
    trace_id,
    span_id: (at + 1).toString(16).padStart(16, '0'),
  }))
  const answer = await project.post('/api/traces', {
    trace: { trace_id, spans: { root: { ...root, spans: { children } } } },
  })
  expect([answer.status, answer.body]).toEqual([202, { count: 1, trace_id }])
  // Until the writer is done with it, what the next tests send is not visible.
  const last = children.at(-1)?.span_id
  await eventually(async () => (await project.get(`/api/spans/${trace_id}/${last}`)).body.count === 1, 120_000)
})

test('values of any depth do no harm', async () => {
  const trace_id = newTraceId()
  const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const good = node(trace_id, { attributes: { x: deep(300) } })
  const bad = `{"trace_id":"${trace_id}","span_id":"${newSpanId()}","attributes":{"x":${'['.repeat(900)}${']'.repeat(900)}}}`
  const tree = (spans: number) =>
    `${`{"trace_id":"${trace_id}","span_id":"${newSpanId()}","spans":{"a":`.repeat(spans)}[]${'}}'.repeat(spans)}`
  const nested = tree(490)
  const body = `{"traces":[{"spans":{"good":${JSON.stringify(good)},"bad":${bad},"tree":${nested}}}]}`
  const answer = await project.post('/api/traces/ingest', body)
  expect(answer.status).toBe(202)
  expect(answer.body.links).toHaveLength(2)
  await stored(trace_id, 2)
  const deeper = await project.post('/api/traces/ingest', `{"traces":[{"spans":{"tree":${tree(30_000)}}}]}`)
  expect(deeper).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'traces', 0, 'spans', 'tree'] }] } })
})

test('a text that is too deep is refused, with large numbers in it too', async () => {
  const body = `{"traces":[{"n":12345678901234567890,"x":${'['.repeat(60_000)}${']'.repeat(60_000)}}]}`
  const answer = await project.post('/api/traces/ingest', body)
  const detail = [{ msg: expect.stringContaining('nested'), loc: ['body', 'traces', 0, 'x', 0] }]
  expect(answer).toMatchObject({ status: 422, body: { detail } })
})

test('nobody writes without the permission, nor into another project', async () => {
  const { apiUrl } = inject('target')
  const trace_id = newTraceId()
  const body = { trace: { trace_id, spans: { a: node(trace_id) } } }
  for (const [method, path] of [
    ['POST', '/api/traces/'],
    ['PUT', `/api/traces/${trace_id}`],
    ['POST', '/api/traces/ingest'],
  ] as const)
    expect(await call(apiUrl, method, path, undefined, body)).toMatchObject({
      status: 401,
      body: { detail: { message: 'Unauthorized' } },
    })
  await project.post('/api/preview/traces', body)
  await stored(trace_id)
  const other = await newProject()
  expect((await other.get(`/api/traces/${trace_id}`)).body).toEqual({ count: 0 })
})
