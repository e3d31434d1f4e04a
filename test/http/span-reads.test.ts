import { beforeAll, describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { dashed, exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const SECOND = 1_000_000_000n
const START = 1_770_109_200_000_000_000n // 2026-02-03T09:00:00Z

/** A span that starts so many seconds after nine. */
const at = (seconds: number, span: Partial<OtlpSpan> & { traceId: string }): OtlpSpan =>
  otlpSpan({
    startTimeUnixNano: String(START + BigInt(seconds) * SECOND),
    endTimeUnixNano: String(START + BigInt(seconds + 1) * SECOND),
    ...span,
  })

describe('by id', () => {
  let project: TestProject
  const one = newTraceId()
  const other = newTraceId()
  const spans = [
    at(3, { traceId: one, name: 'third' }),
    at(1, { traceId: one, name: 'first' }),
    at(2, { traceId: other, name: 'second' }),
  ]
  const [third, first, second] = spans as [OtlpSpan, OtlpSpan, OtlpSpan]
  const names = async (path: string): Promise<string[]> => {
    const { status, body } = await project.get(path)
    expect(status).toBe(200)
    expect(body.count).toBe(body.spans.length)
    return body.spans.map((span: any) => span.span_name)
  }

  beforeAll(async () => {
    project = await newProject()
    await project.store(...spans)
  })

  test.each([
    ['as it is', (id: string) => id],
    ['in upper case', (id: string) => id.toUpperCase()],
    ['with 0x', (id: string) => `0x${id}`],
    ['with 0x in upper case', (id: string) => `0x${id.toUpperCase()}`],
  ])('an id %s is understood and answered in lower case', async (_form, write) => {
    const { status, body } = await project.get(`/api/spans/${write(one)}/${write(first.spanId)}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 1, span: { trace_id: one, span_id: first.spanId, span_name: 'first' } })
    expect(await names(`/api/spans?trace_id=${write(one)}&span_id=${write(first.spanId)}`)).toEqual(['first'])
  })

  test('trace ids may be UUIDs, span ids the last half of one', async () => {
    const doubled = dashed(first.spanId + first.spanId)
    const { body } = await project.get(`/api/spans/${dashed(one)}/${doubled}`)
    expect(body).toMatchObject({ count: 1, span: { trace_id: one, span_id: first.spanId } })
  })

  test('lists are in order of start', async () => {
    expect(await names(`/api/spans/?trace_id=${one}`)).toEqual(['first', 'third'])
    expect(await names(`/api/spans/?trace_id=${other}&trace_id=${one}`)).toEqual(['first', 'second', 'third'])
    expect(await names(`/api/spans/?trace_ids=${other},${one}`)).toEqual(['first', 'second', 'third'])
    expect(await names(`/api/spans/?span_id=${third.spanId}&span_ids=${second.spanId}`)).toEqual(['second', 'third'])
  })

  test('ids are trimmed and count once', async () => {
    const list = [one, ` ${dashed(one)} `, one.toUpperCase(), ''].map(encodeURIComponent).join()
    expect(await names(`/api/spans/?trace_ids=${list}&trace_id=${one}`)).toEqual(['first', 'third'])
  })

  test('traces and spans restrict each other', async () => {
    expect(await names(`/api/spans/?trace_id=${one}&span_ids=${third.spanId},${second.spanId}`)).toEqual(['third'])
    expect(await names(`/api/spans/?trace_id=${other}&span_id=${third.spanId}`)).toEqual([])
  })

  test('nothing found is no error', async () => {
    expect(await project.get(`/api/spans/${newTraceId()}/${first.spanId}`)).toMatchObject({
      status: 200,
      body: { count: 0 },
    })
    expect((await project.get(`/api/spans/${one}/${newSpanId()}`)).body).toEqual({ count: 0 })
    expect((await project.get(`/api/spans/${other}/${first.spanId}`)).body).toEqual({ count: 0 })
    expect((await project.get(`/api/spans/?trace_id=${newTraceId()}`)).body).toEqual({ count: 0, spans: [] })
  })

  test.each([
    ['', 'trace_id'],
    ['?trace_ids=', 'trace_id'],
    ['?trace_ids=,%20,', 'trace_id'],
    ['?trace_id=abc', 'trace_id'],
    [`?trace_id=${one}&trace_id=${one}0`, 'trace_id'],
    [`?trace_ids=${one},xyz`, 'trace_id'],
    [`?span_id=${one.slice(0, 15)}`, 'span_id'],
    [`?trace_id=${one}&span_ids=g${newSpanId().slice(1)}`, 'span_id'],
    [`?trace_id=${'0'.repeat(32)}`, 'trace_id'],
  ])('the list %s is refused', async (parameters, named) => {
    const answer = await project.get(`/api/spans/${parameters}`)
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(named) } })
  })

  test.each([
    [`abc/${first.spanId}`, 'trace_id'],
    [`${one.slice(16)}/${first.spanId}`, 'trace_id'],
    [`${one}/abc`, 'span_id'],
    [`${one}/${first.spanId}0`, 'span_id'],
    [`${one}/null`, 'span_id'],
  ])('the path %s is refused', async (path, named) => {
    const answer = await project.get(`/api/spans/${path}`)
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(named) } })
  })
})

describe.concurrent('the shape of a span', () => {
  const onlySpan = async (span: OtlpSpan): Promise<any> => {
    const project = await newProject()
    await project.store(span)
    return (await project.get(`/api/spans/${span.traceId}/${span.spanId}`)).body.span
  }

  test('a root with everything', async () => {
    const span = otlpSpan(
      {
        traceId: newTraceId(),
        name: 'answer_question',
        kind: 2,
        startTimeUnixNano: '1770110100250000000',
        endTimeUnixNano: '1770110102750000000',
        status: { code: 1, message: 'fine' },
        events: [
          { name: 'note', timeUnixNano: '1770110101000000000', attributes: [{ key: 'a.b', value: { intValue: '1' } }] },
        ],
        links: [{ traceId: 'AB'.repeat(16), spanId: 'CD'.repeat(8) }],
      },
      {
        'ag.type.node': 'workflow',
        'ag.session.id': 'chat-42',
        'ag.user.id': 'u-7',
        'ag.agent.id': 'a-1',
        'ag.data.inputs': '{"question":"Capital of Peru?"}',
        'ag.data.outputs': 'Lima',
        'ag.metrics.unit.tokens.prompt': 20,
        'ag.metrics.unit.tokens.completion': 4,
        'ag.metrics.unit.tokens.total': 24,
        'ag.metrics.unit.costs.total': 0.00003,
        'ag.refs.application.slug': 'geo-bot',
      },
    )
    const stored = await onlySpan(span)
    expect(stored).toMatchObject({
      trace_id: span.traceId,
      span_id: span.spanId,
      trace_type: 'invocation',
      span_type: 'workflow',
      span_kind: 'SPAN_KIND_SERVER',
      span_name: 'answer_question',
      start_time: '2026-02-03T09:15:00.250000Z',
      end_time: '2026-02-03T09:15:02.750000Z',
      status_code: 'STATUS_CODE_OK',
      status_message: 'fine',
      session_id: 'chat-42',
      user_id: 'u-7',
      agent_id: 'a-1',
      references: [{ slug: 'geo-bot', attributes: { key: 'application' } }],
      links: [{ trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8), attributes: {} }],
      hashes: [{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), attributes: { key: 'indirect' } }],
      events: [{ name: 'note', timestamp: '2026-02-03T09:15:01Z', attributes: { 'a.b': 1 } }],
      created_by_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(stored.attributes.ag).toEqual({
      type: { trace: 'invocation', span: 'workflow' },
      data: { inputs: { question: 'Capital of Peru?' }, outputs: 'Lima' },
      session: { id: 'chat-42' },
      user: { id: 'u-7' },
      agent: { id: 'a-1' },
      references: { application: { slug: 'geo-bot' } },
      metrics: {
        duration: { cumulative: 2500 },
        errors: expect.any(Object),
        tokens: {
          incremental: { prompt: 20, completion: 4, total: 24 },
          cumulative: { prompt: 20, completion: 4, total: 24 },
        },
        costs: { incremental: { total: 0.00003 }, cumulative: expect.objectContaining({ total: 0.00003 }) },
      },
    })
    expect(Math.abs(Date.parse(stored.created_at) - Date.now())).toBeLessThan(60_000)
    for (const absent of [
      'parent_id',
      'updated_at',
      'updated_by_id',
      'deleted_at',
      'deleted_by_id',
      'exception',
      'spans',
    ])
      expect(stored).not.toHaveProperty(absent)
  })

  test('the least that a span can be', async () => {
    const span: OtlpSpan = { traceId: newTraceId(), spanId: newSpanId() }
    const stored = await onlySpan(span)
    expect(Object.keys(stored).sort()).toEqual(
      [
        'attributes',
        'created_at',
        'created_by_id',
        'end_time',
        'span_id',
        'span_kind',
        'span_name',
        'span_type',
        'start_time',
        'status_code',
        'trace_id',
        'trace_type',
      ].sort(),
    )
    expect(stored).toMatchObject({
      span_kind: 'SPAN_KIND_UNSPECIFIED',
      span_type: 'task',
      trace_type: 'invocation',
      status_code: 'STATUS_CODE_UNSET',
    })
    expect(stored.attributes.ag).toEqual({
      type: { trace: 'invocation' },
      data: {},
      metrics: { duration: {}, errors: {}, tokens: {}, costs: {} },
    })
  })

  test('kinds and status codes are words, an empty status message is none', async () => {
    const project = await newProject()
    const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
    const codes = ['UNSET', 'OK', 'ERROR']
    const spans = [
      ...kinds.map((name, kind) => otlpSpan({ traceId: newTraceId(), name, kind })),
      ...codes.map((name, code) => otlpSpan({ traceId: newTraceId(), name, status: { code, message: '' } })),
    ]
    await project.store(...spans)
    const stored = (await project.get(`/api/spans/?trace_ids=${spans.map(span => span.traceId).join()}`)).body.spans
    const byName = Object.fromEntries(stored.map((span: any) => [span.span_name, span]))
    for (const kind of kinds) expect(byName[kind].span_kind).toBe(`SPAN_KIND_${kind}`)
    for (const code of codes) expect(byName[code].status_code).toBe(`STATUS_CODE_${code}`)
    for (const span of stored) expect(span).not.toHaveProperty('status_message')
  })

  test('times are UTC with six digits after the point or none; nanoseconds are rounded', async () => {
    const stored = await onlySpan(
      otlpSpan({
        traceId: newTraceId(),
        startTimeUnixNano: '1770110100000000000',
        endTimeUnixNano: '1770110100000001499',
      }),
    )
    expect(stored).toMatchObject({ start_time: '2026-02-03T09:15:00Z', end_time: '2026-02-03T09:15:00.000001Z' })
    expect(stored.attributes.ag.metrics.duration).toEqual({ cumulative: 0.001 })
    const open = await onlySpan(
      otlpSpan({ traceId: newTraceId(), startTimeUnixNano: '1770110100000000000', endTimeUnixNano: '0' }),
    )
    expect(open).toMatchObject({ start_time: '2026-02-03T09:15:00Z', end_time: '1970-01-01T00:00:00Z' })
    expect(open.attributes.ag.metrics.duration).toEqual({})
  })

  test('attributes keep their nulls, names and numbers', async () => {
    const span = otlpSpan({ traceId: newTraceId() }, { 'a.b.c': 1, 'a.b.d': [1.5, true, 'x'], empty: {}, list: [] })
    span.attributes?.push(
      { key: 'nothing', value: {} },
      { key: 'bytes', value: { bytesValue: Buffer.from([0xff, 0x00]).toString('base64') } },
    )
    const { attributes } = await onlySpan(span)
    expect(attributes).toMatchObject({
      a: { b: { c: 1, d: [1.5, true, 'x'] } },
      empty: {},
      list: [],
      nothing: null,
      bytes: '/wA=',
      resource: { service: { name: 'tests' } },
      scope: { name: 'tests' },
    })
  })

  test('an all-zero parent is none', async () => {
    const stored = await onlySpan(otlpSpan({ traceId: newTraceId(), parentSpanId: '0'.repeat(16) }))
    expect(stored).not.toHaveProperty('parent_id')
  })

  test('session and user are on the root only', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId }, { 'ag.session.id': 's', 'ag.user.id': 'u' })
    const child = otlpSpan({ traceId, parentSpanId: root.spanId }, { 'ag.session.id': 's', 'ag.user.id': 'u' })
    await project.store(root, child)
    const read = async ({ spanId }: OtlpSpan) => (await project.get(`/api/spans/${traceId}/${spanId}`)).body.span
    expect(await read(root)).toMatchObject({ session_id: 's', user_id: 'u' })
    const stored = await read(child)
    expect(stored).not.toHaveProperty('session_id')
    expect(stored).not.toHaveProperty('user_id')
    expect(stored.attributes.ag.session).toEqual({ id: 's' })
  })
})

describe.concurrent('a span that comes again', () => {
  test('replaces the one before in every respect, except that it keeps when it was created', async () => {
    const project = await newProject()
    const first = otlpSpan(
      { traceId: newTraceId(), name: 'before', status: { code: 2, message: 'bad' }, events: [{ name: 'e' }] },
      { 'only.before': 1, both: 'before', 'ag.session.id': 's', 'ag.refs.application.slug': 'x' },
    )
    await project.store(first)
    const path = `/api/spans/${first.traceId}/${first.spanId}`
    const before = (await project.get(path)).body.span
    const again = otlpSpan({ traceId: first.traceId, spanId: first.spanId, name: 'after' }, { both: 'after', more: 2 })
    await project.export(exportOf(again))
    const after = await eventually(async () => {
      const { span } = (await project.get(path)).body
      return span.span_name === 'after' && span
    })
    expect(after).toMatchObject({ status_code: 'STATUS_CODE_UNSET', attributes: { both: 'after', more: 2 } })
    expect(after.attributes).not.toHaveProperty('only')
    for (const gone of ['events', 'references', 'hashes', 'session_id', 'status_message'])
      expect(after).not.toHaveProperty(gone)
    expect(after).toMatchObject({ created_at: before.created_at, created_by_id: before.created_by_id })
    expect(after.updated_at > before.created_at).toBe(true)
    expect(after.updated_by_id).toBe(before.created_by_id)
    expect((await project.post('/api/spans/query')).body.count).toBe(1)
  })

  test('within one export the last one counts, once', async () => {
    const project = await newProject()
    const ids = { traceId: newTraceId(), spanId: newSpanId() }
    const answer = await project.export(exportOf(otlpSpan({ ...ids, name: 'a' }), otlpSpan({ ...ids, name: 'b' })))
    expect(answer.body).toMatchObject({ count: 1, links: [{ trace_id: ids.traceId, span_id: ids.spanId }] })
    const span = await eventually(async () => (await project.get(`/api/spans/${ids.traceId}/${ids.spanId}`)).body.span)
    expect(span.span_name).toBe('b')
    expect((await project.post('/api/spans/query')).body.count).toBe(1)
  })
})
