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
 * A span as any source says it, before its attributes are brought into canonical form: what each encoding is parsed
 * into, and all that `canonicalise` needs. Whoever makes a draft gives its values away: nested ones are changed in
 * place.
 */
export interface SpanDraft {
  trace_id: TraceId
  span_id: SpanId
  /** Absent on roots. */
  parent_id?: SpanId
  span_name: string
  span_kind: SpanKind
  /** Outside the attributes; counts where the attributes name no type. */
  span_type?: SpanType
  /** One that is missing is taken from the other, and both from `accepted_at`. */
  start_time?: Micros
  end_time?: Micros
  /** When the receiver accepted the span. */
  accepted_at: Micros
  status_code: StatusCode
  status_message?: string
  /**
   * Flat (`ag.type.span`), nested (`ag` with an object) or both, as sent. Values may be nested 1,000 levels deep;
   * below 100 they become text.
   */
  attributes: ReadonlyMap<string, Json>
  /**
   * Whether the attributes are those of instrumentation, which may speak of LLMs in words of its own: OTLP. What
   * clients write as JSON is in the words of `ag`; there a `metadata` is nobody's but theirs.
   */
  isInstrumented?: boolean
  /**
   * What came around the span rather than with it, as finished top-level attributes (`resource`, `scope`, `otlp`). It
   * keeps its place when the span's own attributes claim the same one. May be shared by drafts: it is not changed.
   */
  envelope?: Readonly<JsonObject>
  /** The list beside the attributes, as sent: items are checked like those under `ag.references`. */
  references?: readonly Json[]
  links?: readonly SpanLink[]
  events?: readonly SpanEvent[]
  /** What the source found no place for, by name; it is kept under `ag.unsupported`. */
  unsupported?: JsonObject
}
