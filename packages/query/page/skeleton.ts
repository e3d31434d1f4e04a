import type { SpanId, TraceId, Uuid } from '@spanhouse/model'
import { SENT_ATTRIBUTES } from '../copies.ts'
import { SPAN_DATA } from '../long-data.ts'
import { count, identifier, int, join, type Sql, sql, text, uuid } from '../sql.ts'
import { SETTINGS } from './statements.ts'

/*
 * What a trace of any size is drawn from: a few numbers and names of each span, in windows; and the long texts of one
 * span, in ranges.
 */

/** Spans in one window of a skeleton. */
export const SKELETON_SPANS_MAX = 20_000

const ofTrace = (project_id: Uuid, trace_id: TraceId): Sql =>
  sql`project_id = ${uuid(project_id)} AND trace_id = toFixedString(unhex(${text(trace_id)}), 16)`

const BY_ID = sql`${SETTINGS}, use_skip_indexes_on_data_read = 0`

/** The spans of a trace in the order of their start: rows of {@link SkeletonRow}. */
export const compileSkeleton = (
  { project_id, trace_id }: { project_id: Uuid; trace_id: TraceId },
  { offset, limit }: { offset: number; limit: number },
): Sql =>
  sql`SELECT lower(hex(span_id)) AS span_id, if(is_root, '', lower(hex(parent_id))) AS parent_id, span_name, span_type,
  toUnixTimestamp64Micro(start_time) AS start, toFloat64(duration_cumulative) AS duration, status_code = 'STATUS_CODE_ERROR' AS is_error,
  toFloat64(errors_cumulative) AS errors, toFloat64(tokens_incremental_total) AS own_tokens,
  toFloat64(tokens_cumulative_total) AS tokens, toFloat64(costs_incremental_total) AS own_costs,
  toFloat64(costs_cumulative_total) AS costs, session_id, user_id, count() OVER () AS total
  FROM spans PREWHERE ${ofTrace(project_id, trace_id)} ORDER BY start_time, span_id LIMIT ${count(offset)}, ${count(limit)} ${BY_ID}`

/** Zero and an empty text: none. */
export interface SkeletonRow {
  readonly span_id: SpanId
  readonly parent_id: string
  readonly span_name: string
  readonly span_type: string
  /** Microseconds. */
  readonly start: number
  /** Milliseconds. */
  readonly duration: number
  readonly is_error: 0 | 1
  readonly errors: number
  readonly own_tokens: number
  readonly tokens: number
  readonly own_costs: number
  readonly costs: number
  readonly session_id: string
  readonly user_id: string
  /** Of the trace. */
  readonly total: number
}

/** The long texts of a span. */
export const PARTS = [
  'inputs',
  'outputs',
  'parameters',
  'internals',
  'attributes',
  'events',
  'links',
  'references',
  'unsupported',
] as const
export type Part = (typeof PARTS)[number]

/** Those that are members of the data; the others are columns. */
const OF_DATA: readonly Part[] = ['inputs', 'outputs', 'parameters', 'internals']

/** Characters of one range. */
export const RANGE_CHARACTERS_MAX = 1_000_000

/** What did not fit the schema is a member of the attributes that no copy is made of. */
const unsupported = (...path: string[]): Sql =>
  sql`JSONExtractRaw(attributes, ${join(['ag', 'unsupported', ...path].map(name => sql`${text(name)}`))})`

/** Of data that did not fit, such as an input that is a text, what was sent. */
function textOf(part: Part): Sql {
  if (OF_DATA.includes(part))
    return sql`if(${isParked(part)}, ${unsupported('data', part)}, JSONExtractRaw(${SPAN_DATA}, ${text(part)}))`
  if (part === 'unsupported') return unsupported()
  return part === 'attributes' ? SENT_ATTRIBUTES : identifier(part)
}

const isParked = (part: Part): Sql =>
  OF_DATA.includes(part)
    ? sql`NOT JSONHas(${SPAN_DATA}, ${text(part)}) AND JSONHas(attributes, 'ag', 'unsupported', 'data', ${text(part)})`
    : sql`0`

/** A range of each part of a span as JSON text: rows of {@link PartRow}, none for a span that does not exist. */
export function compileParts(
  ids: { project_id: Uuid; trace_id: TraceId; span_id: SpanId },
  { parts, offset, length }: { parts: readonly Part[]; offset: number; length: number },
): Sql {
  const { project_id, trace_id, span_id } = ids
  const row = sql`${ofTrace(project_id, trace_id)} AND span_id = toFixedString(unhex(${text(span_id)}), 8)`
  const each = parts.map(part => sql`(${text(part)}, ${textOf(part)}, ${isParked(part)})`)
  const list = each.reduce((all, one) => sql`${all}, ${one}`)
  const range = sql`substringUTF8(entry.2, ${int(offset + 1)}, ${int(length)})`
  const message = sql`substringUTF8(status_message, 1, ${int(RANGE_CHARACTERS_MAX)})`
  const once = sql`if(entry.1 = ${text(parts[0] ?? '')}, ${message}, '')`
  return sql`SELECT entry.1 AS part, lengthUTF8(entry.2) AS characters, ${range} AS text, entry.3 AS is_parked,
  ${once} AS status_message FROM spans ARRAY JOIN [${list}] AS entry PREWHERE ${row} ${BY_ID}`
}

export interface PartRow {
  readonly part: Part
  /** Of the whole text; zero: the span does not have this part. */
  readonly characters: number
  readonly text: string
  /** Whether it is from what did not fit the schema. */
  readonly is_parked: 0 | 1
  /** Of the span, in the row of the first part; at most {@link RANGE_CHARACTERS_MAX} characters. */
  readonly status_message: string
}
