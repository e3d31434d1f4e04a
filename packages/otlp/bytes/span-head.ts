import { MICROS_MAX, SPAN_KINDS, STATUS_CODES } from '@spanhouse/model'
import { tagsOf, VALUE_DEPTH_MAX } from '../canonical/messages.ts'
import { type Structure, structureOf } from './structure.ts'
import type { WireReader } from './wire-reader.ts'

/** Why a span cannot be accepted. The texts are constant, so an export has a handful of them, not one per span. */
export const REJECTIONS = {
  malformed: 'malformed protobuf in the span',
  deep: `attributes nested deeper than ${VALUE_DEPTH_MAX} levels`,
  origin: `malformed resource or scope, or nested deeper than ${VALUE_DEPTH_MAX} levels`,
  traceId: 'trace_id must be 16 bytes, not all zero',
  spanId: 'span_id must be 8 bytes, not all zero',
  parentId: 'parent_span_id must be 8 bytes or absent',
  kind: `kind must be 0 to ${SPAN_KINDS.length - 1}`,
  status: `status code must be 0 to ${STATUS_CODES.length - 1}`,
  time: 'start or end time is after the year 2254',
} as const
export type Rejection = keyof typeof REJECTIONS

const TAGS = tagsOf('Span')
const STATUS_TAGS = tagsOf('Status')
const checkAttribute = structureOf('KeyValue')
const checkEvent = structureOf('Event')
const checkLink = structureOf('Link')

/**
 * The parts of one span that the receiver needs, read without decoding it. One instance is used for a whole export:
 * `read` overwrites it. If a field occurs twice the last one is used, as protobuf specifies.
 */
export class SpanHead {
  /** The start of the ids' bytes; -1 if there is no usable id. */
  traceIdAt = -1
  spanIdAt = -1
  #hasParentIdFault = false
  #kind = 0
  #statusCode = 0
  #start = 0
  #end = 0
  #structure: Structure = 'sound'

  /** Reads the span from the reader's position to `end`. Returns null if it can be accepted. */
  read(reader: WireReader, end: number): Rejection | null {
    this.traceIdAt = this.spanIdAt = -1
    this.#hasParentIdFault = false
    this.#kind = this.#statusCode = this.#start = this.#end = 0
    this.#structure = 'sound'
    while (reader.pos < end && this.#structure === 'sound') this.#readField(reader, end)
    if (this.#structure === 'sound' && reader.pos !== end) this.#structure = 'malformed'
    return this.#rejection()
  }

  #readField(reader: WireReader, end: number): void {
    const tag = reader.tag()
    switch (tag) {
      case TAGS.attributes:
        this.#structure = checkAttribute(reader, reader.delimited(end))
        break
      case TAGS.traceId:
        this.traceIdAt = idAt(reader, reader.delimited(end), 16)
        break
      case TAGS.spanId:
        this.spanIdAt = idAt(reader, reader.delimited(end), 8)
        break
      case TAGS.parentSpanId: {
        const stop = reader.delimited(end)
        this.#hasParentIdFault = stop !== reader.pos && stop !== reader.pos + 8
        reader.pos = stop
        break
      }
      case TAGS.kind:
        this.#kind = reader.uint32()
        break
      case TAGS.startTimeUnixNano:
        this.#start = reader.micros()
        break
      case TAGS.endTimeUnixNano:
        this.#end = reader.micros()
        break
      case TAGS.events:
        this.#structure = checkEvent(reader, reader.delimited(end))
        break
      case TAGS.links:
        this.#structure = checkLink(reader, reader.delimited(end))
        break
      case TAGS.status:
        this.#readStatus(reader, reader.delimited(end))
        break
      default:
        reader.skip(tag, end)
    }
  }

  #readStatus(reader: WireReader, end: number): void {
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === STATUS_TAGS.code) this.#statusCode = reader.uint32()
      else reader.skip(tag, end)
    }
    if (reader.pos !== end) this.#structure = 'malformed'
  }

  #rejection(): Rejection | null {
    if (this.#structure !== 'sound') return this.#structure
    if (this.traceIdAt < 0) return 'traceId'
    if (this.spanIdAt < 0) return 'spanId'
    if (this.#hasParentIdFault) return 'parentId'
    if (this.#kind >= SPAN_KINDS.length) return 'kind'
    if (this.#statusCode >= STATUS_CODES.length) return 'status'
    return this.#start > MICROS_MAX || this.#end > MICROS_MAX ? 'time' : null
  }
}

/** Moves past a value that ends at `end`. Returns its start, or -1 if it is not an id with that many bytes. */
function idAt(reader: WireReader, end: number, byteCount: number): number {
  const start = reader.pos
  reader.pos = end
  if (end - start !== byteCount) return -1
  for (let at = start; at < end; at++) if (reader.bytes[at] !== 0) return start
  return -1
}
