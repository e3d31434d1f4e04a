import { isJsonObject, type JsonObject, parseJson, scanShortJson } from '@spanhouse/model'
import type { Kind, Layer, ListQuery, RecordFilter, Reference } from '@spanhouse/registry'
import {
  booleanText,
  integerText,
  jsonObject,
  list,
  nearestTime,
  optional,
  slug,
  storedObject,
  tags,
  uuid,
  windowing,
  windowTime,
  z,
} from '@spanhouse/validation'
import { BODY_BYTES_MAX, jsonBounds } from '../../budget/limits.ts'
import { nameOf, referenceListMembers } from './bodies.ts'

const LAYERS_UP_TO: Record<Layer, readonly Layer[]> = {
  artifact: ['artifact'],
  variant: ['artifact', 'variant'],
  revision: ['artifact', 'variant', 'revision'],
}

const text = optional(z.string())

const filter = z
  .object({
    slug: optional(slug),
    slugs: optional(list(slug)),
    name: text,
    description: text,
    message: text,
    flags: optional(storedObject),
    tags: optional(tags),
    meta: optional(jsonObject),
    folder_id: uuid.nullish(),
    author: optional(uuid),
    authors: optional(list(uuid)),
    date: optional(nearestTime),
    dates: optional(list(nearestTime)),
  })
  .transform(
    ({ slug: one, slugs, author, authors, date, dates, meta: _ignored, ...rest }): RecordFilter => ({
      ...rest,
      slugs: merged(one, slugs),
      authors: merged(author, authors),
      dates: merged(date, dates),
    }),
  )

/** Combines the singular and the plural form; an empty list does not restrict. */
function merged<T>(one: T | undefined, several: T[] = []): T[] | undefined {
  const all = one === undefined ? several : [one, ...several]
  return all.length === 0 ? undefined : all
}

/** The members of the filter that a layer supports; others are ignored. */
const FILTERS: Record<Layer, readonly (keyof RecordFilter)[]> = {
  artifact: ['slugs', 'name', 'description', 'flags', 'tags', 'folder_id'],
  variant: ['slugs', 'name', 'description', 'flags', 'tags'],
  revision: ['slugs', 'name', 'description', 'flags', 'tags', 'authors', 'dates', 'message'],
}

/** The body of a query for a layer. If `isOptional`, an absent body matches everything. */
export function queryBody<M extends z.ZodRawShape>(kind: Kind, layer: Layer, more: M, isOptional: boolean) {
  const references = referenceListMembers(kind, LAYERS_UP_TO[layer])
  const body = z
    .object({
      [nameOf(kind, layer)]: optional(filter),
      ...references.members,
      include_archived: optional(z.boolean()),
      windowing: optional(windowing),
      ...more,
    })
    .transform((read: Record<string, unknown>) => {
      const query: ListQuery = {
        filter: known(layer, read[nameOf(kind, layer)] as RecordFilter | undefined),
        ...references.pick(read),
        include_archived: read.include_archived as boolean | undefined,
        windowing: read.windowing as ListQuery['windowing'],
      }
      return { query, rest: read as z.output<z.ZodObject<M>> }
    })
  return isOptional ? z.preprocess(value => value ?? {}, body) : body
}

const known = (layer: Layer, filter: RecordFilter = {}): RecordFilter =>
  Object.fromEntries(FILTERS[layer].map(name => [name, filter[name]]).filter(([, value]) => value !== undefined))

/** Several values in a query string: the name repeated, or a comma-separated list. */
const texts = optional(
  z.union([z.string(), list(z.string())]).transform(value => [value].flat().flatMap(one => one.split(','))),
)
const listIn = (schema: z.ZodType<string, string>) => optional(texts.pipe(list(schema).optional()))
/** JSON in a query string; anything but a JSON object is ignored. */
const looseJson = optional(z.string().transform(parsedOrNothing))

/** A query in the query string, for clients that send it there. */
export function queryString(kind: Kind, layer: Layer) {
  const layers = LAYERS_UP_TO[layer]
  const members = layers.flatMap(one => {
    const name = nameOf(kind, one)
    return [
      [`${name}_id`, optional(uuid)],
      [`${name}_ids`, listIn(uuid)],
      [`${name}_slug`, optional(slug)],
      [`${name}_slugs`, listIn(slug)],
    ] as const
  })
  return z
    .object({
      ...Object.fromEntries(members),
      name: text,
      description: text,
      flags: looseJson,
      tags: looseJson,
      meta: looseJson,
      include_archived: optional(booleanText),
      next: optional(uuid),
      newest: optional(windowTime),
      oldest: optional(windowTime),
      limit: optional(integerText().transform(limit => Math.max(1, limit))),
      order: optional(z.enum(['ascending', 'descending'])),
    })
    .transform((read: Record<string, unknown>): ListQuery => {
      const { next, newest, oldest, limit, order } = read as NonNullable<ListQuery['windowing']>
      const given = { next, newest, oldest, limit, order }
      const isWindowed = Object.values(given).some(value => value !== undefined)
      return {
        filter: known(layer, read as RecordFilter),
        ...Object.fromEntries(layers.map(one => [`${one}_refs`, referencesIn(read, nameOf(kind, one))])),
        include_archived: read.include_archived as boolean | undefined,
        windowing: isWindowed ? { interval: undefined, rate: undefined, ...given } : undefined,
      }
    })
}

/** `x_id` and `x_slug` form one reference; so do the ids and slugs of two lists of the same length, pair by pair. */
function referencesIn(read: Record<string, unknown>, name: string): Reference[] | undefined {
  const [id, slug_] = [read[`${name}_id`], read[`${name}_slug`]] as (string | undefined)[]
  const ids = (read[`${name}_ids`] ?? []) as string[]
  const slugs = (read[`${name}_slugs`] ?? []) as string[]
  const pairs = ids.length === slugs.length ? ids.map((one, index) => ({ id: one, slug: slugs[index] })) : undefined
  const listed = pairs ?? [...ids.map(one => ({ id: one })), ...slugs.map(one => ({ slug: one }))]
  const all = id === undefined && slug_ === undefined ? listed : [{ id, slug: slug_ }, ...listed]
  return all.length === 0 ? undefined : all
}

const TEXT_BOUNDS = jsonBounds(BODY_BYTES_MAX)

function parsedOrNothing(value: string): JsonObject | undefined {
  try {
    scanShortJson(value, TEXT_BOUNDS)
    const parsed = parseJson(value)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The body takes precedence over the query string. */
export function mergedQuery(inString: ListQuery, inBody: ListQuery): ListQuery {
  const given = Object.entries(inBody).filter(([, value]) => value !== undefined)
  const windowing = inBody.windowing ?? inString.windowing
  return { ...inString, ...Object.fromEntries(given), filter: { ...inString.filter, ...inBody.filter }, windowing }
}
