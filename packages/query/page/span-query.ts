import {
  isJsonObject,
  JsonBoundError,
  type JsonBounds,
  type JsonObject,
  parseJson,
  scanShortJson,
} from '@spanhouse/model'
import { withActorsOfAnySpan } from '../filter/actors.ts'
import type { Filter } from '../filter/filter.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { BODY, type Location, malformed, optional, readObject, refuseUnknown } from '../filter/shape.ts'
import type { Focus } from '../position.ts'
import { type GivenWindowing, parseGivenWindowing, WINDOWING_MEMBERS, type Windowing } from './windowing.ts'

/** A query for spans or traces. */
export interface SpanQuery<F extends Focus = Focus> {
  readonly focus: F
  /** Undefined: no restriction. A trace matches if one of its spans does. */
  readonly filter: Filter | undefined
  readonly windowing: Windowing
}

const REFERENCES = ['query_ref', 'query_variant_ref', 'query_revision_ref']

/** The members of a query's body; `focus`, `format` and `formatting` are decided by the endpoint. */
const BODY_MEMBERS: readonly string[] = [
  'filtering',
  'windowing',
  'filter',
  ...WINDOWING_MEMBERS,
  'focus',
  'format',
  'formatting',
  ...REFERENCES,
]

/**
 * Throws `invalid` (400), naming the member, if the body or its windowing has an unknown one. `more` are members of
 * this endpoint alone.
 */
export function refuseUnknownMembers(body: unknown, more: readonly string[] = []): void {
  if (!isJsonObject(body)) return
  refuseUnknown(body, [...BODY_MEMBERS, ...more], BODY)
  const windowing = parseJsonText(body.windowing, ['body', 'windowing'])
  if (isJsonObject(windowing)) refuseUnknown(windowing, WINDOWING_MEMBERS, ['body', 'windowing'])
}

/**
 * Parses the body of a query: `filtering` and `windowing`, and their flat form `filter`, `oldest`, `newest`, `next`,
 * `limit`, `order`, `rate`, `interval`. Objects may be given as JSON text. The two forms may complement each other.
 * Throws `unprocessable` (422) if they contradict each other or a member has the wrong type, `invalid` (400) if the
 * filter is not valid. An empty body (null) selects everything. Other members are ignored; see
 * {@link refuseUnknownMembers}.
 */
export function parseSpanQuery<F extends Focus>(body: unknown, focus: F, loc: Location = BODY): SpanQuery<F> {
  const members = optional(body, loc, readObject) ?? {}
  const filter = filterFor(focus, parseEitherFilter(members, loc))
  return { focus, filter, windowing: { order: 'descending', ...parseEitherWindowing(members, focus, loc) } }
}

/** A filter as it is meant for spans or for traces. */
export const filterFor = (focus: Focus, filter: Filter | undefined): Filter | undefined =>
  focus === 'trace' ? withActorsOfAnySpan(filter) : filter

/** Whether the body refers to a saved query, which then supplies filter and windowing. */
export const namesSavedQuery = (body: unknown): boolean =>
  isJsonObject(body) && REFERENCES.some(name => body[name] !== undefined && body[name] !== null)

/**
 * The query for a saved one (`filtering`, `windowing`). Of the request only the windowing is used: as a whole if none
 * is saved, otherwise its limit and its cursor, that is `next` with its time, which must be in the saved window. Throws
 * as {@link parseSpanQuery}.
 */
export function parseSavedQuery<F extends Focus>(
  saved: JsonObject,
  focus: F,
  { body, loc = BODY }: { body: unknown; loc?: Location },
): SpanQuery<F> {
  const filter = filterFor(focus, parseFilter(saved.filtering, ['filtering']))
  const given = {
    order: 'descending',
    ...parseEitherWindowing(optional(body, loc, readObject) ?? {}, focus, loc),
  } as const
  const kept = parseGivenWindowing(saved.windowing, focus, ['windowing'])
  if (Object.keys(kept).length === 0) return { focus, filter, windowing: given }
  const windowing = { order: 'descending', ...kept, ...(given.limit !== undefined && { limit: given.limit }) } as const
  return { focus, filter, windowing: given.next === undefined ? windowing : movedOn(windowing, given) }
}

/** A page begins at its cursor, but never outside the saved window. */
function movedOn(windowing: Windowing, { next, newest, oldest }: Windowing): Windowing {
  if (windowing.order === 'descending')
    return { ...windowing, next, ...narrowed('newest', Math.min, windowing, newest) }
  return { ...windowing, next, ...narrowed('oldest', Math.max, windowing, oldest) }
}

function narrowed(
  name: 'newest' | 'oldest',
  choose: (...times: number[]) => number,
  windowing: Windowing,
  time: number | undefined,
): Partial<Windowing> {
  const times = [windowing[name], time].filter(one => one !== undefined)
  return times.length === 0 ? {} : { [name]: choose(...times) }
}

/** The filter in `members`, of whatever focus: see {@link filterFor}. Throws as {@link parseSpanQuery}. */
export function parseEitherFilter(members: JsonObject, loc: Location): Filter | undefined {
  const read = (name: 'filtering' | 'filter') =>
    parseFilter(parseJsonText(members[name], [...loc, name]), [...loc, name])
  const nested = read('filtering')
  const flat = read('filter')
  if (members.filtering == null || members.filter == null) return nested ?? flat
  if (JSON.stringify(nested) === JSON.stringify(flat)) return nested
  throw contradiction([...loc, 'filter'], 'filtering')
}

/** JSON in a string has smaller limits than JSON in a body, because it is parsed in one go. */
const TEXT_BOUNDS: JsonBounds = { depthMax: 2_000, valuesMax: 50_000, membersMax: 50_000, digitsMax: 1_000 }
const TEXT_LENGTH_MAX = 1_000_000

/**
 * A value that may also be given as JSON text, of at most a million characters and 50,000 values. Throws
 * `unprocessable` (422) if the text is longer or not valid JSON.
 */
export function parseJsonText(value: unknown, loc: Location): unknown {
  if (typeof value !== 'string') return value
  if (value.length > TEXT_LENGTH_MAX)
    throw malformed(['string_too_long', `JSON text should have at most ${TEXT_LENGTH_MAX} characters`], loc, value)
  try {
    scanShortJson(value, TEXT_BOUNDS)
    return parseJson(value)
  } catch (error) {
    const reason = error instanceof JsonBoundError ? error.message : 'Invalid JSON'
    throw malformed(['json_invalid', reason], loc, value)
  }
}

/** The windowing in `members`, nested or flat, without defaults. Throws as {@link parseSpanQuery}. */
export function parseEitherWindowing(members: JsonObject, focus: Focus, loc: Location): GivenWindowing {
  const at = [...loc, 'windowing']
  const nested = parseGivenWindowing(parseJsonText(members.windowing, at), focus, at)
  const flat = parseGivenWindowing(members, focus, loc)
  for (const name of WINDOWING_MEMBERS) refuseContradiction(name, nested, flat, loc)
  return { ...flat, ...nested }
}

function refuseContradiction(name: keyof Windowing, nested: GivenWindowing, flat: GivenWindowing, loc: Location): void {
  const differ = nested[name] !== undefined && flat[name] !== undefined && nested[name] !== flat[name]
  if (differ) throw contradiction([...loc, name], `windowing.${name}`)
}

const contradiction = (loc: Location, other: string) =>
  malformed(['value_error', `Input contradicts \`${other}\``], loc, undefined)
