import { beforeAll, describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

/** Each row's span is stored with these attributes and has what follows in its `attributes.ag`; undefined: absent. */
const AG_ROWS: [name: string, attributes: Record<string, unknown>, ag: Record<string, unknown>][] = [
  ['inputs as JSON text', { 'ag.data.inputs': '{"a":{"b":[1]}}' }, { 'data.inputs': { a: { b: [1] } } }],
  ['inputs below', { 'ag.data.inputs.a': 1, 'ag.data.inputs.b.c': 2 }, { 'data.inputs': { a: 1, b: { c: 2 } } }],
  ['outputs stay text', { 'ag.data.outputs': '{"a":1}' }, { 'data.outputs': '{"a":1}' }],
  ['outputs of any kind', { 'ag.data.outputs': [1, 'x'] }, { 'data.outputs': [1, 'x'] }],
  ['wrapped outputs', { 'ag.data.outputs.__default__': 'Lima' }, { 'data.outputs': 'Lima' }],
  [
    'parameters and internals',
    { 'ag.data.parameters': '{"model":"m"}', 'ag.data.internals.k': true },
    { 'data.parameters': { model: 'm' }, 'data.internals': { k: true } },
  ],
  [
    'inputs that are no JSON',
    { 'ag.data.inputs': 'no json', 'ag.data.outputs': 'ok' },
    { 'data.inputs': undefined, 'data.outputs': 'ok', 'unsupported.data.inputs': 'no json' },
  ],
  [
    'inputs that are JSON but no object',
    { 'ag.data.inputs': '[1,2]', 'ag.data.parameters': '5' },
    { 'data.inputs': undefined, 'unsupported.data': { inputs: '[1,2]', parameters: '5' } },
  ],
  ['inputs of another type', { 'ag.data.inputs': 7 }, { 'data.inputs': undefined, 'unsupported.data.inputs': 7 }],
  ['unknown data', { 'ag.data.extra': 'x' }, { 'data.extra': undefined, 'unsupported.data.extra': 'x' }],
  [
    'unknown keys',
    { 'ag.version': '1', 'ag.node.name': 'n' },
    { version: undefined, 'unsupported.version': '1', 'unsupported.node': { name: 'n' } },
  ],
  ['a number that is text', { 'ag.metrics.unit.tokens.total': '12' }, { 'metrics.tokens.incremental.total': 12 }],
  [
    'a number that is none, beside one that is',
    { 'ag.metrics.unit.tokens.total': 'many', 'ag.metrics.unit.tokens.prompt': 3 },
    { 'metrics.tokens.incremental.prompt': 3, 'unsupported.metrics.tokens.incremental.total': 'many' },
  ],
  [
    'tokens and costs of its own',
    { 'ag.metrics.unit.tokens.prompt': 1, 'ag.metrics.unit.tokens.cached': 5, 'ag.metrics.unit.costs.total': 0.5 },
    { 'metrics.tokens.incremental': { prompt: 1, cached: 5 }, 'metrics.costs.incremental': { total: 0.5 } },
  ],
  [
    'other metrics',
    { 'ag.metrics.unit.joy': 1 },
    { 'metrics.joy': undefined, 'unsupported.metrics': expect.anything() },
  ],
  ['the SDK’s own duration', { 'ag.metrics.acc.duration.total': 99 }, { 'metrics.duration.cumulative': 1000 }],
  [
    'references',
    {
      'ag.refs.application.slug': 'geo-bot',
      'ag.references.evaluator.id': '0D9F8E7C111142228333944455556666',
      'ag.references.testset_revision.version': 3,
    },
    {
      references: {
        application: { slug: 'geo-bot' },
        evaluator: { id: '0d9f8e7c-1111-4222-8333-944455556666' },
        testset_revision: { version: '3' },
      },
    },
  ],
  [
    'references to a variant and an environment',
    {
      'ag.references.variant.slug': 'v',
      'ag.references.variant.version': '2',
      'ag.references.environment.slug': 'production',
      'ag.references.environment.version': '9',
    },
    {
      'references.application_variant': { slug: 'v' },
      'references.application_revision': { version: '2' },
      'references.environment': { slug: 'production' },
      'references.environment_revision': { version: '9' },
    },
  ],
  [
    'one bad reference does not spoil the others',
    { 'ag.refs.application.slug': 'ok', 'ag.refs.testcase.id': 'no uuid', 'ag.refs.evaluator.slug': 'a slug!' },
    {
      'references.application': { slug: 'ok' },
      'references.testcase': undefined,
      'unsupported.references.testcase.id': 'no uuid',
      'unsupported.references.evaluator.slug': 'a slug!',
    },
  ],
  ['an unknown reference', { 'ag.refs.planet.slug': 'mars' }, { 'unsupported.references.planet': { slug: 'mars' } }],
  [
    'flags and tags',
    { 'ag.flags.is_custom': true, 'ag.flags.n': 1, 'ag.tags.team': 'qa', 'ag.tags.a.b': 'c' },
    { flags: { is_custom: true, n: true }, tags: { team: 'qa', a: { b: 'c' } } },
  ],
  [
    'a tag that is none, beside one that is',
    { 'ag.tags.team': 'qa', 'ag.tags.weight': 2.5 },
    { tags: { team: 'qa' }, 'unsupported.tags.weight': 2.5 },
  ],
  [
    'meta of any JSON, its configuration moved',
    { 'ag.meta.request.model': 'm', 'ag.meta.list': [1], 'ag.meta.configuration.temperature': 0.5 },
    { meta: { request: { model: 'm' }, list: [1] }, 'data.parameters': { temperature: 0.5 } },
  ],
  ['meta that is no object', { 'ag.meta': 'text' }, { meta: undefined, 'unsupported.meta': 'text' }],
  ['session and user', { 'ag.session.id': 's', 'ag.user.id': 'u' }, { session: { id: 's' }, user: { id: 'u' } }],
  [
    'a session that is no text',
    { 'ag.session.id': 5 },
    { session: undefined, 'unsupported.session': expect.anything() },
  ],
  ['a selector', { 'ag.selector.key': 'k', 'ag.selector.n': 1 }, { 'selector.key': 'k', 'unsupported.selector.n': 1 }],
  ['what was parked before', { 'ag.unsupported.old': 'x', 'ag.new': 'y' }, { unsupported: { old: 'x', new: 'y' } }],
  ['no object at all', { ag: 'text' }, { 'unsupported._invalid': 'text' }],
  ['a type from the node', { 'ag.type.node': 'CHAT' }, { 'type.span': 'chat' }],
  ['a type as it is', { 'ag.type.span': 'llm', 'ag.type.node': 'chat' }, { 'type.span': 'llm' }],
  ['no type', {}, { type: { trace: 'invocation' }, unsupported: undefined }],
  ['a type that is none', { 'ag.type.span': 'novel', 'ag.type.trace': 'novel' }, { type: { trace: 'invocation' } }],
  ['a marker for JSON', { 'ag.data.outputs': '@ag.type=json:{"a":[1]}' }, { 'data.outputs': { a: [1] } }],
  ['a marker for nothing', { 'ag.meta.x': '@ag.type=none:', 'ag.meta.y': 1 }, { meta: { x: null, y: 1 } }],
  ['a broken marker', { 'ag.meta.x': '@ag.type=json:{', 'ag.meta.y': 1 }, { 'meta.y': 1 }],
]

describe('attributes', () => {
  let stored: Record<string, any>

  beforeAll(async () => {
    const project = await newProject()
    const spans = AG_ROWS.map(([name, attributes]) => otlpSpan({ traceId: newTraceId(), name }, attributes))
    await project.store(...spans)
    const { body } = await project.post('/api/spans/query', {})
    stored = Object.fromEntries(body.spans.map((span: any) => [span.span_name, span]))
  })

  test.each(AG_ROWS)('%s', (name, _attributes, expected) => {
    const { ag } = stored[name].attributes
    const at = (path: string): unknown => path.split('.').reduce((value: any, key) => value?.[key], ag)
    for (const [path, value] of Object.entries(expected)) expect(at(path), path).toEqual(value)
    for (const required of ['type', 'data', 'metrics']) expect(ag).toHaveProperty(required)
    for (const metric of ['duration', 'errors', 'tokens', 'costs']) expect(ag.metrics).toHaveProperty(metric)
  })

  test.each([
    [{ 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
    [{ 'a.0.x': 1, 'a.2.x': 3 }, { a: [{ x: 1 }, {}, { x: 3 }] }],
    [{ 'a.0': 'x', 'a.1': 'y' }, { a: ['x', 'y'] }],
    [{ a: { k: 1 }, 'a.b': 2 }, { a: { k: 1, b: 2 } }],
    [{ 'gen_ai.request.model': 'm' }, { gen_ai: { request: { model: 'm' } } }],
  ])('%j are nested by their dots', async (attributes, nested) => {
    const project = await newProject()
    const span = otlpSpan({ traceId: newTraceId() }, attributes)
    await project.store(span)
    const { body } = await project.get(`/api/spans/${span.traceId}/${span.spanId}`)
    expect(body.span.attributes).toMatchObject(nested)
  })
})

describe.concurrent('the type of a trace', () => {
  const link = (key?: string): object => ({
    traceId: newTraceId(),
    spanId: newSpanId(),
    attributes: key === undefined ? [] : [{ key: 'key', value: { stringValue: key } }],
  })
  const typesOf = async (project: TestProject, count: number): Promise<string[]> => {
    const { body } = await project.post('/api/spans/query', {})
    expect(body.count).toBe(count)
    for (const span of body.spans) expect(span.attributes.ag.type.trace).toBe(span.trace_type)
    return body.spans.map((span: any) => span.trace_type)
  }
  const trace = (child: Partial<OtlpSpan> = {}, attributes = {}): [OtlpSpan, OtlpSpan] => {
    const root = otlpSpan({ traceId: newTraceId(), name: 'root' })
    return [root, otlpSpan({ traceId: root.traceId, parentSpanId: root.spanId, name: 'child', ...child }, attributes)]
  }

  test('is invocation, also when a link has no name', async () => {
    const project = await newProject()
    await project.store(...trace(), ...trace({ links: [link()] }))
    expect(await typesOf(project, 4)).toEqual(Array(4).fill('invocation'))
  })

  test('is annotation for all its spans when a link of one has a name', async () => {
    const project = await newProject()
    await project.store(...trace({ links: [link('invocation')] }))
    expect(await typesOf(project, 2)).toEqual(['annotation', 'annotation'])
  })

  test('is as declared, whatever is linked', async () => {
    const project = await newProject()
    await project.store(...trace({ links: [link('invocation')] }, { 'ag.type.trace': 'invocation' }))
    await project.store(...trace({}, { 'ag.type.trace': 'annotation' }))
    expect((await typesOf(project, 4)).sort()).toEqual(['annotation', 'annotation', 'invocation', 'invocation'])
  })

  test('is the same for all spans however they arrive', async () => {
    const project = await newProject()
    const [root, child] = trace({ links: [link('invocation')] })
    await project.store(root)
    expect(await typesOf(project, 1)).toEqual(['invocation'])
    await project.store(child)
    await eventually(async () => (await typesOf(project, 2)).every(type => type === 'annotation'))
  })
})

describe.concurrent('references, links and hashes', () => {
  const refs = {
    'ag.refs.application.slug': 'geo-bot',
    'ag.refs.application.version': '2',
    'ag.refs.evaluator.id': '0d9f8e7c-1111-4222-8333-944455556666',
  }
  const invocation = {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    attributes: [{ key: 'key', value: { stringValue: 'invocation' } }],
  }

  test('are listed with their keys; the hash is that of the interface', async () => {
    const project = await newProject()
    const span = otlpSpan({ traceId: newTraceId(), links: [invocation, { ...invocation, attributes: [] }] }, refs)
    await project.store(span)
    const { body } = await project.get(`/api/spans/${span.traceId}/${span.spanId}`)
    expect(body.span.references).toHaveLength(2)
    expect(body.span.references).toEqual(
      expect.arrayContaining([
        { slug: 'geo-bot', version: '2', attributes: { key: 'application' } },
        { id: '0d9f8e7c-1111-4222-8333-944455556666', attributes: { key: 'evaluator' } },
      ]),
    )
    const ids = { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) }
    expect(body.span.links).toEqual([
      { ...ids, attributes: { key: 'invocation' } },
      { ...ids, attributes: {} },
    ])
    // BLAKE2b-16 of the sorted JSON, computed apart.
    expect(body.span.hashes).toEqual([{ id: '67ee5c49-49a9-a11b-c04b-a13605bf192d', attributes: { key: 'indirect' } }])
  })

  test('equal sets have equal hashes, others do not, and no set has none', async () => {
    const project = await newProject()
    const reversed = Object.fromEntries(Object.entries(refs).reverse())
    const rows: [string, Partial<OtlpSpan>, Record<string, unknown>][] = [
      ['same', { links: [invocation] }, refs],
      ['same', { links: [invocation] }, { ...reversed, other: 1, 'ag.data.outputs': 'x' }],
      [
        'same',
        { links: [invocation] },
        { ...refs, 'ag.refs.testset_revision.slug': 'tests', 'ag.refs.testset_variant.slug': 't' },
      ],
      ['no link', {}, refs],
      ['other version', { links: [invocation] }, { ...refs, 'ag.refs.application.version': '3' }],
      ['more', { links: [invocation] }, { ...refs, 'ag.refs.testcase.id': '0d9f8e7c-1111-4222-8333-944455556667' }],
      ['single', {}, { 'ag.refs.application.slug': 'geo-bot' }],
      ['none', { links: [{ ...invocation, attributes: [] }] }, {}],
      ['none', {}, { 'ag.refs.testset_revision.slug': 'tests' }],
    ]
    await project.store(
      ...rows.map(([name, span, attributes]) => otlpSpan({ traceId: newTraceId(), name, ...span }, attributes)),
    )
    const { body } = await project.post('/api/spans/query', {})
    const hashes = Map.groupBy(body.spans as any[], span => span.span_name)
    const of = (name: string): Set<string> => new Set(hashes.get(name)?.map(span => span.hashes?.[0].id))
    expect(of('same')).toEqual(new Set(['67ee5c49-49a9-a11b-c04b-a13605bf192d']))
    expect(of('single')).toEqual(new Set(['b8ee9f69-b5ee-5515-fcd3-a9abcc6d688c']))
    expect(of('none')).toEqual(new Set([undefined]))
    expect(new Set(['same', 'no link', 'other version', 'more', 'single'].flatMap(name => [...of(name)])).size).toBe(5)
  })
})

describe.concurrent('exceptions', () => {
  const exception = (message: string, more: object[] = []) => ({
    name: 'exception',
    timeUnixNano: '1770110101000000000',
    attributes: [
      { key: 'exception.type', value: { stringValue: 'TimeoutError' } },
      { key: 'exception.message', value: { stringValue: message } },
      { key: 'exception.stacktrace', value: { stringValue: 'at f' } },
      ...more,
    ],
  })

  test('fill ag.exception from the first event, are counted, and stay events with dotted names', async () => {
    const project = await newProject()
    const span = otlpSpan({
      traceId: newTraceId(),
      events: [{ name: 'note' }, exception('first', [{ key: 'retry', value: { intValue: '3' } }]), exception('second')],
    })
    await project.store(span)
    const stored = (await project.get(`/api/spans/${span.traceId}/${span.spanId}`)).body.span
    expect(stored.attributes.ag.exception).toMatchObject({
      type: 'TimeoutError',
      message: 'first',
      stacktrace: 'at f',
      timestamp: '2026-02-03T09:15:01Z',
      attributes: { retry: 3 },
    })
    expect(stored.attributes.ag.metrics.errors).toEqual({ incremental: 2, cumulative: 2 })
    expect(stored.events.map((event: any) => event.name)).toEqual(['note', 'exception', 'exception'])
    expect(stored.events[2]).toMatchObject({
      timestamp: '2026-02-03T09:15:01Z',
      attributes: { 'exception.type': 'TimeoutError', 'exception.message': 'second' },
    })
  })

  test('that the client describes itself stay as they are', async () => {
    const project = await newProject()
    const span = otlpSpan({ traceId: newTraceId(), events: [exception('event')] }, { 'ag.exception.message': 'mine' })
    await project.store(span)
    const { ag } = (await project.get(`/api/spans/${span.traceId}/${span.spanId}`)).body.span.attributes
    expect(ag.exception).toEqual({ message: 'mine' })
  })

  test('are not what a failed status alone means; other events make the count zero', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const failed = otlpSpan({ traceId, name: 'failed', status: { code: 2, message: 'bad' } })
    const noted = otlpSpan({ traceId, name: 'noted', events: [{ name: 'note' }] }, { 'ag.metrics.unit.errors': 7 })
    await project.store(failed, noted)
    const read = async ({ spanId }: OtlpSpan) => (await project.get(`/api/spans/${traceId}/${spanId}`)).body.span
    const { status_code, attributes } = await read(failed)
    expect(status_code).toBe('STATUS_CODE_ERROR')
    expect(attributes.ag.metrics.errors).toEqual({})
    expect(attributes.ag).not.toHaveProperty('exception')
    expect((await read(noted)).attributes.ag.metrics.errors).toMatchObject({ incremental: 0 })
  })
})

test('bad spans and bad links do no harm to good ones', async () => {
  const project = await newProject()
  const good = otlpSpan({
    traceId: newTraceId(),
    links: [
      { traceId: 'ab', spanId: 'cd' },
      { traceId: newTraceId(), spanId: newSpanId() },
    ],
  })
  const { body } = await project.export(
    exportOf(
      otlpSpan({ traceId: newTraceId(), kind: 17 }),
      good,
      otlpSpan({ traceId: newTraceId(), status: { code: 9 } }),
    ),
  )
  expect(body).toMatchObject({ count: 1, links: [{ span_id: good.spanId }], partialSuccess: { rejectedSpans: 2 } })
  const span = await eventually(async () => (await project.get(`/api/spans/${good.traceId}/${good.spanId}`)).body.span)
  expect(span.links).toHaveLength(1)
})

test('JSON text declared as plain text stays text, and the attribute is as it was sent', async () => {
  const project = await newProject()
  const text = '{ "answer": "It is sunny in Bari, and it will stay so until the weekend." }'
  const span = otlpSpan({ traceId: newTraceId() }, { 'output.value': text, 'output.mime_type': 'text/plain' })
  await project.store(span)
  const { attributes } = (await project.get(`/api/spans/${span.traceId}/${span.spanId}`)).body.span
  expect(attributes).toMatchObject({ ag: { data: { outputs: text } }, output: { value: text } })
})
