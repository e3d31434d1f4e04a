import {
  FAULTS,
  type Fault,
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  parseTime,
  parseUuid,
  parseWindowTime,
  type Uuid,
} from '@spanhouse/model'
import { z } from 'zod'
import { list } from './collections.ts'

/** A member that may be absent; null counts as absent, as everywhere in the interface where null has no meaning. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform(value => value ?? undefined)

/** Any JSON, taken as it stands: nothing is copied, so depth and exact integers are no matter. */
export const json: z.ZodType<Json, Json> = z.custom<Json>(value => value !== undefined, FAULTS.missing[1])

/** A list of anything, taken as it stands. */
export const jsonList: z.ZodType<Json[], Json[]> = z
  .custom<Json[]>(Array.isArray, { params: { type: FAULTS.list[0] }, error: FAULTS.list[1] })
  .meta({ type: 'array', items: {} })

/** A JSON object with members of the caller's choosing, taken as it stands. */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(isJsonObject, {
    params: { type: FAULTS.map[0] },
    error: FAULTS.map[1],
  })
  .meta({ type: 'object', additionalProperties: true })

const STORED_DEPTH_MAX = 200

/** As {@link jsonObject}, for what is stored and worked on later: nested at most 200 levels deep. */
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
  // A list of a large object's members takes several times as long as the walk.
  for (const name in value) if (!isNestedAtMost((value as JsonObject)[name] as Json, depth - 1)) return false
  return true
}

/** A UUID in any accepted form, normalised to lower case with dashes. */
export const uuid = textOf<Uuid>(parseUuid, FAULTS.uuid).meta({ format: 'uuid' })

const TRUE = ['true', 't', 'yes', 'y', 'on', '1']
const FALSE = ['false', 'f', 'no', 'n', 'off', '0']
const BOOLEAN_WORDS = new Map([
  ...TRUE.map(word => [word, true] as const),
  ...FALSE.map(word => [word, false] as const),
])

/** A boolean as a query string has it. */
export const booleanText: z.ZodType<boolean, string> = textOf<boolean>(
  text => BOOLEAN_WORDS.get(text.toLowerCase()) ?? null,
  ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
).meta({ type: 'boolean' })

const timeBy = (parse: (value: unknown) => Micros | null): z.ZodType<Micros, string | number> =>
  z
    .custom<string | number>(value => value !== undefined)
    .transform((value, context) => {
      const micros = parse(value)
      if (micros === null) refuse(context, FAULTS.datetime)
      return micros as Micros
    })
    .meta({ anyOf: [{ type: 'string' }, { type: 'number' }] })

/** A time, as `parseTime` of the model reads it. */
export const time = timeBy(parseTime)

/** A bound of a window in time, as `parseWindowTime` of the model reads it. */
export const windowTime = timeBy(parseWindowTime)

/** Characters of a slug. */
export const SLUG_LENGTH_MAX = 128
const SLUG = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

/** A slug of any length, for records with a limit of their own. */
export const slugOfAnyLength = z.string().regex(SLUG, `String should match pattern '${SLUG.source}'`)

/** The name by which a record is referred to inside its project. */
export const slug = slugOfAnyLength.max(SLUG_LENGTH_MAX, `String should have at most ${SLUG_LENGTH_MAX} characters`)

/** Points at a record by id, slug or (revisions) version; which of them are needed is decided where it is used. */
export const reference = z.object({ id: optional(uuid), slug: optional(slug), version: optional(z.string()) })

const REFERENCES_MAX = 1_000

/** Points at records that are asked for together. Each reference becomes a condition of one statement, so there is a limit. */
export const referenceList = list(reference, { max: REFERENCES_MAX })

export type ReferenceBody = z.output<typeof reference>

const TAGS_DEPTH_MAX = 64

/** Labels: text, booleans, and maps of them. */
export const tags: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(value => isJsonObject(value) && Object.values(value).every(member => isTag(member, 1)), {
    params: { type: 'value_error' },
    error: 'Input should be a map of text, booleans and maps of these',
  })
  .meta({ type: 'object', additionalProperties: true })

function isTag(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return true
  if (!isJsonObject(value) || depth > TAGS_DEPTH_MAX) return false
  return Object.values(value).every(member => isTag(member, depth + 1))
}

/** Which part of a list is asked for. Times bound the records' creation; `next` is the id of the last one of a page. */
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

function refuse(context: z.RefinementCtx, [type, message]: Fault): void {
  context.addIssue({ code: 'custom', params: { type }, message })
}
