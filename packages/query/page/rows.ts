import { type Micros, parseSpanId, parseTraceId, type SpanId, type TraceId, type Uuid } from '@spanhouse/model'
import type { Aggregation } from '../aggregation.ts'
import {
  BODY,
  type Location,
  malformed,
  oneOf,
  optional,
  readBoolean,
  readList,
  readObject,
  readText,
} from '../filter/shape.ts'
import type { Focus, Position } from '../position.ts'
import {
  aggregate,
  allOf,
  anyOf,
  count,
  dateTime,
  decimal,
  identifier,
  int,
  ints,
  type Sql,
  sql,
  text,
  texts,
  uuid,
} from '../sql.ts'
import { compileBounds } from './bounds.ts'
import { compare } from './cursor.ts'
import type { SpanQuery } from './span-query.ts'
import { compileFirstRows, compileSpanQuery, fromMatching, fromTraceHeads, SETTINGS } from './statements.ts'
import { pageLimit } from './windowing.ts'

/*
 * What a list of spans or traces shows: rows with few columns, and the number of all of them. A trace is represented by
 * its head, whose totals are those of the trace.
 */

/** The orders of a list, each with the highest value first. */
export const ROW_ORDERS = ['time', 'duration', 'tokens', 'costs'] as const
export type RowOrder = (typeof ROW_ORDERS)[number]

/** By what the orders other than time sort. */
const SORTED_BY = {
  duration: sql`duration_cumulative`,
  tokens: sql`tokens_cumulative_total`,
  costs: sql`costs_cumulative_total`,
} as const
type Measure = keyof typeof SORTED_BY

/** A page of rows in the order of a measure. */
export interface MeasuredQuery {
  readonly query: SpanQuery
  readonly by: Measure
  /** The last row of the previous page. */
  readonly after?: MeasuredPosition
}

/** A row's place in the order of a measure: the value as decimal text, then the same as in every other list. */
export interface MeasuredPosition extends Position {
  readonly value: string
  readonly span_id: string
}

/** Attributes that a row may show in addition, and the length of the path of each. */
const ATTRIBUTES_MAX = 10
const PATH_LENGTH_MAX = 500

/** The members of a request for rows that a query for spans does not have. */
export interface RowMembers {
  readonly order_by: RowOrder
  readonly after?: MeasuredPosition
  /** Dotted paths. */
  readonly attributes: readonly string[]
  /** Whether rows have what is read from their content. */
  readonly previews: boolean
}

/** Reads them; throws `unprocessable` (422). */
export function parseRowMembers(body: unknown): RowMembers {
  const members = optional(body, BODY, readObject) ?? {}
  const order_by = optional(members.order_by, [...BODY, 'order_by'], oneOf(ROW_ORDERS)) ?? 'time'
  const after = optional(members.after, [...BODY, 'after'], readAfter)
  const attributes = optional(members.attributes, [...BODY, 'attributes'], readAttributes) ?? []
  const previews = optional(members.previews, [...BODY, 'previews'], readBoolean) ?? true
  return { order_by, attributes, previews, ...(after && { after }) }
}

function readAttributes(value: unknown, loc: Location): string[] {
  const paths = readList(value, loc).map((path, index) => readText(path, [...loc, index]))
  if (paths.length > ATTRIBUTES_MAX || paths.some(path => path === '' || path.length > PATH_LENGTH_MAX))
    throw malformed(
      ['value_error', `Input should be at most ${ATTRIBUTES_MAX} paths of up to ${PATH_LENGTH_MAX} characters`],
      loc,
      value,
    )
  return paths
}

/** The text by which a client asks for the page after a row. */
export const afterText = ({ value, time, trace_id, span_id }: MeasuredPosition): string =>
  [value, time, trace_id, span_id].join('_')

/** Digits of a decimal that holds each of these columns, and those of them after the point. */
const [PRECISION, SCALE] = [38, 15]

/** A value of such a column; amounts that a client sends may be negative. */
const AFTER = /^-?\d{1,23}(\.\d{1,15})?$/

function readAfter(given: unknown, loc: Location): MeasuredPosition {
  const [value = '', time = '', trace = '', span = ''] = typeof given === 'string' ? given.split('_') : []
  const [trace_id, span_id] = [parseTraceId(trace), parseSpanId(span)]
  if (!AFTER.test(value) || !/^\d{1,16}$/.test(time) || !trace_id || !span_id)
    throw malformed(['value_error', 'Input should be `after` of the previous page'], loc, given)
  return { value, time: Number(time), trace_id, span_id }
}

/** One page of spans, or of heads of traces, with the highest value first: rows of {@link MeasuredRow}. */
export function compileMeasured({ project_id, ...asked }: MeasuredQuery & { project_id: Uuid }): Sql {
  const { query, by, after } = asked
  const column = SORTED_BY[by]
  const columns = sql`${POSITION}, toString(${column}) AS value`
  const from = fromQuery(project_id, query, after ? [beyond(by, after)] : [])
  const order = sql`ORDER BY ${column} DESC, start_time DESC, trace_id DESC, span_id DESC`
  return sql`SELECT ${columns} ${from} ${order} LIMIT ${count(pageLimit(query.windowing, query.focus))} ${SETTINGS}`
}

/** A row of {@link compileMeasured}. */
export interface MeasuredRow {
  readonly trace_id: TraceId
  readonly span_id: SpanId
  readonly time: number
  readonly value: string
}

/** Compares rows in the order of {@link compileMeasured}. */
export const inMeasuredOrder = (one: MeasuredRow, other: MeasuredRow): number =>
  compare(unitsOf(other.value), unitsOf(one.value)) ||
  other.time - one.time ||
  compare(other.trace_id, one.trace_id) ||
  compare(other.span_id, one.span_id)

/** A decimal text in units of its last possible digit. */
function unitsOf(value: string): bigint {
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

/** What identifies a row: ids in hex and the start in microseconds. */
export const POSITION = sql`lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, toUnixTimestamp64Micro(start_time) AS time`

function beyond(by: Measure, { value, time, trace_id, span_id }: MeasuredPosition): Sql {
  const column = SORTED_BY[by]
  const bound = sql`${decimal(value, PRECISION, SCALE)}`
  const row = sql`(start_time, trace_id, span_id)`
  const last = sql`(${dateTime(time)}, toFixedString(unhex(${text(trace_id)}), 16), toFixedString(unhex(${text(span_id)}), 8))`
  return anyOf([sql`${column} < ${bound}`, allOf([sql`${column} = ${bound}`, sql`${row} < ${last}`])])
}

/** All rows of a list, without its page: the spans that match, or the heads of the traces that do. */
export function fromQuery(project_id: Uuid, query: SpanQuery, conditions: readonly Sql[] = []): Sql {
  if (query.focus === 'trace') return fromTraceHeads({ project_id, query: query as SpanQuery<'trace'> }, { conditions })
  return fromMatching(project_id, query.filter, [...conditions, ...compileBounds(query.windowing, 'span')])
}

/** Parts of a window that a count is divided into, at most. */
export const COUNT_BUCKETS_MAX = 500

/**
 * The number of rows, and of those {@link WITH_ERRORS}: rows of {@link CountRow}, one for each part of the window that
 * has any. With `buckets` the window must have both bounds; without there is one part.
 */
export function compileCount(project_id: Uuid, query: SpanQuery, buckets?: number): Aggregation {
  const bucket = buckets === undefined ? sql`toInt64(0)` : bucketIn(query, buckets)
  return {
    keys: [{ name: sql`bucket`, value: bucket }],
    columns: sql`${COUNT} AS count, ${WITH_ERRORS} AS errors`,
    rows: fromQuery(project_id, query),
    order: sql`ORDER BY bucket`,
    settings: SETTINGS,
  }
}

/** The number of rows of a group. */
export const COUNT = aggregate(sql`count`, sql``)
/** The number of those that failed, or with an exception in them or below them. */
export const WITH_ERRORS = aggregate(sql`countIf`, sql`errors_cumulative > 0 OR status_code = 'STATUS_CODE_ERROR'`)

export interface CountRow {
  readonly bucket: number
  readonly count: number
  readonly errors: number
}

/**
 * The number of the part of a window in which a row begins. A row at the end of a window that includes it, and spans of
 * a trace that begin outside of the window, belong to the nearest part.
 */
export function bucketIn(query: SpanQuery, buckets: number): Sql {
  const since = sql`toUnixTimestamp64Micro(start_time) - ${int(query.windowing.oldest ?? 0)}`
  return sql`least(greatest(intDiv(${since}, ${int(bucketMicros(query, buckets))}), 0), ${int(buckets - 1)})`
}

/** The length of one part of a window in microseconds. */
export function bucketMicros({ windowing }: SpanQuery, buckets: number): number {
  const { oldest = 0, newest = 0 } = windowing
  return Math.max(1, Math.ceil((newest - oldest) / buckets))
}

/** The columns of {@link ListRow}: few bytes of each row. */
const ROW_COLUMNS: readonly Sql[] = [
  'trace_id',
  'span_id',
  'start_time',
  'is_root',
  'parent_id',
  'span_name',
  'span_type',
  'trace_type',
  'status_code',
  'status_message',
  'duration_cumulative',
  'errors_cumulative',
  'tokens_cumulative_total',
  'costs_cumulative_total',
  'session_id',
  'user_id',
].map(identifier)

/** Money as text, which keeps all digits; the other amounts are exact as numbers. */
const SHOWN_OF_ROW = sql`${POSITION}, if(is_root, '', lower(hex(parent_id))) AS parent_id, span_name, span_type, trace_type,
  status_code, substringUTF8(status_message, 1, 300) AS status_message, toFloat64(duration_cumulative) AS duration,
  toFloat64(errors_cumulative) AS errors, toFloat64(tokens_cumulative_total) AS tokens,
  toFloat64(costs_cumulative_total) AS costs, session_id, user_id`

/** The first rows of spans in the order of time, one more than a page, as for `compileFirstSpans`. */
export const compileRows = (project_id: Uuid, query: SpanQuery<'span'>): Sql =>
  compileFirstRows({ project_id, query, columns: ROW_COLUMNS, shown: SHOWN_OF_ROW })

/** A page of the same, whatever its rows have in common. */
export const compileRowPage = (project_id: Uuid, query: SpanQuery<'span'>): Sql =>
  compileSpanQuery({ project_id, query, columns: [SHOWN_OF_ROW] })

/** A row of a list. Zero, except as a duration, and an empty text: none. */
export interface ListRow {
  readonly trace_id: TraceId
  readonly span_id: SpanId
  readonly time: Micros
  readonly parent_id: string
  readonly span_name: string
  readonly span_type: string
  readonly trace_type: string
  readonly status_code: string
  readonly status_message: string
  /** Milliseconds. */
  readonly duration: number
  readonly errors: number
  readonly tokens: number
  readonly costs: number
  readonly session_id: string
  readonly user_id: string
}

/** Places of rows that are known. */
export interface Places {
  /** Those of heads of traces have no span id. */
  readonly positions: readonly Position[]
  /** Whether all of them are roots, which are apart from the other nine tenths of the spans. */
  readonly areRoots: boolean
}

/** Rows at known places, in no particular order. */
export const compileRowsAt = (project_id: Uuid, places: Places): Sql =>
  sql`SELECT ${SHOWN_OF_ROW} ${fromPlaces(project_id, places)} ${SETTINGS}`

/** Granules are found by the key; columns that are shown are read of those that have one of the rows. */
export function fromPlaces(project_id: Uuid, { positions, areRoots }: Places): Sql {
  const times = sql`arrayMap(micros -> fromUnixTimestamp64Micro(micros, 'UTC'), ${ints(unique(positions.map(({ time }) => time)))})`
  const isOfHeads = positions[0]?.span_id === undefined
  const conditions = [
    areRoots ? sql`is_root = true` : sql`is_root IN (false, true)`,
    sql`start_time IN (${times})`,
    sql`trace_id IN (SELECT toFixedString(unhex(arrayJoin(${texts(unique(positions.map(one => one.trace_id)))})), 16))`,
    isOfHeads
      ? sql`is_trace_head`
      : sql`span_id IN (SELECT toFixedString(unhex(arrayJoin(${texts(unique(positions.map(one => one.span_id as string)))})), 8))`,
  ]
  return sql`FROM spans PREWHERE project_id = ${uuid(project_id)} AND ${allOf(conditions)}`
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** The focus of a list; traces if it is not given. */
export function readFocus(body: unknown): Focus {
  const members = optional(body, BODY, readObject) ?? {}
  return optional(members.focus, [...BODY, 'focus'], oneOf(['trace', 'span'] as const)) ?? 'trace'
}
