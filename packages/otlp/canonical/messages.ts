import { SPAN_KINDS, STATUS_CODES } from '@spanhouse/model'

/**
 * The messages of the OpenTelemetry trace protocol (opentelemetry-proto 1.x: `trace.proto`, `common.proto`,
 * `resource.proto`) as data: number and type of each field under its OTLP/JSON name. `ExportTraceServiceRequest` and
 * the older `TracesData` have the same encoding. Fields that are not listed are skipped when reading.
 */

/**
 * The type of a field that is not a message. Ids are bytes, which OTLP/JSON writes as hexadecimal digits; the other
 * types are protobuf's.
 */
export type Scalar =
  | 'string'
  | 'bool'
  | 'int64'
  | 'uint32'
  | 'double'
  | 'bytes'
  | 'traceId'
  | 'spanId'
  | 'fixed32'
  | 'fixed64'

/** The names of an enum in the order of its numbers. */
export type EnumNames = readonly string[]

export type MessageName =
  | 'TracesData'
  | 'ResourceSpans'
  | 'Resource'
  | 'ScopeSpans'
  | 'InstrumentationScope'
  | 'Span'
  | 'Event'
  | 'Link'
  | 'Status'
  | 'KeyValue'
  | 'AnyValue'
  | 'ArrayValue'
  | 'KeyValueList'

export interface Field {
  number: number
  type: Scalar | EnumNames | MessageName
  isRepeated: boolean
}

const one = (number: number, type: Field['type']): Field => ({ number, type, isRepeated: false })
const many = (number: number, type: Field['type']): Field => ({ number, type, isRepeated: true })

export const MESSAGES = {
  TracesData: { resourceSpans: many(1, 'ResourceSpans') },
  ResourceSpans: { resource: one(1, 'Resource'), scopeSpans: many(2, 'ScopeSpans'), schemaUrl: one(3, 'string') },
  Resource: { attributes: many(1, 'KeyValue'), droppedAttributesCount: one(2, 'uint32') },
  ScopeSpans: { scope: one(1, 'InstrumentationScope'), spans: many(2, 'Span'), schemaUrl: one(3, 'string') },
  InstrumentationScope: {
    name: one(1, 'string'),
    version: one(2, 'string'),
    attributes: many(3, 'KeyValue'),
    droppedAttributesCount: one(4, 'uint32'),
  },
  Span: {
    traceId: one(1, 'traceId'),
    spanId: one(2, 'spanId'),
    traceState: one(3, 'string'),
    parentSpanId: one(4, 'spanId'),
    name: one(5, 'string'),
    kind: one(6, SPAN_KINDS),
    startTimeUnixNano: one(7, 'fixed64'),
    endTimeUnixNano: one(8, 'fixed64'),
    attributes: many(9, 'KeyValue'),
    droppedAttributesCount: one(10, 'uint32'),
    events: many(11, 'Event'),
    droppedEventsCount: one(12, 'uint32'),
    links: many(13, 'Link'),
    droppedLinksCount: one(14, 'uint32'),
    status: one(15, 'Status'),
    flags: one(16, 'fixed32'),
  },
  Event: {
    timeUnixNano: one(1, 'fixed64'),
    name: one(2, 'string'),
    attributes: many(3, 'KeyValue'),
    droppedAttributesCount: one(4, 'uint32'),
  },
  Link: {
    traceId: one(1, 'traceId'),
    spanId: one(2, 'spanId'),
    traceState: one(3, 'string'),
    attributes: many(4, 'KeyValue'),
    droppedAttributesCount: one(5, 'uint32'),
    flags: one(6, 'fixed32'),
  },
  Status: { message: one(2, 'string'), code: one(3, STATUS_CODES) },
  KeyValue: { key: one(1, 'string'), value: one(2, 'AnyValue') },
  AnyValue: {
    stringValue: one(1, 'string'),
    boolValue: one(2, 'bool'),
    intValue: one(3, 'int64'),
    doubleValue: one(4, 'double'),
    arrayValue: one(5, 'ArrayValue'),
    kvlistValue: one(6, 'KeyValueList'),
    bytesValue: one(7, 'bytes'),
  },
  ArrayValue: { values: many(1, 'AnyValue') },
  KeyValueList: { values: many(1, 'KeyValue') },
} satisfies Record<MessageName, Record<string, Field>>

export const isMessageName = (type: Field['type']): type is MessageName =>
  typeof type === 'string' && Object.hasOwn(MESSAGES, type)

/** The wire types in use, without the two of protobuf's deprecated groups. */
export const VARINT = 0
export const FIXED_64 = 1
export const DELIMITED = 2
export const FIXED_32 = 5

const WIRE_TYPES: Readonly<Record<string, number>> = {
  bool: VARINT,
  int64: VARINT,
  uint32: VARINT,
  double: FIXED_64,
  fixed64: FIXED_64,
  fixed32: FIXED_32,
}

/** The tag before a field's value: its number and wire type. */
export function tagOf({ number, type }: Field): number {
  const wireType = typeof type === 'string' ? (WIRE_TYPES[type] ?? DELIMITED) : VARINT
  return (number << 3) | wireType
}

/** The tags of all fields of a message. A field with another wire type is unknown and skipped. */
export function tagsOf<Name extends MessageName>(name: Name): Record<keyof (typeof MESSAGES)[Name], number> {
  const tags = Object.entries<Field>(MESSAGES[name]).map(([field, definition]) => [field, tagOf(definition)])
  return Object.fromEntries(tags)
}

/** How deep attribute values may be nested, including the value itself. */
export const VALUE_DEPTH_MAX = 100
