import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { ask, call, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const spanAt = (project: TestProject, traceId: string, spanId: string) =>
  eventually(async () => (await project.get(`/api/spans/${traceId}/${spanId}`)).body.span)

test('an export is answered 202 with the spans that were accepted, and they can be read within seconds', async () => {
  const project = await newProject()
  const span = otlpSpan({ traceId: newTraceId() }, { 'ag.data.inputs': '{"question":"why"}', 'http.route': '/x' })
  const answer = await project.export(exportOf(span))
  expect(answer.status).toBe(202)
  expect(answer.body).toEqual({ count: 1, links: [{ trace_id: span.traceId, span_id: span.spanId }] })
  expect(await spanAt(project, span.traceId, span.spanId)).toMatchObject({
    trace_id: span.traceId,
    span_id: span.spanId,
    trace_type: 'invocation',
    span_type: 'task',
    span_kind: 'SPAN_KIND_INTERNAL',
    span_name: 'step',
    start_time: '2026-02-02T02:40:00Z',
    end_time: '2026-02-02T02:40:01Z',
    status_code: 'STATUS_CODE_UNSET',
    attributes: {
      http: { route: '/x' },
      ag: { data: { inputs: { question: 'why' } }, metrics: { duration: { cumulative: 1000 } } },
    },
  })
})

test('the receiver says that it is ready to who may send', async () => {
  const { receiverUrl } = inject('target')
  const project = await newProject()
  expect((await call(receiverUrl, 'GET', '/api/otlp/v1/traces', `ApiKey ${project.apiKey}`)).body).toEqual({
    status: 'ready',
  })
  for (const method of ['GET', 'POST']) {
    const answer = await call(receiverUrl, method, '/api/otlp/v1/traces', undefined)
    expect(answer).toMatchObject({ status: 401, body: { detail: { message: 'Unauthorized' } } })
  }
})

test.each([
  ['gzip', gzipSync, 'gzip'],
  ['gzip that is not declared', gzipSync, undefined],
  ['zlib declared as deflate', deflateSync, 'deflate'],
  ['raw deflate declared as deflate', deflateRawSync, 'deflate'],
  ['zlib that is not declared', deflateSync, undefined],
  ['zstd', zstdCompressSync, 'zstd'],
  ['zstd that is not declared', zstdCompressSync, undefined],
  ['identity', (body: Buffer) => body, 'identity'],
])('%s is understood', async (_name, compress, encoding) => {
  const project = await newProject()
  const span = otlpSpan({ traceId: newTraceId() })
  const body = compress(Buffer.from(JSON.stringify(exportOf(span))))
  const answer = await project.export(body, { ...JSON_TYPE, ...(encoding ? { 'content-encoding': encoding } : {}) })
  expect(answer.status).toBe(202)
  expect(answer.body.count).toBe(1)
})

test('spans with unusable ids are reported and do their neighbours no harm', async () => {
  const project = await newProject()
  const good = otlpSpan({ traceId: newTraceId() })
  const answer = await project.export(
    exportOf(
      otlpSpan({ traceId: 'abcd' }),
      otlpSpan({ traceId: '0'.repeat(32) }),
      good,
      otlpSpan({ traceId: newTraceId(), spanId: 'ab' }),
    ),
  )
  expect(answer.status).toBe(202)
  expect(answer.body).toMatchObject({
    count: 1,
    links: [{ trace_id: good.traceId, span_id: good.spanId }],
    partialSuccess: { rejectedSpans: 3, errorMessage: expect.stringMatching(/trace/i) },
  })
  await spanAt(project, good.traceId, good.spanId)
})

const nested = (depth: number): object =>
  depth === 0 ? { stringValue: 'deep' } : { arrayValue: { values: [nested(depth - 1)] } }

test.each([
  ['text', 'hello, this is no protobuf', { 'content-type': 'application/x-protobuf' }, 400],
  ['text sent as JSON', 'hello', JSON_TYPE, 400],
  ['JSON of another shape', '{"resourceSpans":{"a":1}}', JSON_TYPE, 400],
  [
    'truncated protobuf',
    Buffer.from([0x0a, 0x7f, 0x12, 0x10, 0x12]),
    { 'content-type': 'application/x-protobuf' },
    400,
  ],
  [
    'broken gzip',
    Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from('nonsense')]),
    { 'content-encoding': 'gzip' },
    400,
  ],
  ['a bomb of 200 MB', gzipSync(Buffer.alloc(200 * 1024 * 1024)), { 'content-encoding': 'gzip' }, 413],
  ['a body over the limit', Buffer.alloc(11 * 1024 * 1024), { 'content-type': 'application/x-protobuf' }, 413],
  ['no usable span', JSON.stringify(exportOf(otlpSpan({ traceId: 'abcd' }))), JSON_TYPE, 400],
])('%s is refused', async (_name, body, headers, status) => {
  const project = await newProject()
  const answer = await project.export(body, headers as Record<string, string>)
  expect(answer.status).toBe(status)
  const isJson = (headers as Record<string, string>)['content-type'] === 'application/json'
  expect(answer.headers.get('content-type')).toContain(isJson ? 'application/json' : 'application/x-protobuf')
  expect(answer.text.length).toBeGreaterThan(10)
})

test.each([
  ['metrics', 'OTEL_METRICS_EXPORTER=none'],
  ['logs', 'OTEL_LOGS_EXPORTER=none'],
])('%s are discarded with one warning for each connection', async (signal, setting) => {
  const { apiKey, receiverUrl } = await newProject()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = async (type: string, path: string): Promise<{ status: number | undefined; text: string }> => {
    const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': type }
    const sending = request(`${receiverUrl}${path}/v1/${signal}`, { method: 'POST', agent, headers }).end('{"a":1}')
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() }
  }
  const first = await send('application/json', '/api/otlp')
  expect(JSON.parse(first.text).partialSuccess.errorMessage).toContain(setting)
  for (const path of ['/api/otlp', '/api', '', '/api/public/otel'])
    expect(await send('application/json', path)).toEqual({ status: 200, text: '{}' })
  expect(await send('application/x-protobuf', '')).toEqual({ status: 200, text: '' })
  agent.destroy()
  const other = await ask(`${receiverUrl}/v1/${signal}`, { method: 'POST', body: 'x' })
  expect(other.status).toBe(401)
})

test('JSON with other members and no resourceSpans is refused, an empty object is not', async () => {
  const project = await newProject()
  for (const body of [{ spans: [] }, { resourceMetrics: [] }, { resourcespans: [] }])
    expect(await project.export(body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('resourceSpans') },
    })
  expect(await project.export({})).toMatchObject({ status: 202, body: { count: 0, links: [] } })
  expect(await project.export({ resource_spans: [] })).toMatchObject({ status: 202 })
})

test('no body and no spans are fine', async () => {
  const project = await newProject()
  expect(await project.export('', JSON_TYPE)).toMatchObject({ status: 202, body: { count: 0, links: [] } })
  expect(await project.export({ resourceSpans: [] })).toMatchObject({ status: 202, body: { count: 0 } })
})

test('hostile values are stored, not stumbled over', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  const spans = [
    otlpSpan({ traceId, name: 'nul\u0000 and \ud800 and 😀' }, { 'a.b': 'nul\u0000', __proto__x: 1, constructor: 'c' }),
    otlpSpan({ traceId }, { big: 2n ** 63n - 1n, bigger: 9007199254740993n }),
    otlpSpan({ traceId, startTimeUnixNano: '1770000001000000000', endTimeUnixNano: '1770000000000000000' }),
    otlpSpan({ traceId, attributes: [{ key: 'deep', value: nested(40) }] }),
    otlpSpan({ traceId }, { 'ag.nonsense': 'x', 'ag.data.inputs': 'no json', 'ag.metrics.unit.tokens.total': 'many' }),
  ]
  const answer = await project.export(exportOf(...spans))
  expect(answer.body.count).toBe(spans.length)
  const [strange, big, backwards, deep, unfit] = await Promise.all(
    spans.map(span => spanAt(project, traceId, span.spanId)),
  )
  expect(strange.attributes).toMatchObject({ a: { b: 'nul\u0000' }, __proto__x: 1, constructor: 'c' })
  expect(backwards.attributes.ag.metrics.duration).toEqual({})
  expect(JSON.stringify(deep.attributes.deep)).toContain('deep')
  expect(unfit.attributes.ag.unsupported).toMatchObject({ nonsense: 'x', data: { inputs: 'no json' } })
  const { text } = await project.get(`/api/spans/${traceId}/${big.span_id}`)
  expect(text).toContain('"big":9223372036854775807')
  expect(text).toContain('"bigger":9007199254740993')
})

test('attributes nested a thousand deep do not harm their neighbours', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  const good = otlpSpan({ traceId })
  const answer = await project.export(
    exportOf(otlpSpan({ traceId, attributes: [{ key: 'x', value: nested(1000) }] }), good),
  )
  expect([202, 400]).toContain(answer.status)
  if (answer.status === 202) await spanAt(project, traceId, good.spanId)
})

test('the same trace sent five times counts once', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, name: 'root' })
  const child = otlpSpan({ traceId, parentSpanId: root.spanId, name: 'child' }, { 'ag.metrics.unit.tokens.total': 11 })
  for (let times = 0; times < 5; times++) expect((await project.export(exportOf(root, child))).body.count).toBe(2)
  const trace = await eventually(async () => {
    const { body } = await project.get(`/api/traces/${traceId}`)
    return body.trace?.spans.root?.spans?.child && body.trace
  })
  expect(trace.spans.root.attributes.ag.metrics.tokens).toEqual({ cumulative: { prompt: 0, completion: 0, total: 11 } })
  const all = await project.post('/api/spans/query', {})
  expect(all.body.count).toBe(2)
})

test('an answer in protobuf for who asks for it', async () => {
  const project = await newProject()
  const answer = await project.export(exportOf(otlpSpan({ traceId: newTraceId() })), {
    ...JSON_TYPE,
    accept: 'application/x-protobuf',
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-protobuf')
  const partial = await project.export(
    exportOf(otlpSpan({ traceId: newTraceId() }), otlpSpan({ traceId: newTraceId(), spanId: newSpanId().slice(8) })),
    { ...JSON_TYPE, accept: 'Application/X-Protobuf' },
  )
  expect(partial.status).toBe(200)
  expect(partial.text).toMatch(/span/)
})

test.each([
  'OTel-OTLP-Exporter-JavaScript/0.208.0',
  'OTel-OTLP-Exporter-Java/1.58.0',
  'OTel-OTLP-Exporter-Python/1.38.0',
  'OTel-OTLP-Exporter-Ruby/0.31.0 Ruby/3.4.1 (x86_64-linux; ruby)',
  'OTel-OTLP-Exporter-Dotnet/1.14.0',
  'OTel-OTLP-Exporter-Rust/0.31.0',
  'OTel-OTLP-Exporter-Cpp/1.23.0',
  'OTel OTLP Exporter Go/1.24.0',
  'OTel OTLP Exporter PHP/1.0',
  'OpenTelemetry Collector/0.140.0 (linux/amd64)',
  'OpenTelemetry Collector Contrib/0.140.0 (linux/amd64)',
  'AWS OTel Collector/v0.45.0 (linux/amd64)',
  'otelcol-contrib/0.140.0',
  'Custom-User-Agent/1.2.3 OTel-OTLP-Exporter-JavaScript/0.208.0',
])('%s gets protobuf for protobuf and JSON for JSON', async agent => {
  const project = await newProject()
  const headers = { 'content-type': 'application/x-protobuf', 'user-agent': agent }
  const answer = await project.export(new Uint8Array(), headers)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-protobuf'])
  const json = await project.export(exportOf(), { ...JSON_TYPE, 'user-agent': agent })
  expect([json.status, json.body]).toEqual([202, { count: 0, links: [] }])
})
