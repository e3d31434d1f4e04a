import {
  defined,
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  microsToIso,
  type SpanJson,
} from '@spanhouse/model'
import type { SpanBody } from '@spanhouse/otlp'
import type { LinksBody, NewSimpleTrace, SimpleTraceEdit } from './bodies.ts'
import { flagsOf, type Provenance, provenanceOf, USUAL } from './origin.ts'
import type { Surface } from './surfaces.ts'

/** The span of a new simple trace; its duration is zero. */
export function spanOfSimpleTrace(
  surface: Surface,
  ids: Pick<SpanBody, 'trace_id' | 'span_id' | 'span_name'>,
  trace: NewSimpleTrace,
): SpanBody {
  const { origin = USUAL.origin, kind = USUAL.kind, channel = USUAL.channel, links } = trace
  const flags = flagsOf(surface, { origin, kind, channel })
  const ag = { type: { trace: surface.traceType, span: 'task' }, flags, ...membersOf(trace) }
  return { ...ids, attributes: { ag: defined(ag) }, links: linksOf(links ?? []) }
}

/**
 * A stored simple trace after an edit, as a new version of its span. The time of the edit is part of the version:
 * otherwise, sending the same content again would count as a repetition, and the trace would not be updated.
 */
export function editedSpan(span: SpanJson, edit: SimpleTraceEdit, edited_at: Micros): SpanBody {
  const { attributes, references, links, ...rest } = span
  const { ag } = attributes as { ag: JsonObject }
  const { data: _, unsupported, ...kept } = ag
  const members = membersOf(edit)
  // Data that did not fit before is replaced with the data.
  const parked = isJsonObject(unsupported) ? withoutKey(unsupported, 'data') : unsupported
  const changed = { ...kept, unsupported: parked, ...members }
  return {
    ...(rest as unknown as SpanBody),
    attributes: {
      ...(attributes as JsonObject),
      ag: defined(changed),
      record: { edited_at: microsToIso(edited_at) },
    },
    references: edit.references ? undefined : (references as Json[] | undefined),
    links: edit.links ? linksOf(edit.links) : (links as Json[] | undefined),
  }
}

/** The members of a body as members of `ag`; omitted ones are undefined. */
function membersOf({ data, tags, meta, references }: Omit<SimpleTraceEdit, 'links'>): Record<string, Json | undefined> {
  if (!references) return defined({ data, tags, meta })
  const { keys, selector } = references
  return { ...defined({ data, tags, meta }), references: keys as JsonObject, selector }
}

/** Links without both ids are not stored. Links in a list are named by index. */
function linksOf(links: LinksBody): Json[] {
  const named = Array.isArray(links) ? links.map((link, at) => [`link_${at}`, link] as const) : Object.entries(links)
  return named.flatMap(([key, { trace_id, span_id }]) =>
    trace_id && span_id ? { trace_id, span_id, attributes: { key } } : [],
  )
}

/** The fields of a span that make up a simple trace. */
export type SimpleTraceSpan = Pick<SpanJson, 'trace_id' | 'span_id' | 'attributes'> & {
  links?: Json
  created_at?: Json
  created_by_id?: Json
  updated_at?: Json
  updated_by_id?: Json
}

export type SimpleTraceJson = Provenance & { [key: string]: Json | undefined }

/**
 * A span as a simple trace; undefined if it is not one on that surface: without data, or without a reference to a
 * producer.
 */
export function simpleTraceOf(surface: Surface, span: SimpleTraceSpan): SimpleTraceJson | undefined {
  const { ag } = span.attributes as { ag: JsonObject }
  if (Object.keys(objectOf(ag.data)).length === 0) return undefined
  return hasProducer(surface, span) ? toSimpleTrace(surface, span) : undefined
}

/** Whether the span refers to a producer of the surface, if traces on it must have one. */
export function hasProducer({ producer }: Surface, span: SimpleTraceSpan): boolean {
  const { ag } = span.attributes as { ag: JsonObject }
  const references = objectOf(ag.references)
  return !producer || producerKeys(producer).some(key => Object.hasOwn(references, key))
}

export function toSimpleTrace(surface: Surface, span: SimpleTraceSpan): SimpleTraceJson {
  const { ag } = span.attributes as { ag: JsonObject }
  const { trace_id, span_id, created_at, created_by_id, updated_at, updated_by_id } = span
  const links = namedLinks(span.links)
  return {
    trace_id,
    span_id,
    ...provenanceOf(surface, objectOf(ag.flags)),
    ...defined({ tags: ag.tags, meta: ag.meta }),
    data: objectOf(ag.data),
    references: { ...objectOf(ag.references), ...defined({ selector: ag.selector }) },
    ...(surface.mayLackLinks && Object.keys(links).length === 0 ? {} : { links }),
    ...defined({ created_at, created_by_id, updated_at, updated_by_id }),
  }
}

export const producerKeys = (producer: string): string[] => [producer, `${producer}_variant`, `${producer}_revision`]

/**
 * All links: one without a name, or with the name of an earlier one, is named by its index, or by the next free number.
 */
function namedLinks(links: Json | undefined): JsonObject {
  const named = new Map<string, JsonObject>()
  let number = 0
  for (const [at, link] of (Array.isArray(links) ? links : []).entries()) {
    const { trace_id, span_id, attributes } = link as { trace_id: string; span_id: string; attributes?: JsonObject }
    let name = attributes?.key
    if (typeof name !== 'string' || named.has(name)) {
      for (number = Math.max(number, at); named.has(`link_${number}`); ) number++
      name = `link_${number}`
    }
    named.set(name, { trace_id, span_id })
  }
  return Object.fromEntries(named)
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

function withoutKey(object: JsonObject, key: string): JsonObject | undefined {
  const { [key]: _, ...rest } = object
  return Object.keys(rest).length > 0 ? rest : undefined
}
