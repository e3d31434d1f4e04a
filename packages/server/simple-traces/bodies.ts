import { defined, isJsonObject, type Json, type JsonObject, REFERENCE_KEYS } from '@spanhouse/model'
import { WINDOWING_MEMBERS } from '@spanhouse/query'
import {
  json,
  jsonObject,
  list,
  optional,
  recordOf,
  reference,
  spanId,
  storedObject,
  tags,
  traceId,
  z,
} from '@spanhouse/validation'
import { windowingProperties } from '../http/query-body.ts'
import { CHANNELS, ORIGINS, TRACE_KINDS } from './origin.ts'
import type { Surface } from './surfaces.ts'

/**
 * The references of a simple trace: all kinds of references except the umbrella kinds, which stand for several of
 * these.
 */
const KEYS = REFERENCE_KEYS.filter(key => !/^(workflow|snippet)/.test(key))

export interface SimpleTraceReferences {
  [key: string]: { id?: string; slug?: string; version?: string } | undefined
}

/** The `references` of a body. */
export interface GivenReferences {
  keys: SimpleTraceReferences
  selector: JsonObject | undefined
}

type GivenReference = z.output<typeof reference>

const withoutUndefined = (one: GivenReference): GivenReference => defined(one) as GivenReference

const membersOf = (one: z.ZodType<GivenReference>) => ({
  ...Object.fromEntries(KEYS.map(key => [key, optional(one)])),
  selector: optional(storedObject),
})
const referenceMembers = membersOf(reference.transform(withoutUndefined))

function givenReferences({ selector, ...keys }: z.output<z.ZodObject<typeof referenceMembers>>): GivenReferences {
  const given = Object.entries(keys).filter(([, one]) => one !== undefined)
  return { keys: Object.fromEntries(given) as SimpleTraceReferences, selector }
}

/** References by key, except the selector; other keys are ignored. */
const references = z.object(referenceMembers).transform(givenReferences)

const link = z.object({
  trace_id: optional(traceId),
  span_id: optional(spanId),
})
/** Links by name, or a list of them. */
const links = z.union([list(link), recordOf(link)])
export type LinksBody = z.output<typeof links>

/** Tags with the usual rules, except that 0 and 1 count as false and true. */
const simpleTraceTags = jsonObject.transform(given => withBooleans(given, 0) as JsonObject).pipe(tags)

/** Tags nested deeper than this are rejected anyway. */
const TAGS_DEPTH_MAX = 100

function withBooleans(value: Json, depth: number): Json {
  if (value === 0 || value === 1) return value === 1
  if (!isJsonObject(value) || depth > TAGS_DEPTH_MAX) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBooleans(one, depth + 1)]))
}

const provenance = {
  origin: optional(z.enum(ORIGINS)),
  kind: optional(z.enum(TRACE_KINDS)),
  channel: optional(z.enum(CHANNELS)),
}
const labels = { tags: optional(simpleTraceTags), meta: optional(storedObject) }

const members = { ...provenance, ...labels, data: storedObject, references }

/** A new simple trace. `links` is required; invocations may send null. */
export const newSimpleTrace = z.object({ ...members, links })
export const newInvocation = z.object({ ...members, links: links.nullable() })
export type NewSimpleTrace = z.output<typeof newInvocation>

/** Omitted members stay unchanged; sent ones replace the stored ones entirely. */
export const simpleTraceEdit = z.object({
  ...labels,
  data: storedObject,
  references: optional(references),
  links: optional(links),
})
export type SimpleTraceEdit = z.output<typeof simpleTraceEdit>

/** Links to search for; the filter checks whether their ids are valid. */
const soughtLink = z.object({ trace_id: optional(z.string()), span_id: optional(z.string()) })
const soughtLinks = z.union([list(soughtLink), recordOf(soughtLink)])
export type SoughtLinks = z.output<typeof soughtLinks>

const soughtReferences = z
  .strictObject(membersOf(z.strictObject(reference.shape).transform(withoutUndefined)))
  .transform(givenReferences)

/** Unknown members are rejected: a misspelt condition that is ignored would return more than was asked for. */
const soughtSimpleTrace = z.strictObject({
  ...provenance,
  ...labels,
  references: optional(soughtReferences),
  links: optional(soughtLinks),
})
export type SoughtSimpleTrace = z.output<typeof soughtSimpleTrace>

/** Its values are parsed with the same rules as the windowing of every query for traces. */
const windowing = z
  .strictObject(Object.fromEntries(WINDOWING_MEMBERS.map(name => [name, optional(json)])))
  .meta({ properties: windowingProperties })

/** The body of a query on a surface. */
export const simpleTraceQuery = ({ name, linksName }: Surface) =>
  z.strictObject({
    [name]: optional(soughtSimpleTrace),
    [linksName]: optional(soughtLinks),
    windowing: optional(windowing),
  })
