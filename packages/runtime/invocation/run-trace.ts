import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  isSmall,
  type Json,
  type JsonObject,
  type Micros,
  microsToIso,
  renderJson,
  type SpanId,
  type SpanKind,
  type SpanType,
  type StatusCode,
  type TraceId,
} from '@spanhouse/model'
import { SPANS_MAX, TRACE_BYTES_MAX } from './limits.ts'
import { randomHex } from './random-hex.ts'

/**
 * A span in the interface's JSON form, with its times as integers, which are neither printed nor parsed on their way to
 * the store.
 */
export interface RunSpan {
  trace_id: TraceId
  span_id: SpanId
  parent_id?: SpanId
  span_name: string
  span_kind: SpanKind
  start_time: Micros
  end_time: Micros
  status_code: StatusCode
  status_message?: string
  attributes: JsonObject
  links?: Json[]
  events?: Json[]
}

/** The parts of a span that are known when it starts. */
export interface SpanStart {
  name: string
  type: SpanType
  kind: SpanKind
  inputs?: JsonObject
  parameters?: JsonObject
  /** Converts an error that the work throws to the one that is recorded. */
  asError?(error: unknown): unknown
}

/** The parts of a span that its work sets. Undefined members are not recorded. */
export interface SpanNotes {
  outputs?: Json
  /** Members of `ag.meta`. */
  meta?: JsonObject
  /** `ag.metrics.tokens.incremental` and `ag.metrics.costs.incremental`. */
  tokens?: JsonObject
  costs?: JsonObject
  /** Attributes outside `ag`, by their OpenTelemetry names. */
  attributes?: JsonObject
}

/** How a failure is recorded: as an exception event and in the span's status. */
export interface SpanFailure {
  type: string
  message: string
}

interface EndedSpan extends SpanStart, SpanNotes {
  span_id: SpanId
  parent_id?: SpanId
  started: Micros
  ended: Micros
  failure?: SpanFailure
  /** Members of `ag` of this span alone. */
  own?: JsonObject
  links?: Json[]
}

/** A call, in progress or ended. */
interface Child {
  start: SpanStart
  notes: SpanNotes
  span_id: SpanId
  started: Micros
  ended?: Micros
  failure?: SpanFailure
}

export interface RunTraceOptions {
  /** Of a trace whose span ids follow from it: repeated spans then replace the earlier ones. */
  trace_id?: TraceId
  parent?: { trace_id: TraceId; span_id: SpanId }
  /** Attributes of every span of the run. */
  common: { ag: JsonObject; beside: Readonly<Record<string, string>> }
  clock(): Micros
  /** The failure to record for an error. */
  failureOf(error: unknown): SpanFailure
}

/** The spans of one run as data: a root, and a child for each call. */
export class RunTrace {
  readonly trace_id: TraceId
  readonly span_id: SpanId
  readonly #options: RunTraceOptions
  readonly #started: Micros
  readonly #children: Child[] = []
  #spans = 0

  constructor(options: RunTraceOptions) {
    this.#options = options
    this.#started = options.clock()
    this.trace_id = options.parent?.trace_id ?? options.trace_id ?? randomHex(16)
    this.span_id = this.#newSpanId()
  }

  /** Runs work inside a child span. The work may set the notes until it ends. Its errors are recorded and rethrown. */
  async during<T>(start: SpanStart, work: (notes: SpanNotes, span_id: SpanId) => Promise<T>): Promise<T> {
    const span_id = this.#newSpanId()
    const child: Child = { start, notes: {}, span_id, started: this.#options.clock() }
    if (this.#children.length < SPANS_MAX - 1) this.#children.push(child)
    try {
      return await work(child.notes, span_id)
    } catch (error) {
      child.failure = this.#options.failureOf(start.asError?.(error) ?? error)
      throw error
    } finally {
      child.ended = this.#options.clock()
    }
  }

  /**
   * All spans, the root first. A call that is still in progress is recorded with the run's failure. Members that are
   * nested too deeply or too large to be stored are omitted: an incomplete trace is better than none.
   */
  async end(root: Omit<EndedSpan, 'span_id' | 'parent_id' | 'started' | 'ended'>): Promise<RunSpan[]> {
    const ended = this.#options.clock()
    // Responses that are ready are sent first.
    await nextTurn()
    const parent_id = this.#options.parent?.span_id
    const whole = { ...root, span_id: this.span_id, parent_id, started: this.#started, ended }
    const room = { bytes: TRACE_BYTES_MAX }
    const spans: RunSpan[] = []
    const children = this.#children.map(child => this.#endedSpan(child, ended, root.failure))
    for (const span of [whole, ...children]) spans.push(this.#toSpan(span, await omittedOf(span, room)))
    return spans
  }

  #newSpanId(): SpanId {
    const { trace_id } = this.#options
    if (trace_id === undefined) return randomHex(8)
    return hash('sha256', `${trace_id} ${this.#spans++}`).slice(0, 16)
  }

  #endedSpan({ start, notes, span_id, started, ...child }: Child, now: Micros, rootFailure?: SpanFailure): EndedSpan {
    const { ended = now, failure = child.ended === undefined ? rootFailure : undefined } = child
    return { ...start, ...notes, span_id, parent_id: this.span_id, started, ended, failure }
  }

  #toSpan(span: EndedSpan, omitted: Omitted | undefined): RunSpan {
    const { span_id, parent_id, name, kind, started, ended, failure, links } = span
    const { common } = this.#options
    const status_code = failure ? 'STATUS_CODE_ERROR' : 'STATUS_CODE_OK'
    return {
      trace_id: this.trace_id,
      span_id,
      parent_id,
      span_name: name,
      span_kind: kind,
      start_time: started,
      end_time: ended,
      status_code,
      status_message: failure?.message,
      attributes: {
        ...common.beside,
        ...span.attributes,
        ag: { ...common.ag, ...span.own, ...membersOf(span, omitted) },
      },
      links,
      events: failure && [exceptionEvent(failure, ended)],
    }
  }
}

function membersOf(span: EndedSpan, omitted: Omitted | undefined): JsonObject {
  const { type, tokens, costs, meta, own } = span
  const data: JsonObject = {}
  for (const name of DATA) if (span[name] !== undefined && !omitted?.[name]) data[name] = span[name]
  const members: JsonObject = { type: { span: type, ...(own?.type as JsonObject | undefined) }, data }
  if (tokens || costs)
    members.metrics = {
      ...(tokens && { tokens: { incremental: tokens } }),
      ...(costs && { costs: { incremental: costs } }),
    }
  if (meta || omitted)
    members.meta = { ...(own?.meta as JsonObject | undefined), ...meta, ...(omitted && { omitted: { ...omitted } }) }
  return members
}

const exceptionEvent = ({ type, message }: SpanFailure, at: Micros): Json => ({
  name: 'exception',
  timestamp: microsToIso(at),
  attributes: { 'exception.type': type, 'exception.message': message },
})

/** Nesting depth of a member; stored spans may have 500 in total. */
const DEPTH_MAX = 300

const DATA = ['inputs', 'parameters', 'outputs'] as const

/** Why a member is omitted, by its name. */
type Omitted = { [Name in (typeof DATA)[number]]?: string }

/** Undefined if the span is stored completely. */
async function omittedOf(span: EndedSpan, room: { bytes: number }): Promise<Omitted | undefined> {
  let omitted: Omitted | undefined
  for (const name of DATA) {
    const value = span[name]
    if (value === undefined || isSmall(value)) continue
    const reason = await reasonToOmit(value, room)
    if (reason !== undefined) omitted = { ...omitted, [name]: reason }
  }
  return omitted
}

async function reasonToOmit(value: Json, room: { bytes: number }): Promise<string | undefined> {
  if (isDeeper(value, DEPTH_MAX)) return `nested more than ${DEPTH_MAX} levels deep`
  const bytes = await jsonBytes(value, room.bytes)
  if (bytes > room.bytes) return `larger than what is left of the ${TRACE_BYTES_MAX} bytes of a run's trace`
  room.bytes -= bytes
  return undefined
}

/** The length of a value as JSON text in bytes; if it exceeds `max`, some number above `max`. */
export async function jsonBytes(value: Json, max: number): Promise<number> {
  let bytes = 0
  for await (const piece of renderJson(value)) {
    bytes += piece.length
    if (bytes > max) return bytes
  }
  return bytes
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const one of Object.values(value)) if (isDeeper(one, levels - 1)) return true
  return false
}
