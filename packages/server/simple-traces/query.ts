import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { parseSpanQuery, type SpanQuery } from '@spanhouse/query'
import type { SimpleTraceReferences, SoughtLinks, SoughtSimpleTrace } from './bodies.ts'
import { CONDITIONS } from './origin.ts'
import { producerKeys } from './span.ts'
import type { Surface } from './surfaces.ts'

/** A query, in the three members of its body. */
export interface SimpleTraceQuery {
  trace: SoughtSimpleTrace | undefined
  links: SoughtLinks | undefined
  windowing: Json | undefined
}

/**
 * The query for traces whose root matches; undefined if none can match: a link to search for needs both ids. Throws a
 * Problem `invalid` or `unprocessable` like queries for traces.
 */
export function toSpanQuery(
  surface: Surface,
  { trace, links, windowing }: SimpleTraceQuery,
): SpanQuery<'trace'> | undefined {
  const outgoing = linksIn(trace?.links)
  const own = linksIn(links).flatMap(({ trace_id }) => trace_id ?? [])
  const isMatchless =
    outgoing.some(({ trace_id, span_id }) => !trace_id || !span_id) || (own.length === 0 && linksIn(links).length > 0)
  const conditions = [
    { field: 'trace_type', operator: 'in', value: [...surface.shows] },
    { field: 'parent_id', operator: 'is', value: null },
    anyOf(['inputs', 'outputs', 'parameters', 'internals'].map(member => hasData(member))),
    ...(surface.producer ? [anyOf(producerKeys(surface.producer).map(hasReference))] : []),
    ...(own.length > 0 ? [{ field: 'trace_id', operator: 'in', value: own }] : []),
    ...(trace ? conditionsOf(trace) : []),
    ...(Array.isArray(trace?.links) ? linkedTo(outgoing) : outgoing.flatMap(link => linkedTo([link]))),
  ]
  // Parsed in any case: whether the window is valid does not depend on what is searched for.
  const query = parseSpanQuery({ filtering: { conditions }, windowing }, 'trace')
  return isMatchless ? undefined : query
}

const linksIn = (links: SoughtLinks | undefined) => (Array.isArray(links) ? links : Object.values(links ?? {}))

const anyOf = (conditions: object[]): object => ({ operator: 'or', conditions })
const hasData = (member: string): object => ({ field: 'attributes', key: `ag.data.${member}`, operator: 'exists' })
const hasReference = (value: string): object => ({ field: 'references', key: 'attributes.key', operator: 'has', value })
const linkedTo = (value: object[]): object[] => (value.length > 0 ? [{ field: 'links', operator: 'in', value }] : [])

function conditionsOf({ origin, kind, channel, tags, meta, references }: SoughtSimpleTrace): object[] {
  return [
    ...(origin ? CONDITIONS.origin[origin] : []),
    ...(kind ? CONDITIONS.kind[kind] : []),
    ...(channel ? CONDITIONS.channel[channel] : []),
    ...containing('ag.tags', tags),
    ...containing('ag.meta', meta),
    ...Object.entries(references?.keys ?? {}).flatMap(([key, reference]) => refersTo(key, reference)),
  ]
}

/** Whether every member of the given object is contained in the stored one, recursively. */
const containing = (key: string, value: JsonObject | undefined): object[] =>
  isJsonObject(value) && Object.keys(value).length > 0 ? [{ field: 'attributes', key, operator: 'is', value }] : []

/** A version without a slug or id restricts nothing. */
function refersTo(key: string, reference: SimpleTraceReferences[string]): object[] {
  const { id, slug } = reference ?? {}
  if (id === undefined && slug === undefined) return []
  return [{ field: 'references', operator: 'in', value: [{ id, slug, 'attributes.key': key }] }]
}
