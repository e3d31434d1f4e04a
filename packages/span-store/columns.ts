import {
  AMOUNTS,
  type Amounts,
  amountText,
  type Derived,
  durationMillis,
  type Json,
  type JsonObject,
  type Micros,
  SPAN_KINDS,
  type Span,
  type SpanType,
  STATUS_CODES,
  type TraceType,
  type Uuid,
} from '@spanhouse/model'
import { engineJson } from '@spanhouse/query'
import type { RowBuffer } from './row-buffer.ts'

/** What the writer knows of a row beside the span itself. */
export interface Lifecycle {
  project_id: Uuid
  created_at: Micros
  created_by_id: Uuid
  /** 0: never. */
  updated_at: Micros
  updated_by_id: Uuid
  accepted_at: Micros
  /** 16 hex digits over the content columns. */
  content_hash: string
}

/** One stored column: its name in the DDL, and how its value is put into a row. */
interface Column<Source> {
  name: string
  put(row: RowBuffer, source: Source): void
}

/** What the sender said. These columns make up the content hash, in this order. */
export const CONTENT_COLUMNS: readonly Column<Span>[] = [
  { name: 'trace_id', put: (row, span) => row.hex(span.trace_id) },
  { name: 'span_id', put: (row, span) => row.hex(span.span_id) },
  { name: 'parent_id', put: (row, span) => row.hex(span.parent_id ?? NO_PARENT) },
  { name: 'start_time', put: (row, span) => row.int64(span.start_time) },
  { name: 'end_time', put: (row, span) => row.int64(span.end_time) },
  {
    name: 'declared_trace_type',
    put: (row, span) => row.int8(DECLARED_TRACE_TYPE[span.declared_trace_type ?? 'none']),
  },
  { name: 'is_trace_type_explicit', put: (row, span) => row.int8(span.is_trace_type_explicit ? 1 : 0) },
  { name: 'span_type', put: (row, span) => row.int8(SPAN_TYPE[span.span_type]) },
  { name: 'span_kind', put: (row, span) => row.int8(SPAN_KINDS.indexOf(span.span_kind)) },
  { name: 'span_name', put: (row, span) => row.text(span.span_name) },
  { name: 'status_code', put: (row, span) => row.int8(STATUS_CODES.indexOf(span.status_code)) },
  { name: 'status_message', put: (row, span) => row.text(span.status_message ?? '') },
  { name: 'session_id', put: (row, span) => row.text(span.session_id ?? '') },
  { name: 'user_id', put: (row, span) => row.text(span.user_id ?? '') },
  { name: 'agent_id', put: (row, span) => row.text(span.agent_id ?? '') },
  { name: 'duration_cumulative', put: (row, span) => row.int64(millisToMicros(durationMillis(span))) },
  { name: 'attributes', put: (row, span) => row.text(engineJson(withoutData(span.attributes))) },
  { name: 'data', put: (row, span) => row.text(engineJson(span.attributes.ag.data ?? {})) },
  { name: 'events', put: (row, span) => row.text(listText(span.events)) },
  { name: 'links', put: (row, span) => row.text(listText(span.links)) },
  { name: 'references', put: (row, span) => row.text(listText(span.references)) },
  { name: 'hashes', put: (row, span) => row.text(listText(span.hashes)) },
]

/** The amounts of the span itself. They follow from its attributes, so they are not hashed again. */
export const OWN_COLUMNS: readonly Column<Amounts>[] = amountColumns('incremental').map((name, index) => ({
  name,
  put: (row, own) => putAmount(row, own, index),
}))

export const LIFECYCLE_COLUMNS: readonly Column<Lifecycle>[] = [
  { name: 'project_id', put: (row, { project_id }) => row.uuid(project_id) },
  { name: 'created_at', put: (row, { created_at }) => row.int64(created_at) },
  { name: 'created_by_id', put: (row, { created_by_id }) => row.uuid(created_by_id) },
  { name: 'updated_at', put: (row, { updated_at }) => row.int64(updated_at) },
  { name: 'updated_by_id', put: (row, { updated_by_id }) => row.uuid(updated_by_id) },
  { name: 'accepted_at', put: (row, { accepted_at }) => row.int64(accepted_at) },
  { name: 'content_hash', put: (row, { content_hash }) => row.hex(content_hash) },
]

/** What follows from the whole trace: the only columns that change after a row is written. */
export const DERIVED_COLUMNS: readonly (Column<Derived> & { text(derived: Derived): string })[] = [
  {
    name: 'trace_type',
    put: (row, { trace_type }) => row.int8(TRACE_TYPE[trace_type]),
    text: ({ trace_type }) => trace_type,
  },
  {
    name: 'is_trace_head',
    put: (row, { is_trace_head }) => row.int8(is_trace_head ? 1 : 0),
    text: ({ is_trace_head }) => (is_trace_head ? '1' : '0'),
  },
  ...amountColumns('cumulative').map((name, index) => ({
    name,
    put: (row: RowBuffer, { cumulative }: Derived) => putAmount(row, cumulative, index),
    text: ({ cumulative }: Derived) => amountText(cumulative[index] as bigint, index),
  })),
]

/** The columns of an INSERT, in the order in which a row's values are put. */
export const INSERT_COLUMNS: readonly string[] = [
  ...CONTENT_COLUMNS,
  ...OWN_COLUMNS,
  ...LIFECYCLE_COLUMNS,
  ...DERIVED_COLUMNS,
].map(column => column.name)

export function putAll<Source>(row: RowBuffer, columns: readonly Column<Source>[], source: Source): void {
  for (const column of columns) column.put(row, source)
}

/** `tokens_cumulative_total` and so on, one name for each amount. */
export function amountColumns(view: 'incremental' | 'cumulative'): string[] {
  return AMOUNTS.map(({ metric, key }) => (key === null ? `${metric}_${view}` : `${metric}_${view}_${key}`))
}

/** The numbers behind the names of the table's enums. */
const TRACE_TYPE: Record<TraceType, number> = { unknown: 0, invocation: 1, annotation: 2 }
const DECLARED_TRACE_TYPE: Record<TraceType | 'none', number> = { none: 0, invocation: 1, annotation: 2, unknown: 3 }
const SPAN_TYPE: Record<SpanType, number> = {
  ...{ unknown: 0, agent: 1, chain: 2, workflow: 3, task: 4, tool: 5, embedding: 6, query: 7, llm: 8 },
  ...{ completion: 9, chat: 10, rerank: 11 },
}

const NO_PARENT = '0000000000000000'

/** Decimal(18, 3) of milliseconds is an integer of microseconds. */
const millisToMicros = (millis: number): number =>
  Math.abs(millis) <= DURATION_MILLIS_MAX ? Math.round(millis * 1000) : 0

const DURATION_MILLIS_MAX = 1e12

/** Amounts are integers of their column's scale already; costs are the wide ones. */
function putAmount(row: RowBuffer, amounts: Amounts, index: number): void {
  const amount = amounts[index] as bigint
  if (AMOUNTS[index]?.metric === 'costs') row.int128(amount)
  else if (amount === 0n) row.int64(0)
  else row.bigInt64(amount)
}

const listText = (list: readonly unknown[] | undefined): string => (list?.length ? engineJson(list as Json) : '')

function withoutData(attributes: Span['attributes']): JsonObject {
  const { data: _, ...ag } = attributes.ag
  return { ...attributes, ag }
}
