import { integerToJson, Problem } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecodedSpan, decodeTraces } from '../bytes/decode.ts'
import { scanTraces } from '../bytes/scan.ts'
import { spanIdOf, spanJson, traceIdOf, tracesFromJson } from '../exports.testing.ts'
import { encodeTraces, readTracesJson } from './otlp-json.ts'

/** The only span of an export whose only span has these members, given as JSON text. */
function spanFrom(members: string): DecodedSpan {
  const ids = `"traceId":"${traceIdOf('t')}","spanId":"${spanIdOf('s')}"`
  const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[{${ids},${members}}]}]}]}`
  return [...decodeTraces(tracesFromJson(json))][0] as DecodedSpan
}

/** As in the receiver. */
async function received(json: string): Promise<Uint8Array> {
  const bounds = { depthMax: 10_000, valuesMax: 20, membersMax: 20, digitsMax: 1_000 }
  return encodeTraces(await readTracesJson(Buffer.from(json), { bounds, onValues: () => {} }))
}
const valueFrom = (value: string) => spanFrom(`"attributes":[{"key":"k","value":${value}}]`).span.attributes.get('k')

describe('values', () => {
  test.each<[string, unknown]>([
    ['{"stringValue":"text"}', 'text'],
    ['{"string_value":"text"}', 'text'],
    ['{"stringValue":""}', ''],
    ['{"stringValue":"a\\u0000b"}', 'a\u0000b'],
    ['{"stringValue":"a\\ud83db\\ud83d\\ude00"}', 'a\ufffdb\ud83d\ude00'],
    [`{"stringValue":"${'x'.repeat(50)}\\ud83d"}`, `${'x'.repeat(50)}\ufffd`],
    ['{"boolValue":true}', true],
    ['{"boolValue":false}', false],
    ['{"intValue":"5"}', 5],
    ['{"intValue":5}', 5],
    ['{"intValue":"-9223372036854775808"}', integerToJson(-9223372036854775808n)],
    ['{"intValue":9223372036854775807}', integerToJson(9223372036854775807n)],
    ['{"intValue":"9007199254740993"}', integerToJson(9007199254740993n)],
    ['{"intValue":-1}', -1],
    ['{"intValue":-300}', -300],
    ['{"intValue":1e3}', 1000],
    ['{"doubleValue":0.1}', 0.1],
    ['{"doubleValue":5}', 5],
    ['{"doubleValue":"0.25"}', 0.25],
    ['{"doubleValue":1e300}', 1e300],
    ['{"doubleValue":12345678901234567890}', 12345678901234567000],
    ['{"doubleValue":"NaN"}', 'NaN'],
    ['{"doubleValue":"Infinity"}', 'Infinity'],
    ['{"doubleValue":"-Infinity"}', '-Infinity'],
    ['{"bytesValue":"aGVsbG8="}', 'hello'],
    ['{"bytesValue":"aGVsbG8"}', 'hello'],
    ['{"bytesValue":"_-8"}', '/+8='],
    ['{"arrayValue":{"values":[{"intValue":1},{"stringValue":"a"},{}]}}', [1, 'a', null]],
    ['{"arrayValue":{}}', []],
    ['{"kvlistValue":{"values":[{"key":"a","value":{"intValue":1}},{"key":"b"}]}}', { a: 1, b: null }],
    ['{}', null],
    ['null', null],
    ['{"stringValue":null}', null],
    ['{"newValue":1}', null],
  ])('%s', (json, value) => {
    expect(valueFrom(json)).toEqual(value)
  })
})

describe('fields', () => {
  test('camelCase and snake_case', () => {
    const camel = `"parentSpanId":"00000000000000A1","startTimeUnixNano":"1790000000000000500","endTimeUnixNano":1790000000000001499,
      "droppedAttributesCount":3,"droppedEventsCount":"4","droppedLinksCount":5,"traceState":"a=b","flags":257,
      "status":{"code":2,"message":"no"},"kind":3,"name":"call",
      "events":[{"timeUnixNano":"1790000000000002000","name":"e","attributes":[{"key":"a","value":{"intValue":1}}]}],
      "links":[{"traceId":"${traceIdOf('l')}","spanId":"${spanIdOf('l')}","traceState":"c=d","flags":1}]`
    const snake = camel.replace(
      /"(\w+)":/g,
      (_, name: string) => `"${name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`)}":`,
    )
    expect(snake).toContain('"dropped_attributes_count":3')
    const { span } = spanFrom(camel)
    expect(spanFrom(snake).span).toEqual(span)
    expect(span).toMatchObject({
      traceId: traceIdOf('t'),
      parentSpanId: '00000000000000a1',
      startTime: 1790000000000001,
      endTime: 1790000000000001,
      droppedAttributesCount: 3,
      droppedEventsCount: 4,
      droppedLinksCount: 5,
      traceState: 'a=b',
      flags: 257,
      status: { code: 2, message: 'no' },
      kind: 3,
      name: 'call',
      events: [{ time: 1790000000000002, name: 'e', attributes: new Map([['a', 1]]) }],
      links: [{ traceId: traceIdOf('l'), spanId: spanIdOf('l'), traceState: 'c=d', flags: 1 }],
    })
  })

  test.each([
    ['"kind":"SPAN_KIND_CLIENT"', { kind: 3 }],
    ['"kind":"3"', { kind: 3 }],
    ['"kind":null,"name":null,"attributes":null,"status":null', { kind: 0, name: '' }],
    ['"status":{"code":"STATUS_CODE_ERROR"}', { status: { code: 2, message: '' } }],
    ['"unknown":{"deep":[1]},"__proto__":{"kind":3}', { kind: 0 }],
    ['"parentSpanId":""', { parentSpanId: '' }],
    ['"parentSpanId":"0000000000000000"', { parentSpanId: '' }],
    ['"parentSpanId":"0x00000000000000a1"', { parentSpanId: '00000000000000a1' }],
  ])('%s', (members, span) => {
    expect(spanFrom(members).span).toMatchObject(span)
  })

  test('a resource and a scope with all their fields', () => {
    const json = {
      resourceSpans: [
        {
          resource: {
            attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }],
            droppedAttributesCount: 1,
          },
          schemaUrl: 'https://example.org/r',
          scopeSpans: [
            {
              scope: { name: 'lib', version: '1', attributes: [{ key: 'a', value: { intValue: 1 } }] },
              schemaUrl: 'https://example.org/s',
              spans: [spanJson()],
            },
          ],
        },
      ],
    }
    const [decoded] = decodeTraces(tracesFromJson(Buffer.from(JSON.stringify(json))))
    expect(decoded?.origin).toEqual({
      resource: { attributes: new Map([['service.name', 'shop']]), droppedAttributesCount: 1 },
      resourceSchemaUrl: 'https://example.org/r',
      scope: { name: 'lib', version: '1', attributes: new Map([['a', 1]]), droppedAttributesCount: 0 },
      scopeSchemaUrl: 'https://example.org/s',
    })
  })

  test.each(['', ' \n', '{}', '{"resourceSpans":[]}', '{"resourceSpans":null}'])('nothing in it: %j', async json => {
    expect(await received(json)).toHaveLength(0)
  })

  test('a byte order mark, and half a character', async () => {
    expect(await received('\ufeff{}')).toHaveLength(0)
    const bytes = Buffer.from('{"resourceSpans":[{"schemaUrl":"aé"}]}')
    const bounds = { depthMax: 10, valuesMax: 20, membersMax: 20, digitsMax: 10 }
    const half = Buffer.concat([bytes.subarray(0, bytes.indexOf('é') + 1), Buffer.from('"}]}')])
    const read = await readTracesJson(half, { bounds, onValues: () => {} })
    expect(read).toEqual({ resourceSpans: [{ schemaUrl: 'a\ufffd' }] })
  })
})

describe('refused', () => {
  test.each([
    ['{"resourceSpans":', 'The body is not JSON'],
    ['nonsense', 'The body is not JSON'],
    ['[]', 'The body must be an object'],
    ['5', 'The body must be an object'],
    [`[${'1,'.repeat(20)}1]`, 'JSON should have at most 20 values'],
    [`{"x":${'1'.repeat(1_001)}}`, 'JSON should have numbers of at most 1000 digits'],
    ['{"resourceSpans":{}}', 'resourceSpans must be a list'],
    ['{"resourceSpans":[5]}', 'resourceSpans[0] must be an object'],
    ['{"resourceSpans":[{"schemaUrl":5}]}', 'resourceSpans[0].schemaUrl must be a string'],
    ['{"resource_spans":[{"scope_spans":[null]}]}', 'resource_spans[0].scope_spans[0] must be an object'],
  ])('%.60s', async (json, message) => {
    await expect(received(json)).rejects.toThrow(new RegExp(`^${message.replace(/[[\].]/g, '\\$&')}`))
  })

  test.each([
    ['"name":5', 'name must be a string'],
    ['"traceId":5', 'traceId must be hexadecimal text'],
    ['"kind":1.5', 'kind must be a number or name of the enum'],
    ['"kind":{}', 'kind must be a number or name of the enum'],
    ['"startTimeUnixNano":"soon"', 'startTimeUnixNano must be an unsigned 64-bit integer, as a number or in quotes'],
    ['"startTimeUnixNano":-1', 'startTimeUnixNano must be an unsigned 64-bit integer, as a number or in quotes'],
    ['"startTimeUnixNano":1.5', 'startTimeUnixNano must be an unsigned 64-bit integer, as a number or in quotes'],
    [
      '"endTimeUnixNano":"18446744073709551616"',
      'endTimeUnixNano must be an unsigned 64-bit integer, as a number or in quotes',
    ],
    ['"flags":4294967296', 'flags must be an unsigned 32-bit integer'],
    ['"droppedLinksCount":-1', 'droppedLinksCount must be an unsigned 32-bit integer'],
    ['"attributes":[{"key":"a","value":{"boolValue":"true"}}]', 'attributes[0].value.boolValue must be true or false'],
    [
      '"attributes":[{"key":"a","value":{"intValue":"9223372036854775808"}}]',
      'attributes[0].value.intValue must be a 64-bit integer, as a number or in quotes',
    ],
    [
      '"attributes":[{"key":"a","value":{"doubleValue":"constructor"}}]',
      'attributes[0].value.doubleValue must be a number',
    ],
    ['"attributes":[{"key":"a","value":{"bytesValue":"$"}}]', 'attributes[0].value.bytesValue must be base64 text'],
    ['"attributes":[{"key":"a"},{"key":"b","value":5}]', 'attributes[1].value must be an object'],
    ['"events":[{"attributes":{}}]', 'events[0].attributes must be a list'],
  ])('%s', (members, message) => {
    let problem: unknown
    try {
      spanFrom(members)
    } catch (error) {
      problem = error
    }
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ code: 'invalid', message: `resourceSpans[0].scopeSpans[0].spans[0].${message}` })
  })

  test.each([
    ['lists', `{"resourceSpans":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['unfinished lists', '['.repeat(100_000)],
    [
      'lists with a long number',
      `{"resourceSpans":[12345678901234567890,${'['.repeat(100_000)}${']'.repeat(100_000)}]}`,
    ],
  ])('%s nested 100,000 deep', async (_, json) => {
    await expect(received(json)).rejects.toThrow(Problem)
  })
})

describe('what means nothing costs its own span only', () => {
  test.each([
    ['"traceId":"nonsense"', 'trace_id'],
    ['"traceId":"00000000000000000000000000000000"', 'trace_id'],
    ['"traceId":"sixteen letters!"', 'trace_id'],
    ['"spanId":"abc"', 'span_id'],
    ['"spanId":"letters!"', 'span_id'],
    ['"parentSpanId":"abc"', 'parent_span_id'],
    ['"parentSpanId":"letters!"', 'parent_span_id'],
    ['"kind":"SPAN_KIND_OTHER"', 'kind'],
    ['"kind":99', 'kind'],
    ['"kind":-1', 'kind'],
    ['"status":{"code":"BAD"}', 'status code'],
    [deepAttribute(150), 'nested deeper'],
  ])('%.60s', (members, reason) => {
    const good = JSON.stringify(spanJson({ name: 'good' }))
    const bad = `${JSON.stringify(spanJson({ name: 'bad' })).slice(0, -1)},${members}}`
    const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[${bad},${good}]}]}]}`
    const { spans, rejected, errorMessage } = scanTraces(tracesFromJson(json), 1, () => 0)
    expect([spans.length, rejected]).toEqual([1, 1])
    expect(errorMessage).toContain(reason)
  })
})

test('values nested deeper than any stack', () => {
  const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[{${deepAttribute(20_000)}}]}]}]}`
  expect(() => scanTraces(tracesFromJson(json), 1, () => 0)).toThrow('1 span rejected: attributes nested deeper')
})

test('any JSON is converted or refused', async () => {
  const name = fc.constantFrom('resourceSpans', 'scopeSpans', 'spans', 'attributes', 'value', 'key', 'kind', 'traceId')
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), fc.array(tie('tree')), fc.dictionary(name, tie('tree'))),
  }))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        tree.map(value => JSON.stringify(value)),
      ),
      async text => {
        try {
          scanTraces(await received(text), 1, () => 0)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
        }
      },
    ),
    { numRuns: 150 },
  )
})

function deepAttribute(levels: number): string {
  const open = '{"arrayValue":{"values":['
  return `"attributes":[{"key":"deep","value":${open.repeat(levels)}{"intValue":1}${']}}'.repeat(levels)}}]`
}
