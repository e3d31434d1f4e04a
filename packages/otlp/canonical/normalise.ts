import {
  invalid,
  type Json,
  type JsonObject,
  MICROS_MAX,
  type Micros,
  SPAN_KINDS,
  type Span,
  type SpanEvent,
  type SpanLink,
  STATUS_CODES,
} from '@spanhouse/model'
import type { DecodedSpan } from '../bytes/decode.ts'
import type { Attributes, Origin, OtlpEvent, OtlpLink, OtlpSpan } from '../otlp-span.ts'
import type { SpanDraft } from '../span-draft.ts'
import { canonicalise } from './canonical.ts'
import { unflatten } from './unflatten.ts'

/** A decoded span in canonical form; `accepted_at` is the time of a span that has none. */
export const toSpan = (decoded: DecodedSpan, accepted_at: Micros): Span =>
  canonicalise(normaliseSpan(decoded, accepted_at))

/**
 * A decoded span as a draft. What surrounds a span in OTLP becomes attributes next to `ag`, each only if it was sent,
 * so that the export can be rebuilt from what is stored:
 *
 * - `resource`: the resource's attributes as a tree
 * - `scope`: `name`, `version`, and `attributes` as a tree
 * - `otlp`: `trace_state`, `flags` and the `dropped_…_count`s of the span; under `resource` and `scope` their
 *   `schema_url` and `dropped_attributes_count`; under `events` and `links` an object for each with the fields that the
 *   span's own lists cannot hold
 *
 * Links with unusable ids go to `ag.unsupported.links`. An event's time after 2254 is stored as the maximum time.
 *
 * Throws a Problem `invalid` for a span that the scan would reject.
 */
function normaliseSpan({ span, origin }: DecodedSpan, accepted_at: Micros): SpanDraft {
  const { trace_id, span_id, parent_id, span_kind, status_code } = identityOf(span)
  const { resourceAndScope, otlp, conflicts } = envelopeOf(origin)
  const start_time = span.startTime || span.endTime || accepted_at
  const links = span.links.length > 0 ? span.links.filter(isValid) : span.links
  const unusable = span.links.length > 0 ? span.links.filter(link => !isValid(link)) : span.links
  const ownOtlp = otlpOf(span, links)
  return {
    trace_id,
    span_id,
    parent_id,
    span_kind,
    status_code,
    span_name: span.name,
    start_time,
    // The interface treats an end of zero with a start as the time 1970.
    end_time: span.startTime ? span.endTime : start_time,
    accepted_at,
    status_message: span.status.message,
    attributes: span.attributes,
    isInstrumented: true,
    envelope: ownOtlp || otlp ? { ...resourceAndScope, otlp: { ...ownOtlp, ...otlp } } : resourceAndScope,
    links: links.map(toLink),
    events: span.events.map(event => toEvent(event, start_time)),
    unsupported: sent({ links: unusable.map(toLink) as unknown as Json[], _conflicts: conflicts }),
  }
}

type Identity = Pick<SpanDraft, 'trace_id' | 'span_id' | 'parent_id' | 'span_kind' | 'status_code'>

function identityOf(span: OtlpSpan): Identity {
  const { traceId: trace_id, spanId: span_id, parentSpanId: parent_id } = span
  const span_kind = SPAN_KINDS[span.kind]
  const status_code = STATUS_CODES[span.status.code]
  if (!isTraceId(trace_id) || !isSpanId(span_id) || !span_kind || !status_code)
    throw invalid('A span has no usable id, kind or status code')
  return { trace_id, span_id, parent_id: isSpanId(parent_id) ? parent_id : undefined, span_kind, status_code }
}

interface Envelope {
  resourceAndScope: JsonObject
  otlp: JsonObject | undefined
  /** Attributes of resource or scope whose place is taken by another one. */
  conflicts: JsonObject
}

/** Created once for all spans of a group. */
const envelopes = new WeakMap<Origin, Envelope>()

function envelopeOf(origin: Origin): Envelope {
  const known = envelopes.get(origin)
  if (known) return known
  const { resource, resourceSchemaUrl, scope, scopeSchemaUrl } = origin
  const attributes = new Map([
    ...prefixed('resource.', resource.attributes),
    ...prefixed('scope.attributes.', scope.attributes),
  ])
  const { tree, conflicts } = unflatten(attributes, { resource: {}, scope: { attributes: {} } })
  const { name, version } = scope
  const envelope = {
    resourceAndScope:
      sent({ resource: tree.resource, scope: sent({ name, version, ...(tree.scope as JsonObject) }) }) ?? {},
    otlp: sent({
      resource: sent({ schema_url: resourceSchemaUrl, dropped_attributes_count: resource.droppedAttributesCount }),
      scope: sent({ schema_url: scopeSchemaUrl, dropped_attributes_count: scope.droppedAttributesCount }),
    }),
    conflicts,
  }
  envelopes.set(origin, envelope)
  return envelope
}

const prefixed = (prefix: string, attributes: Attributes): [string, Json][] =>
  [...attributes].map(([key, value]) => [prefix + key, value])

function otlpOf(span: OtlpSpan, links: readonly OtlpLink[]): JsonObject | undefined {
  return sent({
    trace_state: span.traceState,
    flags: span.flags,
    dropped_attributes_count: span.droppedAttributesCount,
    dropped_events_count: span.droppedEventsCount,
    dropped_links_count: span.droppedLinksCount,
    events: sentList(span.events, event => ({ dropped_attributes_count: event.droppedAttributesCount })),
    links: sentList(links, link => ({
      trace_state: link.traceState,
      flags: link.flags,
      dropped_attributes_count: link.droppedAttributesCount,
    })),
  })
}

/** The members that do not have protobuf's default; undefined if there are none. */
function sent(members: Record<string, Json | undefined>): JsonObject | undefined {
  let object: JsonObject | undefined
  for (const key in members) {
    const value = members[key]
    if (!value || (typeof value === 'object' && Object.keys(value).length === 0)) continue
    object ??= {}
    object[key] = value
  }
  return object
}

/** An object for each item; undefined if all would be empty. */
function sentList<Item>(
  items: readonly Item[],
  membersOf: (item: Item) => Record<string, Json>,
): JsonObject[] | undefined {
  if (items.length === 0) return undefined
  const objects = items.map(item => sent(membersOf(item)))
  return objects.some(Boolean) ? objects.map(object => object ?? {}) : undefined
}

/** Decoded ids are lower-case hexadecimal digits, as many as were sent; an all-zero id counts as none. */
const isTraceId = (digits: string): boolean => digits.length === 32 && digits !== NO_TRACE
const isSpanId = (digits: string): boolean => digits.length === 16 && digits !== NO_SPAN
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

const isValid = ({ traceId, spanId }: OtlpLink): boolean => isTraceId(traceId) && isSpanId(spanId)

function toLink({ traceId, spanId, attributes }: OtlpLink): SpanLink {
  return { trace_id: traceId, span_id: spanId, attributes: Object.fromEntries(attributes) }
}

/** An event without a time gets the start of its span. */
function toEvent({ time, name, attributes }: OtlpEvent, start_time: Micros): SpanEvent {
  const timestamp = Math.min(time || start_time, MICROS_MAX)
  return attributes.size > 0 ? { name, timestamp, attributes: Object.fromEntries(attributes) } : { name, timestamp }
}
