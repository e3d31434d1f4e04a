import { integerToJson, type JsonObject, MICROS_MAX, Problem, type Span } from '@spanhouse/model'
import protobuf from 'protobufjs/minimal.js'
import { describe, expect, test } from 'vitest'
import { type DecodedSpan, decodeTraces } from '../bytes/decode.ts'
import { ACCEPTED, SKELETON } from '../conventions/drafts.testing.ts'
import { attributeList, exportOf, spanIdOf, spanJson, traceIdOf, tracesFromJson } from '../exports.testing.ts'
import { toSpan } from './normalise.ts'

const decodedOf = (bytes: Uint8Array): DecodedSpan => [...decodeTraces(bytes)][0] as DecodedSpan
const spanFrom = (members: object): Span => toSpan(decodedOf(exportOf(spanJson(members))), ACCEPTED)

describe('the fields of a span', () => {
  test('all of them', () => {
    const members = {
      parentSpanId: '00000000000000a1',
      kind: 2,
      name: 'GET /',
      status: { code: 2, message: 'no' },
      attributes: attributeList({ 'http.status': 200, 'ag.type.node': 'workflow', 'ag.session.id': 's' }),
    }
    expect(spanFrom(members)).toEqual({
      trace_id: traceIdOf('trace'),
      span_id: spanIdOf('span'),
      parent_id: '00000000000000a1',
      span_type: 'workflow',
      span_kind: 'SPAN_KIND_SERVER',
      span_name: 'GET /',
      start_time: 1_790_000_000_000_000,
      end_time: 1_790_000_001_000_000,
      status_code: 'STATUS_CODE_ERROR',
      status_message: 'no',
      session_id: 's',
      attributes: { ag: { ...SKELETON, type: { span: 'workflow' }, session: { id: 's' } }, http: { status: 200 } },
    })
  })

  test.each<[object, Partial<Span>]>([
    [{ parentSpanId: '' }, { parent_id: undefined }],
    [{ parentSpanId: '0000000000000000' }, { parent_id: undefined }],
    [{ name: '' }, { span_name: '' }],
    [{ kind: 0 }, { span_kind: 'SPAN_KIND_UNSPECIFIED' }],
    [{ kind: 5 }, { span_kind: 'SPAN_KIND_CONSUMER' }],
    [{ status: { code: 1 } }, { status_code: 'STATUS_CODE_OK', status_message: undefined }],
    [{ startTimeUnixNano: 0 }, { start_time: 1_790_000_001_000_000, end_time: 1_790_000_001_000_000 }],
    [{ endTimeUnixNano: 0 }, { start_time: 1_790_000_000_000_000, end_time: 0 }],
    [
      { startTimeUnixNano: 0, endTimeUnixNano: 0 },
      { start_time: ACCEPTED, end_time: ACCEPTED },
    ],
    [{ startTimeUnixNano: '1790000000000000499' }, { start_time: 1_790_000_000_000_000 }],
    [{ startTimeUnixNano: '1790000000000000500' }, { start_time: 1_790_000_000_000_001 }],
    [{ endTimeUnixNano: `${MICROS_MAX}000` }, { end_time: MICROS_MAX }],
  ])('%j', (members, span) => {
    const { [Object.keys(span)[0] as keyof Span]: found } = spanFrom(members)
    expect(found).toBe(Object.values(span)[0])
    expect({ ...spanFrom(members), ...span }).toEqual(spanFrom(members))
  })
})

describe('attribute values (section 7.2)', () => {
  const raw = (value: Uint8Array): unknown => {
    const writer = protobuf.Writer.create
    const pair = writer().uint32(10).string('k').uint32(18).bytes(value).finish()
    const ids = [traceIdOf('t'), spanIdOf('s')].map(id => Buffer.from(id, 'hex')) as [Buffer, Buffer]
    const span = writer().uint32(10).bytes(ids[0]).uint32(18).bytes(ids[1]).uint32(74).bytes(pair).finish()
    const wrap = (bytes: Uint8Array, tag: number) => writer().uint32(tag).bytes(bytes).finish()
    return decodedOf(wrap(wrap(wrap(span, 18), 18), 10)).span.attributes.get('k')
  }
  const value = () => protobuf.Writer.create()

  test.each<[string, Uint8Array, unknown]>([
    ['text', value().uint32(10).string('ü').finish(), 'ü'],
    ['empty text', value().uint32(10).string('').finish(), ''],
    [
      'text that is not UTF-8',
      value()
        .uint32(10)
        .bytes(Buffer.from([0x61, 0xff, 0x62]))
        .finish(),
      'a\ufffdb',
    ],
    [
      'text cut inside a character',
      value()
        .uint32(10)
        .bytes(Buffer.from([0x61, 0xc3]))
        .finish(),
      'a\ufffd',
    ],
    ['true', value().uint32(16).bool(true).finish(), true],
    ['false', value().uint32(16).bool(false).finish(), false],
    ['true as a large varint', Buffer.from([0x10, 0x80, 0x01]), true],
    ['a small integer', value().uint32(24).int64(300).finish(), 300],
    ['a negative integer', value().uint32(24).int64(-300).finish(), -300],
    [
      '2^49',
      value()
        .uint32(24)
        .int64(2 ** 49)
        .finish(),
      2 ** 49,
    ],
    ['2^53 − 1', value().uint32(24).int64(Number.MAX_SAFE_INTEGER).finish(), Number.MAX_SAFE_INTEGER],
    ['2^63 − 1', value().uint32(24).int64('9223372036854775807').finish(), integerToJson(2n ** 63n - 1n)],
    ['−2^63', value().uint32(24).int64('-9223372036854775808').finish(), integerToJson(-(2n ** 63n))],
    ['a double', value().uint32(33).double(0.1).finish(), 0.1],
    ['a whole double', value().uint32(33).double(5).finish(), 5],
    ['NaN', value().uint32(33).double(Number.NaN).finish(), 'NaN'],
    ['infinities', value().uint32(33).double(Number.NEGATIVE_INFINITY).finish(), '-Infinity'],
    ['bytes that are text', value().uint32(58).bytes(Buffer.from('ü')).finish(), 'ü'],
    [
      'bytes that are no text',
      value()
        .uint32(58)
        .bytes(Buffer.from([0xff, 0xef]))
        .finish(),
      '/+8=',
    ],
    ['no value', new Uint8Array(), null],
    ['a kind of value to come', value().uint32(66).string('x').finish(), null],
    ['an empty list', Buffer.from([0x2a, 0x00]), []],
    ['an empty object', Buffer.from([0x32, 0x00]), {}],
    ['two values: the last', value().uint32(10).string('a').uint32(24).int64(1).finish(), 1],
  ])('%s', (_, bytes, json) => {
    expect(raw(bytes)).toEqual(json)
  })

  test('the last of equal keys counts', () => {
    const attributes = [...attributeList({ a: 1, b: 2 }), ...attributeList({ a: 3 })]
    expect(spanFrom({ attributes }).attributes).toMatchObject({ a: 3, b: 2 })
    const nested = { kvlistValue: { values: attributes } }
    expect(spanFrom({ attributes: [{ key: 'k', value: nested }] }).attributes.k).toEqual({ a: 3, b: 2 })
  })

  test('special keys are keys', () => {
    const attributes = attributeList(JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":{"x":1},"constructor":2}}'))
    const span = spanFrom({ attributes })
    expect(JSON.stringify(span.attributes)).toContain('"__proto__":{"x":1}')
    expect(({} as JsonObject).x).toBeUndefined()
  })
})

describe('events and links', () => {
  test('are kept with their attributes as sent', () => {
    const id = { traceId: traceIdOf('l'), spanId: spanIdOf('l') }
    const span = spanFrom({
      events: [
        { name: 'retry', timeUnixNano: '1790000000500000000', attributes: attributeList({ 'a.b': { c: 1 } }) },
        { name: 'no time' },
        { name: 'too late', timeUnixNano: '18446744073709551615' },
      ],
      links: [{ ...id, attributes: attributeList({ key: 'invocation', 'x.y': 1 }) }, id],
    })
    expect(span.events).toEqual([
      { name: 'retry', timestamp: 1_790_000_000_500_000, attributes: { 'a.b': { c: 1 } } },
      { name: 'no time', timestamp: 1_790_000_000_000_000 },
      { name: 'too late', timestamp: MICROS_MAX },
    ])
    const ids = { trace_id: traceIdOf('l'), span_id: spanIdOf('l') }
    expect(span.links).toEqual([
      { ...ids, attributes: { key: 'invocation', 'x.y': 1 } },
      { ...ids, attributes: {} },
    ])
    expect(span).toMatchObject({ declared_trace_type: 'annotation', is_trace_type_explicit: false })
  })

  test('a link that points nowhere is parked', () => {
    const links = [{ traceId: '0'.repeat(32), spanId: spanIdOf('l'), attributes: attributeList({ key: 'a' }) }]
    const span = spanFrom({ links })
    expect(span.links).toBeUndefined()
    expect(span.declared_trace_type).toBeUndefined()
    expect(span.attributes.ag.unsupported).toEqual({
      links: [{ trace_id: '', span_id: spanIdOf('l'), attributes: { key: 'a' } }],
    })
  })

  const hex = (text: string): string => Buffer.from(text).toString('hex')
  test.each([
    ['hexadecimal digits', 'AB'.repeat(8), 'ab'.repeat(8), 'c'.repeat(6), 'c'.repeat(6)],
    ['an odd number of digits', 'a'.repeat(31), hex('a'.repeat(31)), 'abc', hex('abc')],
    ['other texts', 'trace 1', hex('trace 1'), 'ä', hex('ä')],
    ['texts as long as an id', 'sixteen letters!', hex('sixteen letters!\0'), 'letters!', hex('letters!\0')],
  ])('the malformed ids of a link are parked as bytes: %s', (_, traceId, trace_id, spanId, span_id) => {
    const links = [
      { traceId, spanId: spanIdOf('l') },
      { traceId: traceIdOf('l'), spanId },
    ]
    const span = spanFrom({ links })
    expect(span.links).toBeUndefined()
    expect(span.attributes.ag.unsupported).toEqual({
      links: [
        { trace_id, span_id: spanIdOf('l'), attributes: {} },
        { trace_id: traceIdOf('l'), span_id, attributes: {} },
      ],
    })
  })
})

describe('what surrounds the span (section 7.1)', () => {
  const envelopeOf = (group: object, scopeGroup: object, members: object = {}): JsonObject => {
    const resourceSpans = [{ ...group, scopeSpans: [{ ...scopeGroup, spans: [spanJson(members)] }] }]
    return toSpan(decodedOf(tracesFromJson(JSON.stringify({ resourceSpans }))), ACCEPTED).attributes
  }

  test('nothing', () => {
    expect(envelopeOf({ resource: {} }, { scope: {} })).toEqual({ ag: SKELETON })
  })

  test('everything', () => {
    const id = { traceId: traceIdOf('l'), spanId: spanIdOf('l') }
    const attributes = envelopeOf(
      {
        resource: {
          attributes: attributeList({ 'service.name': 'shop', 'process.argv': ['a', 'b'] }),
          droppedAttributesCount: 1,
        },
        schemaUrl: 'https://example.org/r',
      },
      {
        scope: { name: 'lib', version: '2', attributes: attributeList({ 'a.b': 1 }), droppedAttributesCount: 2 },
        schemaUrl: 'https://example.org/s',
      },
      {
        traceState: 'a=b',
        flags: 257,
        droppedAttributesCount: 3,
        droppedEventsCount: 4,
        droppedLinksCount: 5,
        events: [{ name: 'e' }, { name: 'e', droppedAttributesCount: 6 }],
        links: [{ ...id, traceState: 'c=d', flags: 1, droppedAttributesCount: 7 }],
      },
    )
    expect(attributes).toEqual({
      ag: { ...SKELETON, metrics: { ...SKELETON.metrics, errors: { incremental: 0 } } },
      resource: { service: { name: 'shop' }, process: { argv: ['a', 'b'] } },
      scope: { name: 'lib', version: '2', attributes: { a: { b: 1 } } },
      otlp: {
        trace_state: 'a=b',
        flags: 257,
        dropped_attributes_count: 3,
        dropped_events_count: 4,
        dropped_links_count: 5,
        events: [{}, { dropped_attributes_count: 6 }],
        links: [{ trace_state: 'c=d', flags: 1, dropped_attributes_count: 7 }],
        resource: { schema_url: 'https://example.org/r', dropped_attributes_count: 1 },
        scope: { schema_url: 'https://example.org/s', dropped_attributes_count: 2 },
      },
    })
  })

  test('conflicts among a resource’s attributes are parked in every span', () => {
    const resource = { attributes: attributeList({ host: 'h', 'host.name': 'n', '0.x': 1 }) }
    expect(envelopeOf({ resource }, { scope: { attributes: attributeList({ a: 1, 'a.b': 2 }) } })).toEqual({
      ag: { ...SKELETON, unsupported: { _conflicts: { 'resource.host.name': 'n', 'scope.attributes.a.b': 2 } } },
      resource: { host: 'h', 0: { x: 1 } },
      scope: { attributes: { a: 1 } },
    })
  })

  test('a span’s own attributes of these names are not lost', () => {
    const members = {
      flags: 1,
      attributes: attributeList({ 'resource.service.name': 'x', 'scope.kind': 'y', otlp: 'z' }),
    }
    const attributes = envelopeOf(
      { resource: { attributes: attributeList({ 'service.name': 'shop' }) } },
      { scope: { name: 'lib' } },
      members,
    )
    expect(attributes).toEqual({
      ag: { ...SKELETON, unsupported: { _conflicts: { resource: { service: { name: 'x' } }, otlp: 'z' } } },
      resource: { service: { name: 'shop' } },
      scope: { name: 'lib', kind: 'y' },
      otlp: { flags: 1 },
    })
  })

  test('is shared by the spans of a group and by no others', () => {
    const group = (service: string) => ({
      resource: { attributes: attributeList({ 'service.name': service }) },
      scopeSpans: [{ spans: [spanJson(), spanJson({ spanId: spanIdOf('other') })] }],
    })
    const bytes = tracesFromJson(JSON.stringify({ resourceSpans: [group('a'), group('b')] }))
    const spans = [...decodeTraces(bytes)].map(decoded => toSpan(decoded, ACCEPTED))
    expect(spans.map(({ attributes }) => attributes.resource)).toEqual(
      ['a', 'a', 'b', 'b'].map(name => ({ service: { name } })),
    )
    expect(spans[0]?.attributes.resource).toBe(spans[1]?.attributes.resource)
  })
})

test('what the scan would have refused is a problem, not a wrong span', () => {
  for (const members of [{ traceId: '' }, { spanId: 'ab' }, { kind: 9 }, { status: { code: 9 } }])
    expect(() => spanFrom(members)).toThrow(Problem)
})
