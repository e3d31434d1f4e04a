import type { Json, JsonObject, SpanEvent, SpanLink } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { ACCEPTED, END, SKELETON, START, spanOf } from '../conventions/drafts.testing.ts'
import { spanIdOf, traceIdOf } from '../exports.testing.ts'

const HASHES = { application: 'b8ee9f69-b5ee-5515-fcd3-a9abcc6d688c', both: 'b3056fc7-d759-0e3c-6f25-27a6cfcc0c4a' }
const ID = '0d9f8e7c-1111-4222-8333-944455556666'
const link = (key?: string): SpanLink => ({
  trace_id: traceIdOf('linked'),
  span_id: spanIdOf('linked'),
  ...(key === undefined ? {} : { attributes: { key } }),
})

test('a span of nothing has the skeleton', () => {
  expect(spanOf({})).toEqual({
    trace_id: traceIdOf('trace'),
    span_id: spanIdOf('span'),
    span_type: 'task',
    span_kind: 'SPAN_KIND_INTERNAL',
    span_name: 'span',
    start_time: START,
    end_time: END,
    status_code: 'STATUS_CODE_UNSET',
    attributes: { ag: SKELETON },
  })
})

test('the root of the worked example in section 4.2, as the SDK sends it', () => {
  const { attributes, references, ...span } = spanOf({
    'ag.type.trace': 'invocation',
    'ag.type.node': 'workflow',
    'ag.data.inputs': '{"question":"Capital of Peru?"}',
    'ag.data.outputs': '@ag.type=json:{"__default__":"Lima"}',
    'ag.session.id': 'chat-42',
    'ag.user.id': 'u-7',
    'ag.refs.application.slug': 'geo-bot',
    'ag.metrics.acc.duration.total': 2400,
    'ag.metrics.acc.tokens.total': 24,
  })
  expect(attributes).toEqual({
    ag: {
      type: { trace: 'invocation', span: 'workflow' },
      data: { inputs: { question: 'Capital of Peru?' }, outputs: 'Lima' },
      session: { id: 'chat-42' },
      user: { id: 'u-7' },
      metrics: { duration: {}, errors: {}, tokens: { cumulative: { total: 24 } }, costs: {} },
      references: { application: { slug: 'geo-bot' } },
    },
  })
  expect(references).toEqual([{ slug: 'geo-bot', attributes: { key: 'application' } }])
  expect(span).toMatchObject({
    span_type: 'workflow',
    declared_trace_type: 'invocation',
    session_id: 'chat-42',
    user_id: 'u-7',
  })
})

describe('types (section 5.2)', () => {
  test.each<[JsonObject, string]>([
    [{}, 'task'],
    [{ 'ag.type.span': 'llm' }, 'llm'],
    [{ 'ag.type.span': 'unknown' }, 'unknown'],
    [{ 'ag.type.span': 'bogus' }, 'task'],
    [{ 'ag.type.node': 'Chat' }, 'chat'],
    [{ 'ag.type.span': 'llm', 'ag.type.node': 'chat' }, 'llm'],
    [{ ag: { type: { node: 'tool' } } }, 'tool'],
  ])('%j', (attributes, span_type) => {
    expect(spanOf(attributes).span_type).toBe(span_type)
  })

  test('the field beside the attributes counts where they name no type', () => {
    expect(spanOf({}, { span_type: 'agent' }).span_type).toBe('agent')
    expect(spanOf({ 'ag.type.span': 'llm' }, { span_type: 'agent' }).span_type).toBe('llm')
    expect(spanOf({ 'ag.type.span': 'bogus' }, { span_type: 'agent' }).span_type).toBe('agent')
  })

  test('the default is not written into the attributes', () => {
    expect(spanOf({}, { span_type: 'agent' }).attributes.ag.type).toEqual({})
  })

  test.each<[string, JsonObject, SpanLink[] | undefined, string | undefined, boolean | undefined]>([
    ['nothing', {}, undefined, undefined, undefined],
    ['an empty list of links', {}, [], undefined, undefined],
    ['a link without a name', {}, [link()], undefined, undefined],
    ['a link with an empty name', {}, [link('')], undefined, undefined],
    ['a link with a name', {}, [link(), link('invocation')], 'annotation', false],
    ['a declared type', { 'ag.type.trace': 'invocation' }, [link('invocation')], 'invocation', true],
    ['a declared annotation', { 'ag.type.trace': 'annotation' }, undefined, 'annotation', true],
    ['a declared unknown', { 'ag.type.trace': 'unknown' }, undefined, 'unknown', true],
    ['an invalid declaration', { 'ag.type.trace': 'x' }, [link('a')], 'annotation', false],
  ])('trace type from %s', (_, attributes, links, declared_trace_type, is_trace_type_explicit) => {
    const span = spanOf(attributes, { links })
    expect([span.declared_trace_type, span.is_trace_type_explicit]).toEqual([
      declared_trace_type,
      is_trace_type_explicit,
    ])
  })
})

describe('times and status', () => {
  test.each([
    ['both', { start_time: START, end_time: END }, START, END],
    ['no end', { start_time: START, end_time: undefined }, START, START],
    ['no start', { start_time: undefined, end_time: END }, END, END],
    ['neither', { start_time: undefined, end_time: undefined }, ACCEPTED, ACCEPTED],
    ['an end before the start', { start_time: END, end_time: START }, END, START],
  ])('%s', (_, members, start_time, end_time) => {
    expect(spanOf({}, members)).toMatchObject({ start_time, end_time })
  })

  test('a client’s duration stays only where the times say nothing', () => {
    const attributes = { 'ag.metrics.duration.cumulative': 7, 'ag.metrics.duration.incremental': 3 }
    expect(spanOf(attributes).attributes.ag.metrics).toMatchObject({ duration: { incremental: 3 } })
    expect(spanOf(attributes).attributes.ag.metrics).not.toMatchObject({ duration: { cumulative: 7 } })
    for (const end_time of [START, START - 5])
      expect(spanOf(attributes, { end_time }).attributes.ag.metrics).toMatchObject({ duration: { cumulative: 7 } })
  })

  test('an empty status message is none', () => {
    expect(spanOf({}, { status_message: '' }).status_message).toBeUndefined()
    expect(spanOf({}, { status_message: 'no' }).status_message).toBe('no')
  })
})

describe('session, user and agent', () => {
  test('are lifted from the attributes', () => {
    const attributes = { 'ag.session.id': 's', 'ag.user.id': 'u', 'ag.agent.id': 'a' }
    expect(spanOf(attributes)).toMatchObject({ session_id: 's', user_id: 'u', agent_id: 'a' })
    expect(spanOf({ 'ag.session.id': 5 }).session_id).toBeUndefined()
  })
})

describe('events (section 7.3)', () => {
  const exception = (type: string, more: JsonObject = {}): SpanEvent => ({
    name: 'exception',
    timestamp: START + 250_000,
    attributes: { 'exception.type': type, 'exception.message': 'm', 'exception.stacktrace': 's', ...more },
  })
  const other: SpanEvent = { name: 'retry', timestamp: START }

  test.each<[string, SpanEvent[] | undefined, JsonObject]>([
    ['no events', undefined, { incremental: 9 }],
    ['an empty list', [], { incremental: 9 }],
    ['no exception among them', [other], { incremental: 0 }],
    ['two exceptions', [other, exception('A'), exception('B')], { incremental: 2 }],
  ])('errors with %s', (_, events, errors) => {
    const attributes = { 'ag.metrics.errors.incremental': 9 }
    expect(spanOf(attributes, { events }).attributes.ag.metrics).toMatchObject({ errors })
  })

  test('the first exception is told under ag', () => {
    const events = [other, exception('A', { 'exception.escaped': false }), exception('B')]
    expect(spanOf({}, { events }).attributes.ag.exception).toEqual({
      type: 'A',
      message: 'm',
      stacktrace: 's',
      timestamp: '2026-09-21T14:13:20.250000Z',
      attributes: { 'exception.escaped': false },
    })
    expect(spanOf({}, { events: [{ name: 'exception', timestamp: START }] }).attributes.ag.exception).toEqual({
      timestamp: '2026-09-21T14:13:20Z',
    })
  })

  test('unless the client has told one', () => {
    const span = spanOf({ 'ag.exception.type': 'Mine' }, { events: [exception('A')] })
    expect(span.attributes.ag.exception).toEqual({ type: 'Mine' })
  })

  test('an error status alone is no error', () => {
    expect(spanOf({}, { status_code: 'STATUS_CODE_ERROR' }).attributes.ag.metrics).toMatchObject({ errors: {} })
  })

  test('are kept as they are', () => {
    expect(spanOf({}, { events: [exception('A')] }).events).toEqual([exception('A')])
    expect(spanOf({}, { events: [] }).events).toBeUndefined()
  })
})

describe('references', () => {
  test('under ag become the list', () => {
    const attributes = { 'ag.references.application.slug': 'a', 'ag.references.query.id': ID }
    expect(spanOf(attributes).references).toEqual([
      { slug: 'a', attributes: { key: 'application' } },
      { id: ID, attributes: { key: 'query' } },
    ])
  })

  test('given as a list alone are kept and not copied', () => {
    const { references, attributes } = spanOf(
      {},
      {
        references: [
          { id: ID.toUpperCase(), attributes: { key: 'testcase' } },
          { slug: 'b', version: 2 },
        ],
      },
    )
    expect(references).toEqual([
      { id: ID, attributes: { key: 'testcase' } },
      { slug: 'b', version: '2', attributes: {} },
    ])
    expect(attributes).toEqual({ ag: SKELETON })
  })

  test('what does not fit in the list is parked by its place', () => {
    const references: Json[] = ['text', { slug: 'ok', id: 'bad', attributes: null }, {}, { slug: 'a b' }]
    const span = spanOf({}, { references })
    expect(span.references).toEqual([{ slug: 'ok', attributes: {} }])
    expect(span.attributes.ag.unsupported).toEqual({ references: { 0: 'text', 1: { id: 'bad' }, 3: { slug: 'a b' } } })
  })

  test('under ag replace the list; what only the list has is parked', () => {
    const span = spanOf(
      { 'ag.references.application.slug': 'a' },
      {
        references: [
          { slug: 'a', attributes: { key: 'application' } },
          { slug: 'q', attributes: { key: 'query' } },
        ],
      },
    )
    expect(span.references).toEqual([{ slug: 'a', attributes: { key: 'application' } }])
    expect(span.attributes.ag.unsupported).toEqual({ references: { 1: { slug: 'q', attributes: { key: 'query' } } } })
  })
})

describe('links', () => {
  test('without attributes get none', () => {
    expect(spanOf({}, { links: [link(), link('a')] }).links).toEqual([{ ...link(), attributes: {} }, link('a')])
    expect(spanOf({}, { links: [] }).links).toBeUndefined()
  })
})

describe('hashes (section 4.1)', () => {
  const hashOf = (attributes: JsonObject, links?: SpanLink[]) => spanOf(attributes, { links }).hashes?.[0]

  // Python: hashlib.blake2b(b'{"application":{"slug":"geo-bot"}}', digest_size=16)
  test('is that of the references as JSON', () => {
    expect(hashOf({ 'ag.references.application.slug': 'geo-bot' })).toEqual({
      id: HASHES.application,
      attributes: { key: 'indirect' },
    })
  })

  // … of '{"application":{"slug":"geo-bot","version":"1.0"},"invocation":{"span_id":…,"trace_id":…}}'
  test('has keys sorted, links among them, and no blanks', () => {
    const attributes = { 'ag.references.application.version': '1 .0', 'ag.references.application.slug': 'geo-bot' }
    expect(hashOf(attributes, [link('invocation'), link()])?.id).toBe(HASHES.both)
  })

  test('does not depend on where in a testset a testcase is, or on unknown keys', () => {
    const more = { 'ag.references.testset_variant.slug': 't', 'ag.references.testset_revision.version': '1' }
    expect(hashOf({ 'ag.references.application.slug': 'geo-bot', ...more })?.id).toBe(HASHES.application)
    expect(hashOf(more)).toBeUndefined()
    expect(hashOf({ 'ag.references.other.slug': 'x' })).toBeUndefined()
  })

  test('needs a reference or a link with a name', () => {
    expect(hashOf({}, [link(), link('')])).toBeUndefined()
    expect(hashOf({}, [link('a')])).toBeDefined()
  })

  test('counts references given as a list', () => {
    const references = [{ slug: 'geo-bot', attributes: { key: 'application' } }]
    expect(spanOf({}, { references }).hashes?.[0]?.id).toBe(HASHES.application)
  })
})

describe('what comes around the span', () => {
  const envelope = { resource: { service: { name: 'shop' } }, scope: { name: 'lib' } }

  test('stands beside the span’s own attributes', () => {
    expect(spanOf({ 'http.status': 200 }, { envelope }).attributes).toEqual({
      ag: SKELETON,
      http: { status: 200 },
      ...envelope,
    })
  })

  test('keeps its place; attributes of the same name are merged or parked', () => {
    const before = structuredClone(envelope)
    const attributes = { 'resource.service.name': 'mine', 'resource.service.zone': 'a', scope: 'global' }
    expect(spanOf(attributes, { envelope }).attributes).toEqual({
      ag: {
        ...SKELETON,
        unsupported: { _conflicts: { resource: { service: { name: 'mine' } }, scope: 'global' } },
      },
      resource: { service: { name: 'shop', zone: 'a' } },
      scope: { name: 'lib' },
    })
    expect(envelope).toEqual(before)
  })
})
