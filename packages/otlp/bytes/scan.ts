import { invalid, Problem, type SpanId, type TraceId } from '@spanhouse/model'
import { tagsOf } from '../canonical/messages.ts'
import {
  append,
  bytesIn,
  cutTraces,
  type GroupOutline,
  type ScopeOutline,
  type SpanOutline,
  type Stretches,
} from './cut.ts'
import { REJECTIONS, type Rejection, SpanHead } from './span-head.ts'
import { structureOf } from './structure.ts'
import { WireReader } from './wire-reader.ts'

/** One partition's share of an export. */
export interface ScanShare {
  partition: number
  span_count: number
  /** A protobuf `TracesData`. The export itself, not a copy, if nothing was left out. */
  body: Uint8Array
}

export interface ScanResult {
  /** The accepted spans: each (trace, span) once, even if it occurs several times. */
  spans: { trace_id: TraceId; span_id: SpanId }[]
  /** The number of rejected spans. */
  rejected: number
  /** The reasons, for people; empty if no span was rejected. */
  errorMessage: string
  /** Only partitions with spans. Of several versions of one span only the last is included. */
  shares: ScanShare[]
}

/** The partition of a trace, by the 16 bytes of its id: 0 to `partitions` − 1. */
export type PartitionOf = (traceId: Uint8Array, partitions: number) => number

/**
 * Reads an OTLP trace export (protobuf) just enough to validate, count and identify its spans and to divide them among
 * partitions; everything in `shares` can be decoded. Cheap enough for the event loop that answers requests. Does not
 * check that texts are UTF-8: the decoder replaces invalid bytes.
 *
 * A span that cannot be stored is left out and counted. Throws a Problem `invalid` if the bytes are not a trace export,
 * or if there are spans but none is usable, and `too_large` if the export has more than {@link MESSAGES_MAX} messages
 * or the spans including their shared data would exceed {@link SHARED_BYTES_MAX}. An empty body is an export without
 * spans.
 */
export function scanTraces(bytes: Uint8Array, partitions: number, partitionOf: PartitionOf): ScanResult {
  const scan = new Scan(bytes)
  const all = scan.spans()
  const rejected = totalOf(scan.rejections)
  const errorMessage = describe(scan.rejections, rejected)
  if (all.length === 0 && rejected > 0) throw invalid(errorMessage)
  const kept = scan.repeatsSpanIds() ? withoutSuperseded(all) : all
  const isWhole = rejected === 0 && kept.length === all.length
  const shares = divide(kept, span => (partitions === 1 ? 0 : partitionOf(scan.traceIdBytes(span), partitions)))
  return {
    spans: kept.map(({ trace_id, span_id }) => ({ trace_id, span_id })),
    rejected,
    errorMessage,
    shares: [...shares].map(([partition, spans]) => ({
      partition,
      span_count: spans.length,
      body: isWhole && shares.size === 1 ? bytes : cutTraces(bytes, spans),
    })),
  }
}

interface ScannedSpan extends SpanOutline {
  trace_id: TraceId
  span_id: SpanId
  /** Its index among all acceptable spans. */
  index: number
}

/** Keeps the last of the spans with the same ids. */
function withoutSuperseded(spans: readonly ScannedSpan[]): readonly ScannedSpan[] {
  const last = new Map(spans.map(span => [span.trace_id + span.span_id, span]))
  return spans.filter(span => last.get(span.trace_id + span.span_id) === span)
}

function divide(spans: readonly ScannedSpan[], partitionOf: (span: ScannedSpan) => number): Map<number, ScannedSpan[]> {
  const shares = new Map<number, ScannedSpan[]>()
  for (const span of spans) {
    const partition = partitionOf(span)
    if (!shares.get(partition)?.push(span)) shares.set(partition, [span])
  }
  return shares
}

const RESOURCE_SPANS_TAG = tagsOf('TracesData').resourceSpans
/** Both `ResourceSpans` and `ScopeSpans` have resource or scope in field 1 and their members in field 2. */
const { scope: ORIGIN_TAG, spans: MEMBERS_TAG } = tagsOf('ScopeSpans')

const checkResource = structureOf('Resource')
const checkScope = structureOf('InstrumentationScope')

/** The content of a `ResourceSpans` or `ScopeSpans`. */
interface Group {
  rest: Stretches
  /** Three numbers per member: the start of its tag, the start of its content, and its end. */
  members: number[]
  /** Whether its resource or scope can be decoded. */
  isSound: boolean
}

/**
 * Every stored span contains its resource and scope, and every share repeats them: a resource of 1 MB with a hundred
 * thousand tiny spans would become 100 GB. This is the limit of their total size, counted once per span.
 */
const SHARED_BYTES_MAX = 256 * 1024 * 1024

/**
 * Resources, scopes and spans in one export. A span takes 30 bytes or more, so 10 MiB contain no more than 350,000
 * acceptable ones; they could contain five million empty ones, which would take a gigabyte and half a second.
 */
export const MESSAGES_MAX = 350_000

/** Trace id and span id, as bytes and as hexadecimal digits. */
const ID_BYTES = 24
const TRACE_ID_BYTES = 16
const TRACE_ID_DIGITS = 32
const ID_DIGITS = 48

/** One pass over one export. */
class Scan {
  readonly rejections = new Map<Rejection, number>()
  readonly #reader: WireReader
  readonly #head = new SpanHead()
  readonly #outlines: SpanOutline[] = []
  #ids = Buffer.allocUnsafe(ID_BYTES * 64)
  #sharedBytes = 0
  #messages = 0

  constructor(bytes: Uint8Array) {
    this.#reader = new WireReader(bytes)
    const end = bytes.length
    let hasGroups = false
    while (this.#reader.pos < end) {
      const tag = this.#reader.tag()
      if (tag !== RESOURCE_SPANS_TAG) this.#reader.skip(tag, end)
      else {
        hasGroups = true
        this.#countMessage()
        this.#readResourceSpans(this.#reader.delimited(end))
      }
    }
    if (this.#reader.pos !== end || (end > 0 && !hasGroups)) throw notTraces(bytes)
  }

  /** The acceptable spans, in order. All ids are converted to text at once. */
  spans(): ScannedSpan[] {
    const hex = this.#ids.toString('hex', 0, this.#outlines.length * ID_BYTES)
    return this.#outlines.map(({ start, end, scope }, index) => ({
      trace_id: hex.slice(index * ID_DIGITS, index * ID_DIGITS + TRACE_ID_DIGITS),
      span_id: hex.slice(index * ID_DIGITS + TRACE_ID_DIGITS, (index + 1) * ID_DIGITS),
      index,
      start,
      end,
      scope,
    }))
  }

  /**
   * Whether a span id occurs more than once, in whichever traces. Looked for among numbers: V8 enters each text that
   * becomes the key of a map in a table of its own.
   */
  repeatsSpanIds(): boolean {
    const { buffer, byteOffset } = this.#ids
    const ids = new DataView(buffer, byteOffset)
    const sorted = new BigUint64Array(this.#outlines.length)
    for (let at = 0; at < sorted.length; at++) sorted[at] = ids.getBigUint64(at * ID_BYTES + TRACE_ID_BYTES)
    sorted.sort()
    for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) return true
    return false
  }

  traceIdBytes({ index }: ScannedSpan): Uint8Array {
    return this.#ids.subarray(index * ID_BYTES, index * ID_BYTES + TRACE_ID_BYTES)
  }

  #readResourceSpans(end: number): void {
    const { rest, members, isSound } = this.#readGroup(end, checkResource)
    const resource: GroupOutline = { rest }
    for (let at = 0; at < members.length; at += 3) {
      this.#reader.pos = members[at + 1] as number
      this.#readScopeSpans(members[at + 2] as number, resource, isSound)
    }
    this.#reader.pos = end
  }

  #readScopeSpans(end: number, resource: GroupOutline, isResourceSound: boolean): void {
    const { rest, members, isSound } = this.#readGroup(end, checkScope)
    const scope: ScopeOutline = { rest, resource }
    this.#sharedBytes += (bytesIn(resource.rest) + bytesIn(rest)) * (members.length / 3)
    if (this.#sharedBytes > SHARED_BYTES_MAX) throw tooMuchShared()
    for (let at = 0; at < members.length; at += 3) {
      this.#reader.pos = members[at + 1] as number
      const stop = members[at + 2] as number
      const rejection = isResourceSound && isSound ? this.#head.read(this.#reader, stop) : 'origin'
      if (rejection === null) this.#accept({ start: members[at] as number, end: stop, scope })
      else this.rejections.set(rejection, (this.rejections.get(rejection) ?? 0) + 1)
    }
  }

  /** Reads over a group, so that the data shared by its members is known before the first of them is read. */
  #readGroup(end: number, checkOrigin: typeof checkScope): Group {
    const reader = this.#reader
    const group: Group = { rest: [], members: [], isSound: true }
    while (reader.pos < end) {
      const start = reader.pos
      const tag = reader.tag()
      if (tag === MEMBERS_TAG) {
        const stop = reader.delimited(end)
        this.#countMessage()
        group.members.push(start, reader.pos, stop)
        reader.pos = stop
        continue
      }
      if (tag === ORIGIN_TAG) {
        const stop = reader.delimited(end)
        group.isSound &&= checkOrigin(reader, stop) === 'sound'
        reader.pos = stop
      } else reader.skip(tag, end)
      append(group.rest, start, reader.pos)
    }
    if (reader.pos !== end) throw notTraces(reader.bytes)
    return group
  }

  #countMessage(): void {
    if (++this.#messages > MESSAGES_MAX)
      throw new Problem('too_large', `The export has more than ${MESSAGES_MAX} resources, scopes and spans`)
  }

  #accept(outline: SpanOutline): void {
    const at = this.#outlines.push(outline) * ID_BYTES - ID_BYTES
    if (at === this.#ids.length) this.#ids = Buffer.concat([this.#ids, Buffer.allocUnsafe(at)])
    const { bytes } = this.#reader
    const { traceIdAt, spanIdAt } = this.#head
    bytes.copy(this.#ids, at, traceIdAt, traceIdAt + TRACE_ID_BYTES)
    bytes.copy(this.#ids, at + TRACE_ID_BYTES, spanIdAt, spanIdAt + ID_BYTES - TRACE_ID_BYTES)
  }
}

const tooMuchShared = (): Problem =>
  new Problem(
    'too_large',
    `Resource and scope are stored with each span and would exceed ${SHARED_BYTES_MAX} bytes in total`,
  )

const JSON_START = /^\s*[[{]/

function notTraces(bytes: Uint8Array): Problem {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  const hint = JSON_START.test(start) ? '; OTLP/JSON requires the Content-Type application/json' : ''
  return invalid(`The body is not an OTLP trace export in protobuf, or it is truncated${hint}`)
}

const REASONS_MAX = 5

/**
 * For example `3 spans rejected: kind must be 0 to 5 (2), malformed protobuf in the span (1)`; empty if there are none.
 */
function describe(rejections: ReadonlyMap<Rejection, number>, total: number): string {
  if (total === 0) return ''
  const reasons = [...rejections].sort(([, one], [, other]) => other - one).slice(0, REASONS_MAX)
  const texts = reasons.map(([reason, count]) =>
    rejections.size === 1 ? REJECTIONS[reason] : `${REJECTIONS[reason]} (${count})`,
  )
  return `${total} ${total === 1 ? 'span' : 'spans'} rejected: ${texts.join(', ')}`
}

const totalOf = (rejections: ReadonlyMap<Rejection, number>): number =>
  [...rejections.values()].reduce((sum, count) => sum + count, 0)
