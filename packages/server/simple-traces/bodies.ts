import { isJsonObject, type Json, type JsonObject, parseSpanId, parseTraceId, REFERENCE_KEYS } from '@spanhouse/model'
import { json, jsonObject, list, optional, recordOf, reference, storedObject, tags, z } from '@spanhouse/validation'
import { CHANNELS, ORIGINS, TRACE_KINDS } from './origin.ts'

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

const definedReference = reference.transform(
  one => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as typeof one,
)

/** References by key, except the selector; other keys are ignored. */
const references = z
  .object({
    ...Object.fromEntries(KEYS.map(key => [key, optional(definedReference)])),
    selector: optional(storedObject),
  })
  .transform(
    ({ selector, ...keys }): GivenReferences => ({
      keys: Object.fromEntries(Object.entries(keys).filter(([, one]) => one !== undefined)) as SimpleTraceReferences,
      selector,
    }),
  )

const idText = (parse: (text: string) => string | null, error: string) =>
  z.string().transform((text, context) => {
    const id = parse(text)
    if (id === null) context.addIssue({ code: 'custom', params: { type: 'value_error' }, message: error })
    return id as string
  })

const link = z.object({
  trace_id: optional(idText(parseTraceId, 'Input should be a trace id of 32 hexadecimal digits')),
  span_id: optional(idText(parseSpanId, 'Input should be a span id of 16 hexadecimal digits')),
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

export const soughtSimpleTrace = z.object({
  ...provenance,
  ...labels,
  references: optional(references),
  links: optional(soughtLinks),
})
export type SoughtSimpleTrace = z.output<typeof soughtSimpleTrace>

export const sought = optional(soughtLinks)
/** Parsed with the same rules as the windowing of every query for traces. */
export const windowing = optional(json).meta({ description: 'As in POST /traces/query.' })
