import {
  type Amounts,
  type Derived,
  durationMillis,
  isJsonObject,
  type Json,
  type Micros,
  RESTATEMENTS,
  SPAN_KINDS,
  SPAN_TYPES,
  type Span,
  type SpanType,
  STATUS_CODES,
  TRACE_TYPES,
  type TraceType,
  type Uuid,
} from '@spanhouse/model'
import { amounts, type Column, flag, hex, json, oneOf, shown, text, time, uuid } from './column.ts'
import { engineJson } from './compile/engine-json.ts'
import { searchTermsOf } from './hints/search-terms.ts'
import type { StoredBody } from './stored-body.ts'

/*
 * The stored columns of a span, one entry each: name, type and codec in ClickHouse, how it is written to a row of an
 * insert and read from one, whether it is shown, how it can be filtered, and which attribute it holds. The insert list,
 * the select list, the reader, the filters' fields and the attributes with columns are derived from these entries. To
 * add a column, add an entry here and a migration in clickhouse/ (see CONTRIBUTING.md).
 *
 * Columns are grouped by when their values are known; the order of the groups is the order of an insert.
 */

/** In the order of the enum's numbers. */
const STORED_TRACE_TYPES: readonly TraceType[] = ['unknown', 'invocation', 'annotation']
const DECLARED_TRACE_TYPES: readonly (TraceType | 'none')[] = ['none', 'invocation', 'annotation', 'unknown']
const STORED_SPAN_TYPES: readonly SpanType[] = [
  'unknown',
  'agent',
  'chain',
  'workflow',
  'task',
  'tool',
  'embedding',
  'query',
  'llm',
  'completion',
  'chat',
  'rerank',
]

/** The stored parent of a root. */
export const NO_PARENT = '0000000000000000'

/** Distinguishes versions of one span, and only those: of 10^12 changed spans, one would be missed. */
export const VERSION_HASH_BYTES = 5

/** What the writer knows about a row apart from the span itself. */
export interface Lifecycle {
  project_id: Uuid
  created_at: Micros
  created_by_id: Uuid
  /** 0: never. */
  updated_at: Micros
  updated_by_id: Uuid
  accepted_at: Micros
  /** Hash of the content columns: one character for each of {@link VERSION_HASH_BYTES}. */
  version_hash: string
  /** The run of a writer that stores the row. */
  writer_run: number
}

const onRoots = (key: string) =>
  ({ filter: { kind: 'text', absent: 'empty', rootsOnly: true }, attribute: { key } }) as const

/**
 * What the sender sent. The content hash covers these columns and the next ones in this order: never add or move one.
 */
export const HEAD_COLUMNS = [
  shown(hex('trace_id', 16, span => span.trace_id, { filter: { kind: 'trace_id' } })),
  shown(hex('span_id', 8, span => span.span_id, { filter: { kind: 'span_id' } })),
  shown(hex('parent_id', 8, span => span.parent_id ?? NO_PARENT, { filter: { kind: 'span_id', absent: 'root' } })),
  flag('is_root', span => span.parent_id === undefined),
  shown(time('start_time', span => span.start_time, { filter: { kind: 'time' } })),
  oneOf('declared_trace_type', DECLARED_TRACE_TYPES, span => span.declared_trace_type ?? 'none'),
  flag('is_trace_type_explicit', span => span.is_trace_type_explicit ?? false),
  flag('repeats_usage', span => span.repeats_usage ?? false),
  shown(
    oneOf('span_type', STORED_SPAN_TYPES, span => span.span_type, {
      filter: { kind: 'enum', values: SPAN_TYPES },
      attribute: { key: 'ag.type.span', ifSet: 'is_span_type_declared' },
    }),
  ),
  flag('is_span_type_declared', span => isJsonObject(span.attributes.ag.type) && 'span' in span.attributes.ag.type),
  shown(oneOf('span_kind', SPAN_KINDS, span => span.span_kind, { filter: { kind: 'enum', values: SPAN_KINDS } })),
  shown(text('span_name', span => span.span_name, { type: 'LowCardinality(String)', filter: { kind: 'text' } })),
  shown(
    oneOf('status_code', STATUS_CODES, span => span.status_code, { filter: { kind: 'enum', values: STATUS_CODES } }),
  ),
  shown(text('status_message', span => span.status_message ?? '', { filter: { kind: 'text', absent: 'empty' } })),
  shown(text('session_id', span => span.session_id ?? '', onRoots('ag.session.id'))),
  shown(text('user_id', span => span.user_id ?? '', onRoots('ag.user.id'))),
  shown(text('agent_id', span => span.agent_id ?? '', onRoots('ag.agent.id'))),
  shown({
    name: 'duration_cumulative',
    type: 'Decimal(18, 3)',
    codec: 'CODEC(T64, ZSTD(1))',
    attribute: { key: 'ag.metrics.duration.cumulative', alsoInJson: false },
    put: (row, span) => row.int64(durationMicros(span)),
    read: row => row.number64() / 1000,
    text: row => (Number(row.int64()) / 1000).toFixed(3),
  } as Column<Span, 'duration_cumulative', number>),
  shown({
    name: 'end_shift',
    type: 'Int64',
    codec: 'CODEC(ZSTD(1))',
    put: (row, span) => row.int64(span.end_time - span.start_time - durationMicros(span)),
    read: row => row.number64(),
    text: row => String(row.int64()),
  } as Column<Span, 'end_shift', number>),
] as const satisfies readonly Column<Span>[]

/** The rest of what the sender sent. */
export interface Body extends Pick<Span, 'events' | 'links' | 'references' | 'hashes'> {
  readonly stored: StoredBody
}

export const BODY_COLUMNS = [
  shown(json('attributes', ({ stored }) => stored.attributes)),
  shown(json('data', ({ stored }) => stored.data, { codec: 'CODEC(ZSTD(3))' })),
  shown(text('events', ({ events }) => listText(events))),
  shown(text('links', ({ links }) => listText(links))),
  shown(text('references', ({ references }) => listText(references))),
  shown(text('hashes', ({ hashes }) => listText(hashes))),
] as const satisfies readonly Column<Body>[]

/** What the data and the attributes are stored without: see long-data.ts and copies.ts. */
export const MOVED_COLUMNS = [
  shown(json('long_data', ({ stored }) => stored.long_data, { codec: 'CODEC(ZSTD(3))' })),
  shown({
    name: 'copies',
    type: 'Array(UInt32)',
    codec: 'CODEC(ZSTD(1))',
    put: (row, { stored }) => row.uint32s(stored.copies),
    read: row => row.uint32s(),
    text: row => `[${row.uint32s().join()}]`,
  } as Column<Body, 'copies', number[]>),
] as const satisfies readonly Column<Body>[]

/** What else follows from the content, such as the indexed search terms. A new column of what was sent belongs here. */
export const SEARCH_COLUMNS = [
  {
    name: 'search_terms',
    type: 'Array(UInt32)',
    codec: 'CODEC(ZSTD(4))',
    put: (row, span) => row.uint32s(searchTermsOf(span)),
    read: row => row.uint32s(),
    text: row => `[${row.uint32s().join()}]`,
  } as Column<Span, 'search_terms', number[]>,
] as const satisfies readonly Column<Span>[]

/** The span's own amounts. They are derived from its attributes, so they are not hashed again. */
export const OWN_COLUMNS = amounts('incremental', (own: Amounts) => own)

export const LIFECYCLE_COLUMNS = [
  uuid('project_id', row => row.project_id),
  shown(time('created_at', row => row.created_at, { filter: { kind: 'time' } })),
  shown(uuid('created_by_id', row => row.created_by_id, { filter: { kind: 'uuid', absent: 'nobody' } })),
  shown(time('updated_at', row => row.updated_at, { filter: { kind: 'time', absent: 'epoch' } })),
  shown(uuid('updated_by_id', row => row.updated_by_id, { filter: { kind: 'uuid', absent: 'nobody' } })),
  time('accepted_at', row => row.accepted_at),
  {
    name: 'version_hash',
    type: `FixedString(${VERSION_HASH_BYTES})`,
    codec: 'CODEC(ZSTD(1))',
    isHex: true,
    put: (row, { version_hash }) => row.bytes(version_hash),
    read: row => row.hex(VERSION_HASH_BYTES),
    text: row => row.hex(VERSION_HASH_BYTES),
  } as Column<Lifecycle, 'version_hash', string>,
  {
    name: 'writer_run',
    type: 'UInt64',
    codec: 'CODEC(ZSTD(1))',
    put: (row, { writer_run }) => row.int64(writer_run),
    read: row => row.number64(),
    text: row => String(row.int64()),
  } as Column<Lifecycle, 'writer_run', number>,
] as const satisfies readonly Column<Lifecycle>[]

/** Derived from the whole trace. */
export const DERIVED_COLUMNS = [
  shown(
    oneOf('trace_type', STORED_TRACE_TYPES, derived => derived.trace_type, {
      filter: { kind: 'enum', values: TRACE_TYPES },
      attribute: { key: 'ag.type.trace' },
    }),
  ),
  flag('is_trace_head', derived => derived.is_trace_head),
  ...amounts('cumulative', (derived: Derived) => derived.cumulative).map(shown),
  shown(oneOf('restated', RESTATEMENTS, derived => derived.restated)),
] as const satisfies readonly Column<Derived>[]

/** In the order in which a row's values are written. */
export const COLUMNS = [
  ...HEAD_COLUMNS,
  ...BODY_COLUMNS,
  ...MOVED_COLUMNS,
  ...SEARCH_COLUMNS,
  ...OWN_COLUMNS,
  ...LIFECYCLE_COLUMNS,
  ...DERIVED_COLUMNS,
] as const

type AnyColumn = (typeof COLUMNS)[number]
type ShownColumn = Extract<AnyColumn, { readonly shown: true }>

/** The columns that are read to build spans, in the order of the select list. */
export const SHOWN_COLUMNS: readonly ShownColumn[] = COLUMNS.filter(
  (column: AnyColumn): column is ShownColumn => 'shown' in column,
)

/** A span in these columns: ids in hex, times in microseconds, lists as JSON text (empty: none). */
export type SpanRow = { [C in ShownColumn as C['name']]: ReturnType<C['read']> }

/** The columns that identify a row: never updated in place. */
export const KEY_COLUMNS: readonly string[] = ['project_id', 'is_root', 'start_time', 'trace_id', 'span_id']

/**
 * Columns that ClickHouse fills in: computed from others, or empty but in rows of earlier versions (`content_hash`).
 */
export const MADE_COLUMNS: readonly Pick<Column, 'name' | 'type' | 'codec'>[] = [
  { name: 'end_time', type: "DateTime64(6, 'UTC')", codec: '' },
  { name: 'span_data', type: 'String', codec: '' },
  { name: 'sent_attributes', type: 'String', codec: '' },
  { name: 'expires_at', type: "DateTime('UTC')", codec: 'CODEC(ZSTD(1))' },
  { name: 'smallest_of_few', type: 'UInt8', codec: 'CODEC(LZ4)' },
  { name: 'smallest_of_many', type: 'UInt8', codec: 'CODEC(T64)' },
  { name: 'content_hash', type: 'FixedString(6)', codec: 'CODEC(ZSTD(1))' },
]

/** Decimal(18, 3) of milliseconds is an integer of microseconds. */
function durationMicros(span: Span): number {
  const millis = durationMillis(span)
  return Math.abs(millis) <= DURATION_MILLIS_MAX ? Math.round(millis * 1000) : 0
}

const DURATION_MILLIS_MAX = 1e12

const listText = (list: readonly unknown[] | undefined): string => (list?.length ? engineJson(list as Json) : '')
