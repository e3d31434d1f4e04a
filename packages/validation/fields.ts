import {
  above,
  below,
  FAULTS,
  type Fault,
  isJsonObject,
  type Json,
  type JsonObject,
  MICROS_MAX,
  type Micros,
  microsToIso,
  parseNearestTime,
  parseSpanId,
  parseTimeOfAnyYear,
  parseTraceId,
  parseUuid,
  parseWindowTime,
  type Uuid,
} from '@spanhouse/model'
import { list } from './collections.ts'
import * as z from './zod.ts'

/** A member that may be absent. Null counts as absent, as everywhere in the interface where null has no meaning. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform(value => value ?? undefined)

/** Any JSON, passed through uncopied, so depth and exact integers are preserved. */
export const json: z.ZodType<Json, Json> = z
  .custom<Json>(value => value !== undefined, FAULTS.missing[1])
  .meta({ description: 'Any JSON.' })

/** An optional body that is accepted in any form. */
export const ignoredBody = json.optional()

/** A list of any values, passed through uncopied. */
export const jsonList: z.ZodType<Json[], Json[]> = z
  .custom<Json[]>(Array.isArray, { params: { type: FAULTS.list[0] }, error: FAULTS.list[1] })
  .meta({ type: 'array', items: { description: 'Any JSON.' } })

/** A JSON object with members chosen by the caller, passed through uncopied. */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(isJsonObject, {
    params: { type: FAULTS.map[0] },
    error: FAULTS.map[1],
  })
  .meta({ type: 'object', additionalProperties: true })

const STORED_DEPTH_MAX = 200

/** As {@link jsonObject}, for objects that are stored and processed later: nested at most 200 levels deep. */
export const storedObject: z.ZodType<JsonObject, JsonObject> = jsonObject.refine(
  value => isNestedAtMost(value, STORED_DEPTH_MAX),
  `Input should be nested at most ${STORED_DEPTH_MAX} levels deep`,
)

function isNestedAtMost(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isNestedAtMost(item, depth - 1)) return false
    return true
  }
  // Listing a large object's members takes several times as long as iterating over them.
  for (const name in value) if (!isNestedAtMost((value as JsonObject)[name] as Json, depth - 1)) return false
  return true
}

/** A UUID in any accepted form, normalised to lower case with dashes. */
export const uuid = textOf<Uuid>(parseUuid, FAULTS.uuid).meta({ format: 'uuid' })

/** Ids of traces and spans, normalised as {@link parseTraceId} does. */
export const traceId = textOf(parseTraceId, ['value_error', 'Input should be a trace id of 32 hexadecimal digits'])
export const spanId = textOf(parseSpanId, ['value_error', 'Input should be a span id of 16 hexadecimal digits'])

const TRUE = ['true', 't', 'yes', 'y', 'on', '1']
const FALSE = ['false', 'f', 'no', 'n', 'off', '0']
const BOOLEAN_WORDS = new Map([
  ...TRUE.map(word => [word, true] as const),
  ...FALSE.map(word => [word, false] as const),
])

/** A boolean in a query string. */
export const booleanText: z.ZodType<boolean, string> = textOf<boolean>(
  text => BOOLEAN_WORDS.get(text.toLowerCase()) ?? null,
  ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
).meta({ type: 'boolean' })

/** An integer in a query string, within bounds that default to those of exact numbers. */
export const integerText = ({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
} = {}): z.ZodType<number, string> =>
  textOf<number>(text => (INTEGER.test(text) ? Number(text) : null), FAULTS.integerText)
    .pipe(z.int().min(min).max(max))
    .meta({
      type: 'integer',
      ...(min > Number.MIN_SAFE_INTEGER && { minimum: min }),
      ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
    })

const INTEGER = /^\s*[-+]?\d+\s*$/

const timeBy = (parse: (value: unknown) => Micros | null): z.ZodType<Micros, string | number> =>
  z
    .custom<string | number>(value => value !== undefined)
    .transform((value, context) => {
      const micros = parse(value)
      if (micros === null) refuse(context, FAULTS.datetime)
      return micros as Micros
    })
    .meta({ anyOf: [{ type: 'string' }, { type: 'number' }] })

/** A time in the range that can be stored, in a form of `parseTime` of the model. */
export const time = timeBy(parseTimeOfAnyYear).transform(refuseBeyond)

/** A time in the same forms that is not stored to be shown: the nearest in that range. */
export const nearestTime = timeBy(parseNearestTime)

/** A bound of a time window, parsed by `parseWindowTime` of the model. */
export const windowTime = timeBy(parseWindowTime)

/** Maximum length of a slug, in characters. */
export const SLUG_LENGTH_MAX = 128
const SLUG = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

/** A slug of any length, for entities with a limit of their own. */
export const slugOfAnyLength = z.string().regex(SLUG)

/** A slug: identifies an entity inside its project. */
export const slug = slugOfAnyLength.max(SLUG_LENGTH_MAX)

/** Refers to an entity by id, slug or (for revisions) version. Which of them are required depends on its use. */
export const reference = z.object({ id: optional(uuid), slug: optional(slug), version: optional(z.string()) })

/** The version of a revision where it may also be a number. */
export const looseVersion = z.union([z.string(), z.number()]).transform(String)
/** A {@link reference} with such a version. */
export const looseReference = z.object({ id: optional(uuid), slug: optional(slug), version: optional(looseVersion) })

const REFERENCES_MAX = 1_000

/**
 * References to entities that are requested together. Each becomes a condition of one statement, so their number is
 * limited.
 */
export const referenceList = list(reference, { max: REFERENCES_MAX })

const TAGS_DEPTH_MAX = 64

/** Labels: strings, booleans, and maps of these. */
export const tags: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(value => isJsonObject(value) && Object.values(value).every(member => isTag(member, 1)), {
    params: { type: 'value_error' },
    error: 'Input should be a map of strings, booleans and maps of these',
  })
  .meta({ type: 'object', additionalProperties: true })

function isTag(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return true
  if (!isJsonObject(value) || depth > TAGS_DEPTH_MAX) return false
  return Object.values(value).every(member => isTag(member, depth + 1))
}

/**
 * The part of a list to return. Times bound the creation of entries; `next` is the id of the last entry of the previous
 * page.
 */
export const windowing = z.object({
  newest: optional(windowTime),
  oldest: optional(windowTime),
  next: optional(uuid),
  limit: optional(z.int().transform(limit => Math.max(1, limit))),
  order: optional(z.enum(['ascending', 'descending'])),
  interval: optional(z.int().positive()),
  rate: optional(z.number().min(0).max(1)),
})

export type WindowingBody = z.output<typeof windowing>

function textOf<T>(parse: (text: string) => T | null, fault: Fault) {
  return z.string().transform((text, context) => {
    const value = parse(text)
    if (value === null) refuse(context, fault)
    return value as T
  })
}

/** Adds a violation if a time, in microseconds, is out of the range that can be stored. */
export function refuseBeyond(micros: Micros, context: z.RefinementCtx): Micros {
  if (micros < 0) refuse(context, below(microsToIso(0)))
  if (micros > MICROS_MAX) refuse(context, above(microsToIso(MICROS_MAX)))
  return micros
}

function refuse(context: z.RefinementCtx, [type, message]: Fault): void {
  context.addIssue({ code: 'custom', params: { type }, message })
}
