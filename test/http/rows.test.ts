import { beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const SECOND = 1_000_000_000n
const START = 1_770_109_200_000_000_000n // 2026-02-03T09:00:00Z
const WINDOW = { oldest: '2026-02-03T08:00:00Z', newest: '2026-02-03T10:00:00Z' }
const COUNT = 25

let project: TestProject
let other: TestProject
/** Root and child of each trace, in the order of time. */
let traces: [OtlpSpan, OtlpSpan][]

/** The root costs twice its place; several share each duration. */
function trace(place: number): [OtlpSpan, OtlpSpan] {
  const traceId = newTraceId()
  const start = START + BigInt(place) * SECOND
  const time = {
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + BigInt((place % 5) + 1) * SECOND),
  }
  const messages = [
    { role: 'system', content: 'S'.repeat(3_000) },
    { role: 'user', content: `question ${place}` },
  ]
  const root = otlpSpan(
    { traceId, name: `name ${place % 3}`, ...time, status: { code: place % 10 === 0 ? 2 : 1 } },
    {
      'ag.data.inputs': JSON.stringify({ messages }),
      'ag.data.outputs': `answer ${place}`,
      'ag.user.id': `user-${place % 2}`,
    },
  )
  const child = otlpSpan(
    { traceId, name: 'child', parentSpanId: root.spanId, ...time },
    {
      'ag.type.node': 'chat',
      'ag.metrics.unit.tokens.total': 10 * place + 1,
      'ag.metrics.unit.costs.total': place / 1000,
      'gen_ai.response.model': place % 2 ? 'large' : 'small',
    },
  )
  return [root, child]
}

beforeAll(async () => {
  ;[project, other] = await Promise.all([newProject(), newProject()])
  traces = Array.from({ length: COUNT }, (_, place) => trace(place))
  await Promise.all([project.store(...traces.flat()), other.store(...trace(3))])
})

const rows = async (body: object): Promise<any> => {
  const answer = await project.post('/api/spans/rows', body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.count).toBe(answer.body.rows.length)
  return answer.body
}

/** All rows, page by page, each of which must not be empty. */
async function allRows(body: object): Promise<any[]> {
  const found: any[] = []
  let next: object | undefined = { windowing: { ...WINDOW, limit: 7 } }
  while (next) {
    const page: any = await rows({ ...body, ...next })
    found.push(...page.rows)
    next = page.windowing
      ? { windowing: page.windowing }
      : page.after
        ? { windowing: { ...WINDOW, limit: 7 }, after: page.after }
        : undefined
  }
  return found
}

test('rows have the totals of their trace and short previews', async () => {
  const {
    rows: [first],
  } = await rows({ windowing: { ...WINDOW, limit: 1 } })
  expect(first).toEqual({
    trace_id: traces[24]?.[0].traceId,
    span_id: traces[24]?.[0].spanId,
    span_name: 'name 0',
    span_type: expect.any(String),
    trace_type: expect.any(String),
    status_code: 'STATUS_CODE_OK',
    start_time: '2026-02-03T09:00:24Z',
    duration: 5000,
    tokens: 241,
    costs: 0.024,
    user_id: 'user-0',
    inputs: 'question 24',
    outputs: 'answer 24',
  })
})

const LONG = 'hello '.repeat(333)
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(1_000)}` } }
const ASKED = { type: 'text', text: 'what is this?' }
const TOLD = { role: 'system', content: 'You are kind. '.repeat(200) }
const ANSWER = { role: 'assistant', content: `answer "${LONG}"` }
const CALLED = [{ id: 'call_1', function: { name: 'find', arguments: '{"text":"no message"}' } }]

const ofLangChain = (content: string) => ({ lc: 1, type: 'constructor', id: ['HumanMessage'], kwargs: { content } })

test('previews show the newest text of a chat, however long it is', async () => {
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
  const cases: [inputs: unknown, shown: RegExp][] = [
    [user('hello '.repeat(30)), /^hello hello/],
    [user(LONG), /^hello hello/],
    [{ messages: [TOLD, ...user(LONG).messages] }, /^hello hello/],
    [{ messages: [{ content: LONG, role: 'user' }] }, /^hello hello/],
    [user([ASKED, { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }]), /^what is this\?$/],
    [user([ASKED, IMAGE]), /^what is this\?$/],
    [user([IMAGE, ASKED]), /^what is this\?$/],
    [user([{ type: 'text', text: LONG }, IMAGE]), /^hello hello/],
    [{ messages: [...user('weather?').messages, { ...ANSWER, tool_calls: CALLED }] }, /^answer "hello hello/],
    [ANSWER, /^answer "hello hello/],
    [JSON.stringify(ANSWER), /^answer "hello hello/],
    [JSON.stringify([TOLD, ANSWER], null, 1), /^answer "hello hello/],
    [JSON.stringify({ role: 'assistant', content: 'short' }), /^short$/],
    [`{"role": "assistant", "content": "cut ${LONG}`, /^cut hello/],
    [LONG, /^hello hello/],
    [`[1] ${LONG}`, /^\[1\] hello/],
    [{ question: 'Why?', documents: Array(3).fill({ text: LONG }) }, /^Why\?$/],
    [{ topic: 'weather', more: LONG }, /^weather$/],
    [{ messages: [ofLangChain('weather?'), ofLangChain('dry?')] }, /^dry\?$/],
    [{ messages: [ofLangChain(LONG)] }, /^hello hello/],
    [{ role: 'user', numbers: Array(2_000).fill(1) }, /^\{"role":"user","numbers":\[1,/],
  ]
  const own = await newProject()
  const said = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const spans = cases.map(([value], at) =>
    otlpSpan(
      { traceId: newTraceId(), name: String(at) },
      { 'ag.data.inputs': said(value), 'ag.data.outputs': said(value) },
    ),
  )
  await own.store(...spans)
  const { body } = await own.post('/api/spans/rows', {})
  const shown = new Map<string, any>(body.rows.map((row: any) => [row.span_name, row]))
  for (const [at, [value, expected]] of cases.entries())
    for (const part of typeof value === 'string' ? ['outputs'] : ['inputs', 'outputs'])
      expect(shown.get(String(at))[part], `${part} ${said(value).slice(0, 200)}`).toMatch(expected)
})

test.each(['trace', 'span'])('pages of %ss visit each once, in every order', async focus => {
  const expected = focus === 'trace' ? COUNT : 2 * COUNT
  const values: Record<string, (row: any) => number> = {
    time: row => Date.parse(row.start_time),
    duration: row => row.duration ?? 0,
    tokens: row => row.tokens ?? 0,
    costs: row => row.costs ?? 0,
  }
  for (const [order_by, amountOf] of Object.entries(values)) {
    const found = await allRows({ focus, order_by })
    expect(new Set(found.map(row => row.trace_id + row.span_id)).size, order_by).toBe(expected)
    expect(found.length).toBe(expected)
    const sorted = found.map(amountOf)
    expect(sorted).toEqual(sorted.toSorted((one, another) => another - one))
  }
})

test('counts are exact, agree with the rows, and divide the window', async () => {
  for (const [filtering, focus] of [
    [undefined, 'trace'],
    [undefined, 'span'],
    [{ conditions: [{ field: 'span_name', value: 'name 1' }] }, 'span'],
    [{ conditions: [{ field: 'span_name', value: 'name 1' }] }, 'trace'],
  ] as const) {
    const body = { focus, filtering, windowing: WINDOW }
    const { body: counted } = await project.post('/api/spans/count', { ...body, buckets: 60 })
    expect(counted.count).toBe((await allRows({ focus, filtering })).length)
    expect(counted.bucket_ms).toBe(120_000)
    // They have no exceptions.
    if (!filtering) expect(counted.errors).toBe(3)
    const sum = counted.buckets.reduce((total: number, one: any) => total + one.count, 0)
    expect(sum).toBe(counted.count)
    expect(counted.buckets[0].start).toBe(Date.parse('2026-02-03T09:00:00Z'))
    expect((await project.post('/api/spans/count', body)).body).toEqual({
      count: counted.count,
      errors: counted.errors,
    })
  }
})

test('values are counted, the most frequent first', async () => {
  const { body } = await project.post('/api/spans/facets', {
    windowing: WINDOW,
    facets: ['span_name', 'user_id'],
    values: 2,
  })
  expect(body.facets).toEqual([
    {
      field: 'span_name',
      values: [
        { value: 'name 0', count: 9 },
        { value: 'name 1', count: 8 },
      ],
    },
    {
      field: 'user_id',
      values: [
        { value: 'user-0', count: 13 },
        { value: 'user-1', count: 12 },
      ],
    },
  ])
})

test('a skeleton has every span of its trace, in windows', async () => {
  const [root, child] = traces[7] as [OtlpSpan, OtlpSpan]
  const { body } = await project.get(`/api/traces/${root.traceId}/skeleton`)
  expect(body).toMatchObject({
    count: 2,
    total: 2,
    offset: 0,
    began_at: '2026-02-03T09:00:07Z',
    user_id: 'user-1',
  })
  const at = body.spans.span_id.indexOf(child.spanId)
  expect(body.spans.parent_id[at]).toBe(root.spanId)
  expect(body.names[body.spans.span_name[at]]).toBe('child')
  expect(body.spans.tokens).toEqual([71, 71])
  expect(body.spans.own_tokens[1 - at]).toBe(0)
  const windows = await Promise.all(
    [0, 1, 2].map(offset => project.get(`/api/traces/${root.traceId}/skeleton?limit=1&offset=${offset}`)),
  )
  expect(windows.flatMap(window => window.body.spans.span_id)).toEqual(body.spans.span_id)
  expect(windows.map(window => window.body.total)).toEqual([2, 2, 2])
  expect((await project.get(`/api/traces/${root.traceId}/skeleton?limit=0`)).body).toMatchObject({ count: 0, total: 2 })
  expect((await project.get(`/api/traces/${newTraceId()}/skeleton`)).body).toMatchObject({ count: 0, total: 0 })
})

test('the parts of a span come whole or in ranges', async () => {
  const [root] = traces[3] as [OtlpSpan, OtlpSpan]
  const path = `/api/spans/${root.traceId}/${root.spanId}/parts`
  const { body } = await project.get(path)
  const input = body.parts.find(({ part }: any) => part === 'inputs')
  expect(JSON.parse(input.text).messages[1]).toEqual({ role: 'user', content: 'question 3' })
  let text = ''
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const [range]: any[] = (await project.get(`${path}?part=inputs&offset=${offset}&length=1000`)).body.parts
    expect(range.characters).toBe(input.characters)
    text += range.text
    offset = range.next
  }
  expect(text).toBe(input.text)
})

test('of data that did not fit the schema what was sent is a part, and so is all that did not fit', async () => {
  const sent = { 'ag.data.inputs': 'Is it sunny? '.repeat(200), 'ag.data.outputs': 'Yes', 'ag.version': '7' }
  const span = otlpSpan({ traceId: newTraceId(), name: 'parked' }, sent)
  await project.store(span)
  const path = `/api/spans/${span.traceId}/${span.spanId}/parts`
  const { body } = await project.get(path)
  const partOf = (name: string): any => body.parts.find(({ part }: any) => part === name)
  expect(partOf('inputs')).toMatchObject({ text: JSON.stringify(sent['ag.data.inputs']), is_unsupported: true })
  expect(partOf('outputs')).toEqual({ part: 'outputs', characters: 5, offset: 0, text: '"Yes"' })
  expect(JSON.parse(partOf('unsupported').text)).toEqual({ version: '7', data: { inputs: sent['ag.data.inputs'] } })
  const [range] = (await project.get(`${path}?part=inputs&offset=1&length=5`)).body.parts
  expect(range).toMatchObject({ text: 'Is it', next: 6, is_unsupported: true })
})

const groups = async (body: object): Promise<any> => {
  const answer = await project.post('/api/spans/groups', { windowing: WINDOW, ...body })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.count).toBe(answer.body.groups.length)
  return answer.body
}
const sum = (values: (number | undefined)[]): number => values.reduce<number>((total, one) => total + (one ?? 0), 0)

test('groups add up to their rows, whatever they are grouped by', async () => {
  const found = await allRows({ focus: 'trace' })
  const [whole] = (await groups({})).groups
  expect(whole).toEqual({
    count: COUNT,
    errors: 3,
    tokens: sum(found.map(row => row.tokens)),
    costs: expect.closeTo(sum(found.map(row => row.costs)), 9),
    p50: 3000,
    p95: 5000,
    first: '2026-02-03T09:00:00Z',
    last: '2026-02-03T09:00:24Z',
    ended: expect.any(String),
  })
  const ends = found.map(({ start_time, duration = 0 }) => Date.parse(start_time) + duration)
  expect(Date.parse(whole.ended)).toBe(Math.max(...ends))
  for (const asked of [{ by: 'span_name' }, { by: 'user_id' }, { by: 'ag.data.outputs' }, { buckets: 60 }]) {
    const parts = (await groups(asked)).groups
    expect(sum(parts.map((part: any) => part.count))).toBe(COUNT)
    expect(sum(parts.map((part: any) => part.tokens))).toBe(whole.tokens)
  }
  const users = (await groups({ by: 'user_id', order_by: 'tokens' })).groups
  expect(users.map((user: any) => [user.value, user.count])).toEqual([
    ['user-0', 13],
    ['user-1', 12],
  ])
  expect((await groups({ by: 'user_id', count_min: 13 })).groups).toMatchObject([{ value: 'user-0' }])
  const answers = (await groups({ by: 'ag.data.outputs', order_by: 'last', values: 2 })).groups
  expect(answers.map((one: any) => one.value)).toEqual(['answer 24', 'answer 23'])
})

test('a row at the end of a window that includes it belongs to the last part', async () => {
  const windowing = { oldest: '2026-02-03T09:00:10Z', newest: '2026-02-03T09:00:12Z', order: 'ascending' }
  const asked = { focus: 'span', windowing, buckets: 2 }
  const last = { start: Date.parse('2026-02-03T09:00:11Z'), count: 4 }
  expect((await project.post('/api/spans/count', asked)).body).toMatchObject({ count: 4, buckets: [last] })
  expect((await project.post('/api/spans/groups', asked)).body.groups).toMatchObject([last])
})

test('spans of a trace that begin outside of the window belong to its nearest part', async () => {
  const own = await newProject()
  const spanAt = (seconds: number, span: Parameters<typeof otlpSpan>[0], tokens: number): OtlpSpan => {
    const start = START + BigInt(seconds) * SECOND
    const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + SECOND) }
    return otlpSpan({ ...span, ...times }, { 'ag.type.node': 'chat', 'ag.metrics.unit.tokens.total': tokens })
  }
  const root = spanAt(0, { traceId: newTraceId() }, 1)
  const { traceId, spanId: parentSpanId } = root
  const others = [-300, 300, 600, 900].map((seconds, n) => spanAt(seconds, { traceId, parentSpanId }, 10 ** (n + 1)))
  await own.store(root, ...others)
  const windowing = { oldest: '2026-02-03T09:00:00Z', newest: '2026-02-03T09:02:00Z' }
  const { body } = await own.post('/api/spans/groups', { windowing, buckets: 2, amounts: 'own' })
  expect(body.groups).toMatchObject([
    { start: Date.parse('2026-02-03T09:00:00Z'), count: 2, tokens: 11 },
    { start: Date.parse('2026-02-03T09:01:00Z'), count: 3, tokens: 11_100 },
  ])
})

test('own amounts count each use once, over all spans of the traces that match', async () => {
  const [whole] = (await groups({})).groups
  const models = (await groups({ by: 'model', amounts: 'own' })).groups
  expect(models).toMatchObject([
    { value: 'small', count: 13 },
    { value: 'large', count: 12 },
  ])
  expect(sum(models.map((model: any) => model.tokens))).toBe(whole.tokens)
  expect(sum(models.map((model: any) => model.costs))).toBeCloseTo(whole.costs, 9)
  const filtering = { conditions: [{ field: 'span_name', value: 'name 1' }] }
  const [own] = (await groups({ filtering, amounts: 'own' })).groups
  expect(own.count).toBe(16)
  expect(own.tokens).toBe((await groups({ filtering })).groups[0].tokens)
})

test('rows show the attributes that are asked for', async () => {
  const { rows: found } = await rows({
    focus: 'span',
    filtering: { conditions: [{ field: 'span_name', value: 'child' }] },
    windowing: { ...WINDOW, limit: 1 },
    attributes: ['ag.meta.response.model', 'ag.metrics.tokens.cumulative.total', 'no.such'],
  })
  expect(found[0].attributes).toEqual({
    'ag.meta.response.model': 'small',
    'ag.metrics.tokens.cumulative.total': '241',
  })
})

test('texts that are cut within a character are still Unicode', async () => {
  const long = `${'a'.repeat(999)}🙂b`
  const inputs = JSON.stringify({ a: `${' '.repeat(299)}🙂`, b: 'x' })
  const span = otlpSpan({ traceId: newTraceId(), name: 'long' }, { long, 'ag.data.inputs': inputs })
  await project.store(span)
  const { rows: found } = await rows({
    filtering: { conditions: [{ field: 'trace_id', value: span.traceId }] },
    attributes: ['long'],
  })
  expect(found[0].attributes.long).toBe(`${'a'.repeat(999)}\ufffd`)
  expect(found[0].inputs).toBe('a: \ufffd, b: x')
})

test('pages in the order of costs go on below zero', async () => {
  const own = await newProject()
  const credited = [2, 0, -1.25, -2.5].map((cost, at) =>
    otlpSpan(
      { traceId: newTraceId(), name: String(at) },
      { 'ag.type.node': 'chat', 'ag.metrics.unit.costs.total': cost },
    ),
  )
  await own.store(...credited)
  const names: string[] = []
  for (let after: string | undefined, page = 0; page === 0 || after; page++) {
    const { status, text, body } = await own.post('/api/spans/rows', { order_by: 'costs', limit: 1, after })
    expect(status, text).toBe(200)
    names.push(...body.rows.map((row: any) => row.span_name))
    after = body.after
  }
  expect(names).toEqual(['0', '1', '2', '3'])
  // After a place that no row can have.
  for (const order_by of ['duration', 'tokens', 'costs']) {
    const after = `${'9'.repeat(23)}_1_${newTraceId()}_0123456789abcdef`
    expect((await own.post('/api/spans/rows', { order_by, after })).body.count, order_by).toBe(4)
  }
})

test('what rows say can come after them', async () => {
  const asked = { windowing: { ...WINDOW, limit: 9 }, attributes: ['ag.type.trace', 'no.such'] }
  for (const focus of ['trace', 'span']) {
    const whole = await rows({ ...asked, focus })
    const first = await rows({ ...asked, focus, previews: false })
    const answer = await project.post('/api/spans/previews', { spans: first.rows, attributes: asked.attributes })
    expect(answer.status, answer.text).toBe(200)
    const { count, previews } = answer.body
    expect(count).toBe(9)
    expect(first.rows.some((row: any) => row.inputs ?? row.outputs ?? row.attributes)).toBe(false)
    expect(first.rows.map((row: any, at: number) => ({ ...row, ...previews[at] }))).toEqual(whole.rows)
    expect((await other.post('/api/spans/previews', { spans: first.rows })).body).toEqual({ count: 0, previews: [] })
  }
})

test.each([
  [{}, 422],
  [{ spans: [{ trace_id: 'x', span_id: 'y', start_time: WINDOW.oldest }] }, 400],
  [{ spans: [{ trace_id: newTraceId(), span_id: '0123456789abcdef', start_time: 'noon' }] }, 422],
  [{ spans: [], attributes: [''] }, 422],
])('previews of %j: %i', async (body, status) => {
  expect((await project.post('/api/spans/previews', body)).status).toBe(status)
})

test('nothing of another project is in an answer', async () => {
  const [{ traceId, spanId }] = traces[0] as [OtlpSpan, OtlpSpan]
  expect((await other.post('/api/spans/count', {})).body.count).toBe(1)
  expect((await other.post('/api/spans/rows', { focus: 'span' })).body.count).toBe(2)
  expect((await other.post('/api/spans/facets', { facets: ['user_id'] })).body.facets[0].values).toEqual([
    { value: 'user-1', count: 1 },
  ])
  expect((await other.post('/api/spans/groups', { by: 'user_id', amounts: 'own' })).body.groups).toMatchObject([
    { count: 1 },
    { value: 'user-1', count: 1 },
  ])
  expect((await other.get(`/api/traces/${traceId}/skeleton`)).body.count).toBe(0)
  expect((await other.get(`/api/spans/${traceId}/${spanId}/parts`)).status).toBe(404)
})

test.each([
  ['rows', { order_by: 'name' }, 422, 'order_by'],
  ['rows', { order_by: 'costs', after: 'x' }, 422, 'after'],
  ['rows', { order_by: 'costs', after: `x_1_${'a'.repeat(32)}_${'b'.repeat(16)}` }, 422, 'after'],
  ['rows', { order_by: 'costs', after: `1_x_${'a'.repeat(32)}_${'b'.repeat(16)}` }, 422, 'after'],
  ['rows', { order_by: 'costs', after: `1_1_x_${'b'.repeat(16)}` }, 422, 'after'],
  ['rows', { order_by: 'costs', after: `1_1_${'a'.repeat(32)}_x` }, 422, 'after'],
  ['rows', { focus: 'user' }, 422, 'focus'],
  ['rows', { windowing: { limit: 1_001 } }, 400, '1000 rows'],
  ['count', { buckets: 0 }, 422, 'buckets'],
  ['count', { buckets: 10 }, 400, 'buckets'],
  ['rows', { attributes: [''] }, 422, 'attributes'],
  ['rows', { attributes: Array(11).fill('a') }, 422, '10 paths'],
  ['groups', { by: 'data' }, 422, 'by'],
  ['groups', { by: 'user_id', buckets: 2 }, 400, 'buckets'],
  ['groups', { buckets: 2 }, 400, 'buckets'],
  ['groups', { values: 1_001 }, 422, 'values'],
  ['groups', { order_by: 'name' }, 422, 'order_by'],
  ['groups', { amounts: 'all' }, 422, 'amounts'],
  ['facets', { facets: ['data'] }, 422, 'facets'],
  ['facets', { values: 51 }, 422, 'values'],
] as const)('%s rejects %j', async (path, body, status, named) => {
  const answer = await project.post(`/api/spans/${path}`, body)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(named)
})
