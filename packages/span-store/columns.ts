import {
  AMOUNTS,
  type Amounts,
  amountText,
  type Derived,
  durationMillis,
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  RESTATEMENTS,
  SPAN_KINDS,
  type Span,
  type SpanType,
  STATUS_CODES,
  type TraceType,
  type Uuid,
} from '@spanhouse/model'
import { engineJson, searchTermsOf } from '@spanhouse/query'
import type { RowBuffer } from './row-buffer.ts'
import { RowReader } from './row-reader.ts'

/** The words of the table's enums in the order of their numbers. */
export const STORED_TRACE_TYPES: readonly TraceType[] = ['unknown', 'invocation', 'annotation']
const DECLARED_TRACE_TYPES: readonly (TraceType | 'none')[] = ['none', 'invocation', 'annotation', 'unknown']
export const STORED_SPAN_TYPES: readonly SpanType[] = [
  ...(['unknown', 'agent', 'chain', 'workflow', 'task', 'tool', 'embedding', 'query', 'llm'] as const),
  ...(['completion', 'chat', 'rerank'] as const),
]

const NO_PARENT = '0000000000000000'

/** Versions of one span are told apart by it, and only those: of 10^9 changed spans 4 in a million would miss one. */
export const CONTENT_HASH_BYTES = 6

/** What the writer knows of a row beside the span itself. */
export interface Lifecycle {
  project_id: Uuid
  created_at: Micros
  created_by_id: Uuid
  /** 0: never. */
  updated_at: Micros
  updated_by_id: Uuid
  accepted_at: Micros
  /** Over the content columns: a character for each of {@link CONTENT_HASH_BYTES}. */
  content_hash: string
  /** See `beginRun`. */
  writer_run: number
}

/**
 * One stored column: its name in the DDL, how its value is put into a row, and how it is read from one again, as a text
 * that ClickHouse casts to the column's type when it changes a stored row (hex digits where `isHex`).
 */
export interface Column<Source> {
  name: string
  isHex?: boolean
  put(row: RowBuffer, source: Source): void
  text(row: RowReader): string
}

type Read<Source, Value> = (source: Source) => Value

const hex = <S>(name: string, byteCount: number, read: Read<S, string>): Column<S> => ({
  name,
  isHex: true,
  put: (row, source) => row.hex(read(source)),
  text: row => row.hex(byteCount),
})

const uuid = <S>(name: string, read: Read<S, Uuid>): Column<S> => ({
  name,
  put: (row, source) => row.uuid(read(source)),
  text: row => row.uuid(),
})

const text = <S>(name: string, read: Read<S, string>): Column<S> => ({
  name,
  put: (row, source) => row.text(read(source)),
  text: row => row.text(),
})

const time = <S>(name: string, read: Read<S, Micros>): Column<S> => ({
  name,
  put: (row, source) => row.int64(read(source)),
  text: row => secondsText(Number(row.int64())),
})

const flag = <S>(name: string, read: Read<S, boolean>): Column<S> => ({
  name,
  put: (row, source) => row.int8(read(source) ? 1 : 0),
  text: row => String(row.int8()),
})

/** `values` in the order of the numbers that the DDL gives them, from 0. */
const oneOf = <S, V extends string>(name: string, values: readonly V[], read: Read<S, V>): Column<S> => ({
  name,
  put: (row, source) => row.int8(values.indexOf(read(source))),
  text: row => values[row.int8()] as string,
})

/** Amounts are integers of their column's scale already; costs are the wide ones. */
const amounts = <S>(view: 'incremental' | 'cumulative', read: Read<S, Amounts>): Column<S>[] =>
  amountColumns(view).map((name, index) =>
    AMOUNTS[index]?.metric === 'costs'
      ? {
          name,
          put: (row, source) => row.int128(read(source)[index] as bigint),
          text: row => amountText(row.int128(), index),
        }
      : {
          name,
          put: (row, source) => row.bigInt64(read(source)[index] as bigint),
          text: row => amountText(row.int64(), index),
        },
  )

/** What finds a row: never changed in place. */
export const KEY_COLUMNS: readonly string[] = ['project_id', 'is_root', 'start_time', 'trace_id', 'span_id']

/** What the sender said. These columns make up the content hash, in this order. */
export const CONTENT_COLUMNS: readonly Column<Span>[] = [
  hex('trace_id', 16, span => span.trace_id),
  hex('span_id', 8, span => span.span_id),
  hex('parent_id', 8, span => span.parent_id ?? NO_PARENT),
  flag('is_root', span => span.parent_id === undefined),
  time('start_time', span => span.start_time),
  oneOf('declared_trace_type', DECLARED_TRACE_TYPES, span => span.declared_trace_type ?? 'none'),
  flag('is_trace_type_explicit', span => span.is_trace_type_explicit ?? false),
  flag('repeats_usage', span => span.repeats_usage ?? false),
  oneOf('span_type', STORED_SPAN_TYPES, span => span.span_type),
  flag('is_span_type_declared', span => isJsonObject(span.attributes.ag.type) && 'span' in span.attributes.ag.type),
  oneOf('span_kind', SPAN_KINDS, span => span.span_kind),
  text('span_name', span => span.span_name),
  oneOf('status_code', STATUS_CODES, span => span.status_code),
  text('status_message', span => span.status_message ?? ''),
  text('session_id', span => span.session_id ?? ''),
  text('user_id', span => span.user_id ?? ''),
  text('agent_id', span => span.agent_id ?? ''),
  {
    name: 'duration_cumulative',
    put: (row, span) => row.int64(durationMicros(span)),
    text: row => (Number(row.int64()) / 1000).toFixed(3),
  },
  {
    name: 'end_shift',
    put: (row, span) => row.int64(span.end_time - span.start_time - durationMicros(span)),
    text: row => String(row.int64()),
  },
  text('attributes', span => engineJson(withoutData(span.attributes))),
  text('data', span => engineJson(span.attributes.ag.data ?? {})),
  text('events', span => listText(span.events)),
  text('links', span => listText(span.links)),
  text('references', span => listText(span.references)),
  text('hashes', span => listText(span.hashes)),
]

/** What the index is made on. It follows from the content. */
export const SEARCH_COLUMNS: readonly Column<Span>[] = [
  {
    name: 'search_terms',
    put: (row, span) => row.uint32s(searchTermsOf(span)),
    text: row => `[${row.uint32s().join()}]`,
  },
]

/** The amounts of the span itself. They follow from its attributes, so they are not hashed again. */
export const OWN_COLUMNS: readonly Column<Amounts>[] = amounts('incremental', own => own)

export const LIFECYCLE_COLUMNS: readonly Column<Lifecycle>[] = [
  uuid('project_id', row => row.project_id),
  time('created_at', row => row.created_at),
  uuid('created_by_id', row => row.created_by_id),
  time('updated_at', row => row.updated_at),
  uuid('updated_by_id', row => row.updated_by_id),
  time('accepted_at', row => row.accepted_at),
  {
    name: 'content_hash',
    isHex: true,
    put: (row, { content_hash }) => row.bytes(content_hash),
    text: row => row.hex(CONTENT_HASH_BYTES),
  },
  { name: 'writer_run', put: (row, { writer_run }) => row.int64(writer_run), text: row => String(row.int64()) },
]

/** What follows from the whole trace. */
export const DERIVED_COLUMNS: readonly Column<Derived>[] = [
  oneOf('trace_type', STORED_TRACE_TYPES, derived => derived.trace_type),
  flag('is_trace_head', derived => derived.is_trace_head),
  ...amounts<Derived>('cumulative', derived => derived.cumulative),
  oneOf('restated', RESTATEMENTS, derived => derived.restated),
]

/** The columns of an INSERT, in the order in which a row's values are put. */
export const ALL_COLUMNS = [
  ...CONTENT_COLUMNS,
  ...SEARCH_COLUMNS,
  ...OWN_COLUMNS,
  ...LIFECYCLE_COLUMNS,
  ...DERIVED_COLUMNS,
]
export const INSERT_COLUMNS: readonly string[] = ALL_COLUMNS.map(column => column.name)

export function putAll<Source>(row: RowBuffer, columns: readonly Column<Source>[], source: Source): void {
  for (const column of columns) column.put(row, source)
}

/** The values of a row, or of a part of one, that was put by these columns. */
export function textsOf(bytes: Buffer, columns: readonly Column<never>[]): string[] {
  const row = new RowReader(bytes)
  return columns.map(column => column.text(row))
}

/** `tokens_cumulative_total` and so on, one name for each amount. */
export function amountColumns(view: 'incremental' | 'cumulative'): string[] {
  return AMOUNTS.map(({ metric, key }) => (key === null ? `${metric}_${view}` : `${metric}_${view}_${key}`))
}

/** Decimal seconds, which a text is cast to DateTime64 from. */
export const secondsText = (micros: Micros): string =>
  `${String(Math.floor(micros / 1e6)).padStart(10, '0')}.${String(micros % 1e6).padStart(6, '0')}`

/** Decimal(18, 3) of milliseconds is an integer of microseconds. */
function durationMicros(span: Span): number {
  const millis = durationMillis(span)
  return Math.abs(millis) <= DURATION_MILLIS_MAX ? Math.round(millis * 1000) : 0
}

const DURATION_MILLIS_MAX = 1e12

const listText = (list: readonly unknown[] | undefined): string => (list?.length ? engineJson(list as Json) : '')

function withoutData(attributes: Span['attributes']): JsonObject {
  // A member that is undefined is not written, and to set it takes half as long as to leave it out of the copy.
  const ag = { ...attributes.ag, data: undefined as unknown as Json }
  return { ...attributes, ag }
}
