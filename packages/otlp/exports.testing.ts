import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { encodeTraces } from './json/otlp-json.ts'

/** Ids derived from a text, so that tests can name them. */
export const traceIdOf = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 32)
export const spanIdOf = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 16)

/** A complete span in OTLP/JSON. */
export const spanJson = (members: object = {}): JsonObject => ({
  traceId: traceIdOf('trace'),
  spanId: spanIdOf('span'),
  name: 'span',
  kind: 1,
  startTimeUnixNano: '1790000000000000000',
  endTimeUnixNano: '1790000001000000000',
  ...members,
})

/** An export in OTLP/JSON, in protobuf. */
export const tracesFromJson = (json: Uint8Array | string): Uint8Array =>
  encodeTraces(parseJson(typeof json === 'string' ? json : Buffer.from(json).toString()))

/** An export of one scope, in protobuf. */
export const exportOf = (...spans: object[]): Uint8Array =>
  tracesFromJson(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))

/** A JSON value as an OTLP/JSON attribute value. */
export function anyValue(value: Json): JsonObject {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  if (isJsonObject(value)) return { kvlistValue: { values: attributeList(value) } }
  return { intValue: value.rawJSON }
}

/** Attributes as an OTLP/JSON list. */
export const attributeList = (attributes: JsonObject): JsonObject[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))

/** Names with a special meaning in JavaScript, in our schema, or for lists, and ordinary ones. */
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['type', 'span', 'node', 'data', 'inputs', 'outputs', '__default__', 'metrics', 'unit', 'acc', 'tokens'],
      ...['prompt', 'incremental', 'cumulative', 'errors', 'duration', 'total', 'references', 'refs', 'variant', 'id'],
      ...['application', 'slug', 'version', 'meta', 'configuration', 'flags', 'tags', 'session', 'user', 'agent'],
      ...['selector', 'exception', 'unsupported', '_conflicts', '_invalid', 'resource', 'scope', 'otlp'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('0', '1', '2', '900', '999999999', '00', '') },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty') },
)

export const attributeKey: fc.Arbitrary<string> = fc
  .tuple(fc.boolean(), fc.array(segment, { minLength: 1, maxLength: 5 }))
  .map(([isOwn, segments]) => [...(isOwn ? ['ag'] : []), ...segments].join('.'))

/** Any attribute value, including texts with a special meaning in the canonical form. */
export const attributeValue: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    '@ag.type=none:',
    '@ag.type=json:',
    '@ag.type=json:{"a":[1,{"b":null}]}',
    '@ag.type=json:{"__proto__":{"polluted":1}}',
    '{"question":"why","n":9007199254740993}',
    '{"__proto__":{"polluted":1}}',
    '{broken',
    'NaN',
    '12',
    'llm',
    'CHAT',
    'annotation',
    '\u0000',
    'a\u0000b',
    '𝄞',
  ),
  fc.dictionary(segment, fc.oneof(fc.integer(), fc.string()), { maxKeys: 4 }) as fc.Arbitrary<Json>,
)

export const attributes: fc.Arbitrary<JsonObject> = fc.dictionary(attributeKey, attributeValue, {
  maxKeys: 8,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>
