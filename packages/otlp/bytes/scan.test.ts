import { type Json, Problem } from '@spanhouse/model'
import fc from 'fast-check'
import protobuf from 'protobufjs/minimal.js'
import { describe, expect, test } from 'vitest'
import {
  anyValue,
  attributeList,
  attributes,
  exportOf,
  spanIdOf,
  spanJson,
  traceIdOf,
  tracesFromJson,
} from '../exports.testing.ts'
import { decodeTraces } from './decode.ts'
import { MESSAGES_MAX, scanTraces } from './scan.ts'

const lastByte = (traceId: Uint8Array, partitions: number): number => (traceId[15] as number) % partitions
const scan = (bytes: Uint8Array, partitions = 1) => scanTraces(bytes, partitions, lastByte)

function problemOf(bytes: Uint8Array): Problem {
  try {
    scan(bytes)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('It was accepted')
}

const trace_id = traceIdOf('trace')
const span_id = spanIdOf('span')

/** Fields and messages built by hand, for bytes that no encoder would write. */
const field = (number: number, ...content: Uint8Array[]): Uint8Array =>
  protobuf.Writer.create()
    .uint32(number * 8 + 2)
    .bytes(Buffer.concat(content))
    .finish()
const exportOfBytes = (...spans: Uint8Array[]): Uint8Array => field(1, field(2, ...spans.map(span => field(2, span))))
const IDS = Buffer.concat([field(1, Buffer.from(trace_id, 'hex')), field(2, Buffer.from(span_id, 'hex'))])

describe('accepted', () => {
  test.each([
    ['no bytes', new Uint8Array()],
    ['no scopes', tracesFromJson('{"resourceSpans":[{}]}')],
    ['no spans', tracesFromJson('{"resourceSpans":[{"scopeSpans":[{}]}]}')],
  ])('%s', (_, bytes) => {
    expect(scan(bytes)).toEqual({ spans: [], rejected: 0, errorMessage: '', shares: [] })
  })

  test('a usable span, with the bytes as they came', () => {
    const bytes = exportOf(spanJson())
    const result = scan(bytes)
    expect(result).toMatchObject({ spans: [{ trace_id, span_id }], rejected: 0, errorMessage: '' })
    expect(result.shares).toHaveLength(1)
    expect(result.shares[0]).toMatchObject({ partition: 0, span_count: 1 })
    expect(result.shares[0]?.body).toBe(bytes)
  })

  test.each<[string, object]>([
    ['a parent', { parentSpanId: '00000000000000a1' }],
    ['an all-zero parent', { parentSpanId: '0000000000000000' }],
    ['no times', { startTimeUnixNano: 0, endTimeUnixNano: 0 }],
    ['the last time there is', { endTimeUnixNano: String(Date.UTC(2255, 0, 1) * 1e6) }],
    ['an error', { status: { code: 2, message: 'no' } }],
    ['the last kind', { kind: 5 }],
    ['no name', { name: '' }],
    ['attributes nested as deep as allowed', { attributes: [nested(100)] }],
  ])('a span with %s', (_, members) => {
    expect(scan(exportOf(spanJson(members))).spans).toEqual([{ trace_id, span_id }])
  })

  test('of the fields that come twice the last one counts', () => {
    const twice = Buffer.concat([field(1, Buffer.alloc(3)), field(2, Buffer.alloc(8)), IDS])
    expect(scan(exportOfBytes(twice)).spans).toEqual([{ trace_id, span_id }])
    expect(problemOf(exportOfBytes(Buffer.concat([IDS, field(1, Buffer.alloc(3))]))).message).toContain('trace_id')
  })

  test('fields that the protocol may get one day', () => {
    const fields = [
      field(200, Buffer.from('new')),
      Buffer.from([0x98, 0x06, 0x01]),
      field(9, field(3, Buffer.from('x'))),
    ]
    expect(scan(exportOfBytes(Buffer.concat([IDS, ...fields]))).spans).toEqual([{ trace_id, span_id }])
    expect(scan(Buffer.concat([field(77, Buffer.from('new')), exportOfBytes(IDS)])).spans).toHaveLength(1)
  })

  test('a span that comes more than once counts once, and the last version stays', () => {
    const versions = ['first', 'second', 'third'].map(name => spanJson({ name }))
    const other = spanJson({ spanId: spanIdOf('other'), name: 'other' })
    const { spans, shares, rejected } = scan(exportOf(versions[0] as object, other, ...versions.slice(1)))
    expect(spans).toEqual([
      { trace_id, span_id: spanIdOf('other') },
      { trace_id, span_id },
    ])
    expect(rejected).toBe(0)
    expect(shares[0]?.span_count).toBe(2)
    expect(namesOf(shares[0]?.body)).toEqual(['other', 'third'])
  })
})

const REJECTED: [string, object, string][] = [
  ['no trace id', { traceId: '' }, 'trace_id must be 16 bytes, not all zero'],
  ['a 64-bit trace id', { traceId: '0123456789abcdef' }, 'trace_id must be 16 bytes, not all zero'],
  ['an all-zero trace id', { traceId: '0'.repeat(32) }, 'trace_id must be 16 bytes, not all zero'],
  ['an all-zero span id', { spanId: '0'.repeat(16) }, 'span_id must be 8 bytes, not all zero'],
  ['half a span id', { spanId: '01234567' }, 'span_id must be 8 bytes, not all zero'],
  ['half a parent id', { parentSpanId: '01234567' }, 'parent_span_id must be 8 bytes or absent'],
  ['an unknown kind', { kind: 6 }, 'kind must be 0 to 5'],
  ['a negative kind', { kind: -1 }, 'kind must be 0 to 5'],
  ['an unknown status code', { status: { code: 3 } }, 'status code must be 0 to 2'],
  ['a time out of range', { endTimeUnixNano: '18446744073709551615' }, 'start or end time is after the year 2254'],
  ['attributes nested too deep', { attributes: [nested(101)] }, 'attributes nested deeper than 100 levels'],
  ['an event nested too deep', { events: [{ attributes: [nested(101)] }] }, 'attributes nested deeper than 100 levels'],
  ['a link nested too deep', { links: [{ attributes: [nested(200)] }] }, 'attributes nested deeper than 100 levels'],
]

describe('rejected', () => {
  test.each(REJECTED)('%s costs the span alone', (_, members, reason) => {
    const { spans, rejected, errorMessage, shares } = scan(exportOf(spanJson({ ...members, name: 'bad' }), spanJson()))
    expect(spans).toEqual([{ trace_id, span_id }])
    expect(rejected).toBe(1)
    expect(errorMessage).toBe(`1 span rejected: ${reason}`)
    expect(namesOf(shares[0]?.body)).toEqual(['span'])
  })

  test.each(REJECTED)('%s, when there is nothing else', (_, members, reason) => {
    expect(problemOf(exportOf(spanJson(members)))).toMatchObject({
      code: 'invalid',
      message: `1 span rejected: ${reason}`,
    })
  })

  test.each<[string, Uint8Array]>([
    ['an attribute longer than its span', Buffer.from([0x4a, 0x7f, 0x01])],
    ['an attribute whose inside is longer than it', field(9, Buffer.from([0x0a, 0x40, 0x61]))],
    ['a value whose inside is longer than it', field(9, field(2, Buffer.from([0x0a, 0x40, 0x61])))],
    ['an event that ends inside a number', field(11, Buffer.from([0x09, 1, 2, 3]))],
    ['a link with an endless varint', field(13, Buffer.from([0x28, ...Array(12).fill(0xff)]))],
    ['a status with a group', field(15, Buffer.from([0x1b, 0x1c]))],
    ['field number 0', Buffer.from([0x02, 0x00])],
    ['a tag cut off', Buffer.from([0xff])],
    ['a tag that is too long', Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00])],
    ['a length of 4 GB', Buffer.from([0x4a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['wire type 6', Buffer.from([0x0e, 0x00])],
  ])('%s costs the span alone', (_, malformed) => {
    const bytes = exportOfBytes(Buffer.concat([IDS, malformed]), IDS)
    expect(scan(bytes)).toMatchObject({
      spans: [{ trace_id, span_id }],
      rejected: 1,
      errorMessage: '1 span rejected: malformed protobuf in the span',
    })
  })

  test('a malformed resource or scope costs the spans under it', () => {
    const bad = field(9, Buffer.from([0x0a, 0x40, 0x61])).subarray(0)
    const origin = field(1, field(1, bad.subarray(2)))
    const resource = field(1, origin, field(2, field(2, IDS), field(2, IDS)))
    const scope = field(1, field(2, field(2, IDS), field(1, field(3, bad.subarray(2)))))
    const { spans, rejected, errorMessage } = scan(Buffer.concat([resource, scope, exportOfBytes(IDS)]))
    expect(spans).toHaveLength(1)
    expect(rejected).toBe(3)
    expect(errorMessage).toBe('3 spans rejected: malformed resource or scope, or nested deeper than 100 levels')
  })

  test('reasons are counted, most frequent first', () => {
    const spans = [spanJson(), spanJson({ kind: 9 }), spanJson({ traceId: '' }), spanJson({ traceId: 'xyz' })]
    expect(scan(exportOf(...spans)).errorMessage).toBe(
      '3 spans rejected: trace_id must be 16 bytes, not all zero (2), kind must be 0 to 5 (1)',
    )
  })

  test('a third of a million broken spans are refused in less than two seconds', () => {
    const span = field(2, Buffer.from([0xff, 0xff]))
    const bytes = field(1, field(2, Buffer.concat(Array(340_000).fill(span))))
    const started = performance.now()
    expect(problemOf(bytes).message).toBe('340000 spans rejected: malformed protobuf in the span')
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

test('a large resource above many small spans is refused', () => {
  const resource = field(1, field(1, field(1, Buffer.from('k')), field(2, field(1, Buffer.alloc(1024 * 1024)))))
  const spans = (count: number) => field(1, resource, field(2, ...Array(count).fill(field(2, IDS))))
  expect(scan(spans(250)).spans).toHaveLength(1)
  expect(problemOf(spans(260))).toMatchObject({ code: 'too_large', message: expect.stringContaining('Resource') })
})

describe('not an export', () => {
  test.each<[string, Uint8Array]>([
    ['text', Buffer.from('hello, this is no protobuf')],
    ['zeros', Buffer.alloc(100)],
    ['a message without resource spans', field(3, Buffer.from('abc'))],
    ['resource spans longer than the body', Buffer.from([0x0a, 0x20, 0x00])],
    ['scope spans longer than the resource spans', field(1, Buffer.from([0x12, 0x20, 0x00]))],
    ['a span longer than its scope', field(1, field(2, Buffer.from([0x12, 0x20, 0x00])))],
    ['an export cut off', exportOf(spanJson()).subarray(0, -1)],
    ['an export with a byte too many', Buffer.concat([exportOf(spanJson()), Buffer.from([0x01])])],
  ])('%s is refused', (_, bytes) => {
    expect(problemOf(bytes)).toMatchObject({
      code: 'invalid',
      message: 'The body is not an OTLP trace export in protobuf, or it is truncated',
    })
  })

  test.each(['{"resourceSpans":[]}', ' \n[]'])('JSON is told apart: %s', text => {
    expect(problemOf(Buffer.from(text)).message).toContain('OTLP/JSON requires the Content-Type application/json')
  })
})

describe('shares', () => {
  const groups = fc.array(
    fc.record({
      service: fc.string({ maxLength: 8 }),
      scopes: fc.array(
        fc.record({
          name: fc.string({ maxLength: 8 }),
          spans: fc.array(
            fc.record({
              trace: fc.integer({ min: 0, max: 12 }),
              span: fc.integer({ min: 0, max: 12 }),
              kind: fc.integer({ min: 0, max: 7 }),
              name: fc.string({ maxLength: 200 }),
              attributes,
            }),
            { maxLength: 5 },
          ),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 4 },
  )

  test('each accepted span is in exactly one share, its partition’s, with its resource and scope', () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 9 }), (resources, partitions) => {
        const expected = new Map<string, object>()
        for (const { service, scopes } of resources)
          for (const { name: scope, spans } of scopes)
            for (const { trace, span, kind, name, attributes } of spans) {
              if (kind > 5) continue
              const key = `${traceIdOf(String(trace))} ${spanIdOf(String(span))}`
              expected.delete(key)
              expected.set(key, { name, kind, service, scope, attributes: anyValue(attributes) })
            }
        const bytes = jsonExport(resources)
        const total = resources.flatMap(({ scopes }) => scopes.flatMap(({ spans }) => spans)).length
        if (expected.size === 0) {
          if (total > 0) expect(problemOf(bytes).code).toBe('invalid')
          return
        }
        const { spans, shares, rejected } = scan(bytes, partitions)
        expect(spans.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`)).toEqual([...expected.keys()])
        expect(rejected).toBe(resources.flatMap(r => r.scopes.flatMap(s => s.spans)).filter(s => s.kind > 5).length)
        const found = new Map<string, object>()
        for (const { partition, span_count, body } of shares) {
          const decoded = [...decodeTraces(body)]
          expect(decoded).toHaveLength(span_count)
          for (const { span, origin } of decoded) {
            expect(lastByte(Buffer.from(span.traceId, 'hex'), partitions)).toBe(partition)
            const key = `${span.traceId} ${span.spanId}`
            expect(found.has(key)).toBe(false)
            const service = origin.resource.attributes.get('service.name')
            const { name, kind } = span
            const sent = anyValue(Object.fromEntries(span.attributes))
            found.set(key, { name, kind, service, scope: origin.scope.name, attributes: sent })
          }
        }
        expect(found.size).toBe(expected.size)
        for (const [key, span] of expected) expect(found.get(key)).toEqual(span)
      }),
      { numRuns: 150 },
    )
  })

  function jsonExport(resources: typeof groups extends fc.Arbitrary<infer T> ? T : never): Uint8Array {
    const resourceSpans = resources.map(({ service, scopes }) => ({
      resource: { attributes: attributeList({ 'service.name': service }) },
      schemaUrl: 'https://example.org/resource',
      scopeSpans: scopes.map(({ name, spans }) => ({
        // Members before their shared data: senders may order fields in any way.
        spans: spans.map(({ trace, span, attributes, ...rest }) =>
          spanJson({
            ...rest,
            traceId: traceIdOf(String(trace)),
            spanId: spanIdOf(String(span)),
            attributes: attributeList(attributes),
          }),
        ),
        scope: { name },
        schemaUrl: 'https://example.org/scope',
      })),
    }))
    return tracesFromJson(JSON.stringify({ resourceSpans }))
  }

  test('a share repeats resource, scope, schema URLs and unknown fields around its spans', () => {
    const spans = [0, 1, 2, 3].map(number => spanJson({ traceId: `${'0'.repeat(31)}${number + 4}` }))
    const resource = { attributes: attributeList({ 'service.name': 'shop' }) }
    const scope = { name: 'lib', version: '2' }
    const group = { resource, schemaUrl: 'r', scopeSpans: [{ scope, schemaUrl: 's', spans }] }
    const { shares } = scan(tracesFromJson(JSON.stringify({ resourceSpans: [group] })), 2)
    expect(shares.map(({ partition, span_count }) => [partition, span_count])).toEqual([
      [0, 2],
      [1, 2],
    ])
    for (const { body } of shares)
      for (const { origin } of decodeTraces(body))
        expect(origin).toMatchObject({
          resource: { attributes: new Map([['service.name', 'shop']]) },
          resourceSchemaUrl: 'r',
          scope,
          scopeSchemaUrl: 's',
        })
  })
})

function namesOf(body: Uint8Array | undefined): string[] {
  return body ? [...decodeTraces(body)].map(({ span }) => span.name) : []
}

/** An attribute with a value nested this deep, including the value itself. */
function nested(levels: number): Json {
  let value: Json = anyValue(1)
  for (let level = 1; level < levels; level++)
    value = level % 2 === 0 ? { arrayValue: { values: [value] } } : { kvlistValue: { values: [{ key: 'k', value }] } }
  return { key: 'deep', value }
}

test.each([
  ['resources', (count: number) => Buffer.alloc(2 * count, field(1))],
  ['scopes', (count: number) => field(1, Buffer.alloc(2 * (count - 1), field(2)))],
  ['spans', (count: number) => field(1, field(2, Buffer.alloc(2 * (count - 2), field(2))))],
])('more %s than any export of good spans has are refused before they are looked at', (_name, make) => {
  expect(problemOf(make(MESSAGES_MAX + 1)).code).toBe('too_large')
  expect(() => scan(make(MESSAGES_MAX))).not.toThrow('more than')
})
