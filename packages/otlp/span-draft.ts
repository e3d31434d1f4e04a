import type {
  Json,
  JsonObject,
  Micros,
  SpanEvent,
  SpanId,
  SpanKind,
  SpanLink,
  SpanType,
  StatusCode,
  TraceId,
} from '@spanhouse/model'

/**
 * A span from any source, before its attributes are brought into canonical form: every encoding is parsed into it, and
 * it contains everything that `canonicalise` needs. A draft owns its values: nested ones are changed in place.
 */
export interface SpanDraft {
  trace_id: TraceId
  span_id: SpanId
  /** Absent on roots. */
  parent_id?: SpanId
  span_name: string
  span_kind: SpanKind
  /** A type outside the attributes; used if the attributes contain none. */
  span_type?: SpanType
  /** A missing time is taken from the other, and both from `accepted_at`. */
  start_time?: Micros
  end_time?: Micros
  /** When the receiver accepted the span. */
  accepted_at: Micros
  status_code: StatusCode
  status_message?: string
  /**
   * Flat (`ag.type.span`), nested (`ag` with an object) or both, as sent. Values may be nested 1,000 levels deep; below
   * 100 they become text.
   */
  attributes: ReadonlyMap<string, Json>
  /**
   * Whether the attributes come from instrumentation (OTLP), which may describe LLM calls by its own conventions. JSON
   * from clients uses the names of `ag`; a `metadata` there is the client's own.
   */
  isInstrumented?: boolean
  /**
   * Data that surrounds the span, as finished top-level attributes (`resource`, `scope`, `otlp`). It keeps its place if
   * the span's own attributes use the same one. Drafts may share it: it is not changed.
   */
  envelope?: Readonly<JsonObject>
  /** The list next to the attributes, as sent: items are checked like those under `ag.references`. */
  references?: readonly Json[]
  links?: readonly SpanLink[]
  events?: readonly SpanEvent[]
  /** Values for which the source has no place, by name; kept under `ag.unsupported`. */
  unsupported?: JsonObject
}
