import {
  AMOUNTS,
  type Amounts,
  amountText,
  type Derived,
  durationMillis,
  type JsonObject,
  type Micros,
  type Span,
  type Uuid,
} from '@spanhouse/model'

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

/** One stored column: its name in the DDL, and its value as text of ClickHouse's TabSeparated format. */
interface Column<Source> {
  name: string
  text(source: Source): string
}

/** What the sender said. These columns make up the content hash, in this order. */
export const CONTENT_COLUMNS: readonly Column<Span>[] = [
  { name: 'trace_id', text: span => hexBytes(span.trace_id) },
  { name: 'span_id', text: span => hexBytes(span.span_id) },
  { name: 'parent_id', text: span => hexBytes(span.parent_id ?? NO_PARENT) },
  { name: 'start_time', text: span => secondsText(span.start_time) },
  { name: 'end_time', text: span => secondsText(span.end_time) },
  { name: 'declared_trace_type', text: span => span.declared_trace_type ?? 'none' },
  { name: 'is_trace_type_explicit', text: span => flag(span.is_trace_type_explicit ?? false) },
  { name: 'span_type', text: span => span.span_type },
  { name: 'span_kind', text: span => span.span_kind },
  { name: 'span_name', text: span => escaped(span.span_name) },
  { name: 'status_code', text: span => span.status_code },
  { name: 'status_message', text: span => escaped(span.status_message ?? '') },
  { name: 'session_id', text: span => escaped(span.session_id ?? '') },
  { name: 'user_id', text: span => escaped(span.user_id ?? '') },
  { name: 'agent_id', text: span => escaped(span.agent_id ?? '') },
  { name: 'duration_cumulative', text: span => decimalMillis(durationMillis(span)) },
  { name: 'attributes', text: span => jsonText(withoutData(span.attributes)) },
  { name: 'data', text: span => jsonText(span.attributes.ag.data ?? {}) },
  { name: 'events', text: span => listText(span.events) },
  { name: 'links', text: span => listText(span.links) },
  { name: 'references', text: span => listText(span.references) },
  { name: 'hashes', text: span => listText(span.hashes) },
]

/** The amounts of the span itself. They follow from its attributes, so they are not hashed again. */
export const OWN_COLUMNS: readonly Column<Amounts>[] = amountColumns('incremental').map((name, index) => ({
  name,
  text: own => amountText(own[index] as bigint, index),
}))

export const LIFECYCLE_COLUMNS: readonly Column<Lifecycle>[] = [
  { name: 'project_id', text: row => row.project_id },
  { name: 'created_at', text: row => secondsText(row.created_at) },
  { name: 'created_by_id', text: row => row.created_by_id },
  { name: 'updated_at', text: row => secondsText(row.updated_at) },
  { name: 'updated_by_id', text: row => row.updated_by_id },
  { name: 'accepted_at', text: row => secondsText(row.accepted_at) },
  { name: 'content_hash', text: row => hexBytes(row.content_hash) },
]

/** What follows from the whole trace: the only columns that change after a row is written. */
export const DERIVED_COLUMNS: readonly Column<Derived>[] = [
  { name: 'trace_type', text: derived => derived.trace_type },
  { name: 'is_trace_head', text: derived => flag(derived.is_trace_head) },
  ...amountColumns('cumulative').map((name, index) => ({
    name,
    text: (derived: Derived) => amountText(derived.cumulative[index] as bigint, index),
  })),
]

/** The columns of an INSERT, in the order in which a row's texts are joined. */
export const INSERT_COLUMNS: readonly string[] = [
  ...CONTENT_COLUMNS,
  ...OWN_COLUMNS,
  ...LIFECYCLE_COLUMNS,
  ...DERIVED_COLUMNS,
].map(column => column.name)

/** The row's part that these columns make up, each value followed by a tab. */
export function textOf<Source>(columns: readonly Column<Source>[], source: Source): string {
  let text = ''
  for (const column of columns) text += `${column.text(source)}\t`
  return text
}

/** `tokens_cumulative_total` and so on, one name for each amount. */
export function amountColumns(view: 'incremental' | 'cumulative'): string[] {
  return AMOUNTS.map(({ metric, key }) => (key === null ? `${metric}_${view}` : `${metric}_${view}_${key}`))
}

const NO_PARENT = '0000000000000000'

/** Hex digits as bytes in TabSeparated's own escapes, which any byte can be written in. */
function hexBytes(hex: string): string {
  let text = ''
  for (let at = 0; at < hex.length; at += 2) text += `\\x${hex[at]}${hex[at + 1]}`
  return text
}

const flag = (value: boolean): string => (value ? '1' : '0')

/** Microseconds as the decimal seconds that DateTime64 is read from; fewer than ten digits would be a date. */
export function secondsText(micros: Micros): string {
  const fraction = micros % 1_000_000
  return `${String((micros - fraction) / 1_000_000).padStart(10, '0')}.${String(fraction).padStart(6, '0')}`
}

const DURATION_MAX = 1e14

const decimalMillis = (millis: number): string =>
  Math.abs(millis) <= DURATION_MAX ? (Number.isInteger(millis) ? String(millis) : millis.toFixed(3)) : '0'

const MUST_ESCAPE = /[\\\t\n]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n' }

const escaped = (text: string): string =>
  MUST_ESCAPE.test(text) ? text.replace(/[\\\t\n]/g, character => ESCAPES[character] as string) : text

/** JSON text has no raw tabs or line ends, so that backslashes are all there is to escape. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
}

const listText = (list: readonly unknown[] | undefined): string => (list?.length ? jsonText(list) : '')

function withoutData(attributes: Span['attributes']): JsonObject {
  const { data: _, ...ag } = attributes.ag
  return { ...attributes, ag }
}
