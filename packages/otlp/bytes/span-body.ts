import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  parseSpanId,
  parseTime,
  parseTraceId,
  type SpanEvent,
  type SpanId,
  type SpanKind,
  type SpanLink,
  type SpanType,
  type StatusCode,
} from '@spanhouse/model'
import type { SpanDraft } from '../span-draft.ts'

/**
 * A span in the interface's own JSON. Its members have the right types but are otherwise not checked: ids in any
 * accepted form, times as ISO text or as integers of seconds, milliseconds, microseconds or nanoseconds.
 */
export interface SpanBody {
  trace_id: string
  span_id: string
  /** Absent, empty or zero on roots. */
  parent_id?: string
  span_name: string
  /** Used if the attributes contain no type. */
  span_type?: SpanType
  span_kind?: SpanKind
  start_time?: Json
  end_time?: Json
  status_code?: StatusCode
  status_message?: string
  attributes?: JsonObject
  references?: readonly Json[]
  links?: readonly Json[]
  events?: readonly Json[]
}

/** A body may be nested deeper than this; its spans are stored only up to this many levels. */
const BODY_LEVELS_MAX = 500

/**
 * The span as a draft; null if it cannot be stored because an id or a time is not valid, or values are nested more than
 * {@link BODY_LEVELS_MAX} levels deep. Malformed links and events go to `ag.unsupported`; an event without a time gets
 * the start of its span. The draft takes over the body's values.
 */
export function draftOfBody(body: SpanBody, accepted_at: Micros): SpanDraft | null {
  const trace_id = parseTraceId(body.trace_id)
  const span_id = parseSpanId(body.span_id)
  const parent_id = parentOf(body.parent_id)
  const [start_time, end_time] = [timeOf(body.start_time), timeOf(body.end_time)]
  if (!trace_id || !span_id || parent_id === null || start_time === null || end_time === null) return null
  const { attributes = {}, references, links = [], events = [] } = body
  if (![attributes, references, links, events].every(part => isShallow(part))) return null
  const began = start_time ?? end_time ?? accepted_at
  return {
    trace_id,
    span_id,
    parent_id,
    span_name: body.span_name,
    span_type: body.span_type,
    span_kind: body.span_kind ?? 'SPAN_KIND_UNSPECIFIED',
    status_code: body.status_code ?? 'STATUS_CODE_UNSET',
    status_message: body.status_message,
    start_time,
    end_time,
    accepted_at,
    references,
    attributes: new Map(Object.entries(attributes)),
    links: links.flatMap(link => linkOf(link) ?? []),
    events: events.flatMap(event => eventOf(event, began) ?? []),
    unsupported:
      links.length + events.length === 0
        ? undefined
        : unusable({
            links: links.filter(link => !linkOf(link)),
            events: events.filter(event => !eventOf(event, began)),
          }),
  }
}

const NO_PARENT = /^(0x)?[0-]*$/i

/** Whether a `parent_id` means no parent: absent, empty or zero. */
export const isNoParent = (text = ''): boolean => NO_PARENT.test(text.trim())

/** Undefined for a root, null if malformed. */
const parentOf = (text?: string): SpanId | null | undefined =>
  isNoParent(text) ? undefined : parseSpanId(text as string)

/** Undefined if absent, null if malformed. */
function timeOf(value: Json | undefined): Micros | null | undefined {
  if (value === undefined) return undefined
  return parseTime(value)
}

function linkOf(value: Json): SpanLink | null {
  if (!isJsonObject(value)) return null
  const trace_id = parseTraceId(textOf(value.trace_id))
  const span_id = parseSpanId(textOf(value.span_id))
  return trace_id && span_id ? { trace_id, span_id, attributes: objectOf(value.attributes) ?? {} } : null
}

function eventOf(value: Json, began: Micros): SpanEvent | null {
  if (!isJsonObject(value) || typeof value.name !== 'string') return null
  const timestamp = timeOf(value.timestamp) ?? began
  const attributes = objectOf(value.attributes)
  return { name: value.name, timestamp, ...(attributes && { attributes }) }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const objectOf = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined)

function unusable(lists: Record<string, readonly Json[]>): JsonObject | undefined {
  const found = Object.entries(lists).filter(([, list]) => list.length > 0)
  return found.length > 0 ? (Object.fromEntries(found) as JsonObject) : undefined
}

/** Stops at the limit, so that deep values do not exhaust the stack. `for … in` takes five times as long. */
function isShallow(value: Json | readonly Json[] | undefined, levels = BODY_LEVELS_MAX): boolean {
  if (levels < 0) return false
  if (typeof value !== 'object' || value === null) return true
  for (const one of Array.isArray(value) ? value : Object.values(value)) if (!isShallow(one, levels - 1)) return false
  return true
}
