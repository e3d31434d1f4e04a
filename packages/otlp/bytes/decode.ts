import { DELIMITED, type Field, MESSAGES, type MessageName, tagOf } from '../canonical/messages.ts'
import {
  type Attributes,
  newEvent,
  newLink,
  newResource,
  newScope,
  newSpan,
  type Origin,
  type OtlpSpan,
} from '../otlp-span.ts'
import { malformed, readPair } from './any-value.ts'
import { WireReader } from './wire-reader.ts'

/** A span as sent. `origin` is one object for all spans of a group. */
export interface DecodedSpan {
  span: OtlpSpan
  origin: Origin
  /** The length of the span as sent. */
  bytes: number
}

/**
 * Decodes the spans of a `TracesData` or `ExportTraceServiceRequest` lazily, one after the other. Everything that the
 * scan accepts can be decoded; other bytes throw a Problem `invalid`.
 */
export function* decodeTraces(bytes: Uint8Array): Generator<DecodedSpan> {
  const reader = new WireReader(bytes)
  const traces = { resourceSpans: [] as Stretch[] }
  readMessage(traces, 'TracesData', reader, bytes.length)
  for (const stretch of traces.resourceSpans) {
    const group = { resource: newResource(), scopeSpans: [] as Stretch[], schemaUrl: '' }
    readStretch(group, 'ResourceSpans', reader, stretch)
    for (const stretch of group.scopeSpans) yield* decodeScopeSpans(reader, stretch, group.resource, group.schemaUrl)
  }
}

function* decodeScopeSpans(
  reader: WireReader,
  stretch: Stretch,
  resource: Origin['resource'],
  resourceSchemaUrl: string,
) {
  const group = { scope: newScope(), spans: [] as Stretch[], schemaUrl: '' }
  readStretch(group, 'ScopeSpans', reader, stretch)
  const origin: Origin = { resource, resourceSchemaUrl, scope: group.scope, scopeSchemaUrl: group.schemaUrl }
  for (const stretch of group.spans) {
    const span = readStretch(newSpan(), 'Span', reader, stretch)
    yield { span, origin, bytes: stretch.end - stretch.start }
  }
}

/**
 * The position of a member of a group. A group is read before its members, because shared fields may come after them.
 */
interface Stretch {
  start: number
  end: number
}

function readStretch<Target extends object>(
  target: Target,
  name: MessageName,
  reader: WireReader,
  { start, end }: Stretch,
): Target {
  reader.pos = start
  readMessage(target, name, reader, end)
  return target
}

/** Reads a message's fields into the properties of `target`. */
function readMessage(target: object, name: MessageName, reader: WireReader, end: number): void {
  const fields = FIELD_READERS[name]
  while (reader.pos < end) {
    const tag = reader.tag()
    const field = fields[tag]
    if (!field) reader.skip(tag, end)
    else field.read(target as Properties, field.property, reader, (tag & 7) === DELIMITED ? reader.delimited(end) : end)
  }
  if (reader.pos !== end) throw malformed(name)
}

type Properties = Record<string, unknown>

/** Reads a field into `target[property]`. `end` is the end of a length-delimited field; otherwise it is unused. */
type ReadField = (target: Properties, property: string, reader: WireReader, end: number) => void

interface FieldReader {
  property: string
  read: ReadField
}

const readStretchOf: ReadField = (target, property, reader, end) => {
  const stretches = target[property] as Stretch[]
  stretches.push({ start: reader.pos, end })
  reader.pos = end
}

/** A message that occurs twice is merged, as protobuf specifies. */
const readOne =
  (name: MessageName): ReadField =>
  (target, property, reader, end) =>
    readMessage(target[property] as object, name, reader, end)

const readOneMore =
  (name: MessageName, create: () => object): ReadField =>
  (target, property, reader, end) => {
    const message = create()
    readMessage(message, name, reader, end)
    const list = target[property] as object[]
    list.push(message)
  }

const readEnum: ReadField = (target, property, reader) => {
  target[property] = reader.uint32()
}
const readHex: ReadField = (target, property, reader, end) => {
  target[property] = reader.hex(end)
}

/** By the type of a field. Attribute values have their own reader. */
const READ_FIELD: Readonly<Record<string, ReadField>> = {
  string: (target, property, reader, end) => {
    target[property] = reader.string(end)
  },
  uint32: readEnum,
  fixed32: (target, property, reader) => {
    target[property] = reader.fixed32()
  },
  fixed64: (target, property, reader) => {
    target[property] = reader.micros()
  },
  traceId: readHex,
  spanId: readHex,
  KeyValue: (target, property, reader, end) => readPair(reader, end, 0, target[property] as Attributes),
  ResourceSpans: readStretchOf,
  ScopeSpans: readStretchOf,
  Span: readStretchOf,
  Resource: readOne('Resource'),
  InstrumentationScope: readOne('InstrumentationScope'),
  Status: readOne('Status'),
  Event: readOneMore('Event', newEvent),
  Link: readOneMore('Link', newLink),
}

/** For each message the reader of every field, by tag. */
const FIELD_READERS = Object.fromEntries(
  Object.entries<Record<string, Field>>(MESSAGES).map(([name, fields]) => [name, readersByTag(fields)]),
) as Record<MessageName, readonly (FieldReader | undefined)[]>

function readersByTag(fields: Record<string, Field>): readonly (FieldReader | undefined)[] {
  const readers: (FieldReader | undefined)[] = Array.from({ length: 144 })
  for (const [name, field] of Object.entries(fields)) {
    const read = typeof field.type === 'string' ? READ_FIELD[field.type] : readEnum
    if (read) readers[tagOf(field)] = { property: name.replace('UnixNano', ''), read }
  }
  return readers
}
