import type { SpanId, TraceId, Uuid } from './identifiers.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { Micros } from './time.ts'

export const TRACE_TYPES = ['invocation', 'annotation', 'unknown'] as const
export type TraceType = (typeof TRACE_TYPES)[number]

export const SPAN_TYPES = [
  'agent',
  'chain',
  'workflow',
  'task',
  'tool',
  'embedding',
  'query',
  'llm',
  'completion',
  'chat',
  'rerank',
  'unknown',
] as const
export type SpanType = (typeof SPAN_TYPES)[number]

/**
 * Spans of these types call a model: their tokens are usage, while other spans may only repeat the usage below them.
 */
export const CALL_TYPES: ReadonlySet<SpanType> = new Set(['llm', 'chat', 'completion', 'embedding', 'query', 'rerank'])

/** Spans of these types are steps of an application: calls of models inside them are calls of their own. */
export const STEP_TYPES: ReadonlySet<SpanType> = new Set(['agent', 'chain', 'workflow', 'tool'])

/** In the order of OTLP's numbers: `SPAN_KINDS[kind]`. */
export const SPAN_KINDS = [
  'SPAN_KIND_UNSPECIFIED',
  'SPAN_KIND_INTERNAL',
  'SPAN_KIND_SERVER',
  'SPAN_KIND_CLIENT',
  'SPAN_KIND_PRODUCER',
  'SPAN_KIND_CONSUMER',
] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

/** In the order of OTLP's numbers: `STATUS_CODES[code]`. */
export const STATUS_CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'] as const
export type StatusCode = (typeof STATUS_CODES)[number]

/** The possible keys of a reference under `ag.references`. */
export const REFERENCE_KEYS = [
  'testcase',
  ...['testset', 'query', 'workflow', 'application', 'evaluator', 'environment', 'snippet'].flatMap(kind => [
    kind,
    `${kind}_variant`,
    `${kind}_revision`,
  ]),
] as const

export interface SpanReference {
  id?: Uuid
  slug?: string
  version?: string
  /** `key` is the reference's key, for example `application_revision`. */
  attributes: JsonObject
}

export interface SpanLink {
  trace_id: TraceId
  span_id: SpanId
  /** `key` is the link's name, if it has one. */
  attributes?: JsonObject
}

export interface SpanEvent {
  name: string
  timestamp: Micros
  /** Not unflattened: keys such as `exception.type` stay dotted. */
  attributes?: JsonObject
}

export interface SpanHash {
  id: Uuid
  attributes: JsonObject
}

/**
 * One span in canonical form: the decoder produces it from every accepted encoding, a row is made from it and yields
 * it. Field names are those of the interface; times are in microseconds.
 */
export interface Span {
  trace_id: TraceId
  span_id: SpanId
  /** Absent on roots. */
  parent_id?: SpanId
  /**
   * What this span alone declares about its trace: the type in `ag.type.trace`, or `annotation` if one of its links is
   * named. Absent if it declares nothing. The trace's type is derived from all its spans (roll-up).
   */
  declared_trace_type?: TraceType
  /** Whether `declared_trace_type` was declared explicitly (takes precedence over what links suggest). */
  is_trace_type_explicit?: boolean
  /**
   * Set if, by its convention, the span's own usage repeats that of the spans below it. Absent if no convention says
   * so; the usage may still be a repetition (roll-up).
   */
  repeats_usage?: boolean
  span_type: SpanType
  span_kind: SpanKind
  span_name: string
  start_time: Micros
  end_time: Micros
  status_code: StatusCode
  status_message?: string
  session_id?: string
  user_id?: string
  agent_id?: string
  /** Nested; always with the `ag` skeleton: `type`, `data` and `metrics` with its four members. */
  attributes: JsonObject & { ag: JsonObject }
  references?: SpanReference[]
  links?: SpanLink[]
  hashes?: SpanHash[]
  events?: SpanEvent[]
}

/** A span as the interface returns it: ISO times, no internal fields, null members omitted. */
export type SpanJson = { [key: string]: Json }
