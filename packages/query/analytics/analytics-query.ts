import {
  FAULTS,
  isJsonObject,
  isRawJson,
  type JsonObject,
  microsToIso,
  parseTimeOfAnyYear,
  present,
} from '@spanhouse/model'
import type { Filter } from '../filter/filter.ts'
import { BODY, type Location, malformed, oneOf, optional, readObject, refuseOthers } from '../filter/shape.ts'
import { parseEitherFilter, parseEitherWindowing, parseJsonText } from '../page/span-query.ts'
import { type GivenWindowing, WINDOWING_MEMBERS } from '../page/windowing.ts'
import type { Focus } from '../position.ts'
import { DEFAULT_SPECS, parseSpecs, type Spec } from './analytics-spec.ts'

export const FORMATS = ['agenta', 'opentelemetry'] as const
export const FOCUSES = ['trace', 'span'] as const

export interface Formatting {
  readonly focus: Focus
  readonly format: (typeof FORMATS)[number]
}

/** An analytics request; see {@link parseAnalyticsQuery}. */
export interface AnalyticsQuery {
  readonly formatting: Formatting
  /** Of whatever focus: see `filterFor`. */
  readonly filter: Filter | undefined
  readonly windowing: GivenWindowing
  readonly specs: readonly Spec[]
  /** The request as understood, for the response. */
  readonly echo: { readonly query: JsonObject; readonly specs: readonly JsonObject[] }
}

const MEMBERS = ['focus', 'format', 'formatting', ...WINDOWING_MEMBERS, 'windowing', 'filter', 'filtering', 'specs']
const NESTED = [
  ['formatting', ['focus', 'format']],
  ['windowing', WINDOWING_MEMBERS],
] as const

/**
 * Parses analytics from query string and body, flat (`focus, format, oldest, newest, interval, rate, filter, specs`) or
 * nested (`formatting, windowing, filtering`, objects or JSON text). Windowing, filtering and specs are each taken as a
 * whole from the body if present there, otherwise from the query string; a body that is not empty determines the
 * formatting. Throws `unprocessable` (422) on a member that is unknown or of the wrong type, `invalid` (400) on a
 * filter that is not valid.
 */
export function parseAnalyticsQuery(query: JsonObject, json: unknown): AnalyticsQuery {
  const body = optional(json, BODY, readObject) ?? {}
  refuseOthers(body, MEMBERS, BODY)
  const inQuery = parseBlocks(query, ['query'])
  const inBody = parseBlocks(body, BODY)
  const isEmpty = Object.keys(body).length === 0
  const formatting = isEmpty ? inQuery.formatting : inBody.formatting
  const windowing = inBody.windowing ?? inQuery.windowing ?? {}
  const filtering = inBody.filtering ?? inQuery.filtering
  const specs = inBody.specs ?? inQuery.specs ?? DEFAULT_SPECS
  return {
    formatting,
    windowing,
    specs,
    filter: filtering?.filter,
    echo: {
      query: {
        formatting: { ...formatting },
        windowing: windowingJson(windowing),
        filtering: { operator: 'and', conditions: [], ...filtering?.json },
      },
      specs: specs.map(spec => spec.echo),
    },
  }
}

interface Blocks {
  readonly formatting: Formatting
  readonly windowing: GivenWindowing | undefined
  readonly filtering: { readonly filter: Filter | undefined; readonly json: JsonObject } | undefined
  readonly specs: readonly Spec[] | undefined
}

/** The blocks in one part of the request; absent ones are undefined. */
function parseBlocks(members: JsonObject, loc: Location): Blocks {
  for (const [name, known] of NESTED) {
    const nested = parseJsonText(members[name], [...loc, name])
    if (isJsonObject(nested)) refuseOthers(nested, known, [...loc, name])
  }
  const formatting = parseFormatting(members, loc)
  for (const name of ['oldest', 'newest'] as const) refuseOddInteger(members[name], [...loc, name])
  const filter = parseEitherFilter(members, loc)
  const windowing = parseEitherWindowing(members, formatting.focus, loc)
  const filterJson =
    parseJsonText(members.filtering, [...loc, 'filtering']) ?? parseJsonText(members.filter, [...loc, 'filter'])
  const specs = parseJsonText(members.specs, [...loc, 'specs'])
  const list = optional(specs, [...loc, 'specs'], parseSpecs) ?? []
  return {
    formatting,
    windowing: isGiven(windowing) ? windowing : undefined,
    filtering: isGiven(filterJson) ? { filter, json: present(filterJson) } : undefined,
    specs: list.length === 0 ? undefined : list,
  }
}

/** In flat form an integer is a time if its number of digits determines the unit. */
function refuseOddInteger(value: unknown, loc: Location): void {
  const given = isRawJson(value) ? value.rawJSON : value
  const written = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : ''
  if (/^\d+$/.test(written) && parseTimeOfAnyYear(written) === null) throw malformed(FAULTS.datetime, loc, value)
}

function parseFormatting(members: JsonObject, loc: Location): Formatting {
  const at = [...loc, 'formatting']
  const nested = optional(parseJsonText(members.formatting, at), at, readObject) ?? {}
  const read = <T>(name: 'focus' | 'format', reader: (value: unknown, loc: Location) => T): T | undefined =>
    optional(nested[name], [...loc, 'formatting', name], reader) ?? optional(members[name], [...loc, name], reader)
  return { focus: read('focus', oneOf(FOCUSES)) ?? 'trace', format: read('format', oneOf(FORMATS)) ?? 'agenta' }
}

function windowingJson({ oldest, newest, ...others }: GivenWindowing): JsonObject {
  const times = Object.entries({ oldest, newest }).filter(([, time]) => time !== undefined)
  return { ...Object.fromEntries(times.map(([name, time]) => [name, microsToIso(time as number)])), ...others }
}

const isGiven = (value: unknown): value is JsonObject => isJsonObject(value) && Object.keys(value).length > 0
