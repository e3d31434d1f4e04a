import {
  above,
  below,
  FAULTS,
  invalid,
  type JsonObject,
  type Micros,
  microsToIso,
  notAbove,
  numberOf,
  parseUuid,
  parseWindowTime,
} from '@spanhouse/model'
import { type Location, malformed, oneOf, optional, readObject } from '../filter/shape.ts'
import type { Focus, Position } from '../position.ts'
import { comparePositions, positionToNext } from './cursor.ts'

export const ORDERS = ['ascending', 'descending'] as const
export type Order = (typeof ORDERS)[number]

/** The part of the rows to return, and their order. `bounds.ts` determines which bounds are inclusive. */
export interface Windowing {
  readonly oldest?: Micros
  readonly newest?: Micros
  /**
   * The last row of the previous page, as hex: see `cursor.ts`. It refines the time bound at which the page begins
   * (`newest` when descending, `oldest` when ascending) and is ignored without it.
   */
  readonly next?: string
  /** Rows in a page, 1 or more. */
  readonly limit?: number
  readonly order: Order
  /** Minutes; used by analytics only. */
  readonly interval?: number
  /** The share of traces, 0 to 1. */
  readonly rate?: number
}

/** Rows in a page without a limit in the request. */
const LIMIT_DEFAULT: Record<Focus, number> = { span: 10_000, trace: 1_000 }
/** The maximum limit of a request. */
const LIMIT_MAX: Record<Focus, number> = { span: 100_000, trace: 10_000 }

type Member = Exclude<keyof Windowing, 'next'>
export const WINDOWING_MEMBERS = ['oldest', 'newest', 'next', 'limit', 'order', 'interval', 'rate'] as const

const READERS: { readonly [M in Member]: (value: unknown, loc: Location) => Windowing[M] } = {
  oldest: readTime,
  newest: readTime,
  limit: (value, loc) => Math.max(1, readInteger(value, loc)),
  order: oneOf(ORDERS),
  interval: readInterval,
  rate: readRate,
}

/** The members that were given. */
export type GivenWindowing = Partial<Windowing>

/**
 * Parses a windowing object. Null gives the default: newest first. Throws `unprocessable` (422) on a member of the
 * wrong type, `invalid` (400) on a limit above {@link LIMIT_MAX}.
 */
export function parseWindowing(json: unknown, focus: Focus, loc: Location): Windowing {
  return { order: 'descending', ...parseGivenWindowing(json, focus, loc) }
}

/** The same without defaults; other members of the object are ignored. */
export function parseGivenWindowing(json: unknown, focus: Focus, loc: Location): GivenWindowing {
  const given = optional(json, loc, readObject) ?? {}
  const read = (name: (typeof WINDOWING_MEMBERS)[number]): [string, unknown] => {
    const reader = name === 'next' ? readNext(focus) : READERS[name]
    return [name, optional<unknown>(given[name], [...loc, name], reader)]
  }
  const members = WINDOWING_MEMBERS.map(read).filter(([, value]) => value !== undefined)
  const windowing = Object.fromEntries(members) as GivenWindowing
  if ((windowing.limit ?? 0) > LIMIT_MAX[focus]) throw invalid(`limit: at most ${LIMIT_MAX[focus]} ${focus}s per page`)
  return windowing
}

/** The number of rows in a full page. */
export const pageLimit = (windowing: Windowing, focus: Focus): number => windowing.limit ?? LIMIT_DEFAULT[focus]

/** Compares positions in the order of a list. */
export function inOrder(focus: Focus, order: Order): (one: Position, other: Position) => number {
  const compare = comparePositions(focus)
  return order === 'descending' ? (one, other) => compare(other, one) : compare
}

/**
 * The windowing object for the page after a full one; undefined if the page is not full. By default a page is full if
 * it has as many rows as the limit. The object repeats everything else of the request, so that a client can send it
 * back unchanged.
 */
export function nextWindowing(
  { focus, windowing }: { readonly focus: Focus; readonly windowing: Windowing },
  page: readonly Position[],
  isFull = page.length >= pageLimit(windowing, focus),
): JsonObject | undefined {
  const last = page.at(-1)
  if (last === undefined || !isFull) return undefined
  const limit = pageLimit(windowing, focus)
  const { oldest, newest, order, rate } = windowing
  const [reached, kept] = order === 'descending' ? ['newest', 'oldest'] : ['oldest', 'newest']
  const bound = order === 'descending' ? oldest : newest
  return {
    [reached as string]: microsToIso(last.time),
    next: positionToNext(last, focus),
    limit,
    order,
    ...(bound === undefined ? {} : { [kept as string]: microsToIso(bound) }),
    ...(rate === undefined ? {} : { rate }),
  }
}

function readTime(value: unknown, loc: Location): Micros {
  const micros = parseWindowTime(value)
  if (micros === null) throw malformed(FAULTS.datetime, loc, value)
  return micros
}

/** Integers are also read from text, for query strings. Large ones are rounded. */
function readInteger(value: unknown, loc: Location): number {
  const number = numberOf(typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : value)
  if (number !== undefined && Number.isInteger(number)) return number
  throw malformed(typeof value === 'string' ? FAULTS.integerText : FAULTS.integer, loc, value)
}

function readInterval(value: unknown, loc: Location): number {
  const interval = readInteger(value, loc)
  if (interval <= 0) throw malformed(notAbove(0), loc, value)
  return interval
}

function readRate(value: unknown, loc: Location): number {
  const rate = numberOf(typeof value === 'string' && value.trim() !== '' ? Number(value) : value)
  if (rate === undefined) throw malformed(typeof value === 'string' ? FAULTS.numberText : FAULTS.number, loc, value)
  if (rate < 0) throw malformed(below(0), loc, value)
  if (rate > 1) throw malformed(above(1), loc, value)
  return rate
}

const SPAN_ID = /^[0-9a-f]{16}$/

/** A UUID (dashed or 32 hex digits); for spans also the 16 hex digits of a span id. */
const readNext =
  (focus: Focus) =>
  (value: unknown, loc: Location): string => {
    const next = typeof value === 'string' ? value.trim().toLowerCase() : ''
    if (focus === 'span' && SPAN_ID.test(next)) return next
    const id = parseUuid(next)
    if (id === null) throw malformed(FAULTS.uuid, loc, value)
    return id.replaceAll('-', '')
  }
