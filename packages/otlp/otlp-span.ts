import type { Json, Micros } from '@spanhouse/model'

/** Attributes under the sender's keys. Of equal keys the last one is used. */
export type Attributes = Map<string, Json>

/**
 * The messages of an export as decoded. Field names are those of OTLP/JSON, but times are in microseconds (without
 * `UnixNano` in their name) and ids are hexadecimal text of whatever length was sent. A field that was not sent has
 * protobuf's default: 0, an empty text, an empty list.
 */
export interface OtlpResource {
  attributes: Attributes
  droppedAttributesCount: number
}

export interface OtlpScope {
  name: string
  version: string
  attributes: Attributes
  droppedAttributesCount: number
}

export interface OtlpEvent {
  time: Micros
  name: string
  attributes: Attributes
  droppedAttributesCount: number
}

export interface OtlpLink {
  traceId: string
  spanId: string
  traceState: string
  attributes: Attributes
  droppedAttributesCount: number
  flags: number
}

export interface OtlpSpan {
  traceId: string
  spanId: string
  traceState: string
  parentSpanId: string
  name: string
  kind: number
  startTime: Micros
  endTime: Micros
  attributes: Attributes
  droppedAttributesCount: number
  events: OtlpEvent[]
  droppedEventsCount: number
  links: OtlpLink[]
  droppedLinksCount: number
  status: { message: string; code: number }
  flags: number
}

/** Shared by all spans of a `ScopeSpans`. */
export interface Origin {
  resource: OtlpResource
  resourceSchemaUrl: string
  scope: OtlpScope
  scopeSchemaUrl: string
}

export const newResource = (): OtlpResource => ({ attributes: new Map(), droppedAttributesCount: 0 })

export const newScope = (): OtlpScope => ({ name: '', version: '', attributes: new Map(), droppedAttributesCount: 0 })

export const newEvent = (): OtlpEvent => ({ time: 0, name: '', attributes: new Map(), droppedAttributesCount: 0 })

export const newLink = (): OtlpLink => ({
  traceId: '',
  spanId: '',
  traceState: '',
  attributes: new Map(),
  droppedAttributesCount: 0,
  flags: 0,
})

export const newSpan = (): OtlpSpan => ({
  traceId: '',
  spanId: '',
  traceState: '',
  parentSpanId: '',
  name: '',
  kind: 0,
  startTime: 0,
  endTime: 0,
  attributes: new Map(),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { message: '', code: 0 },
  flags: 0,
})
