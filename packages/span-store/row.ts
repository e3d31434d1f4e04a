import {
  AMOUNTS,
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  microsToIso,
  NIL_UUID,
  numberOf,
  parseJson,
  parseTime,
  RESTATEMENTS,
  type Restatement,
  SPAN_KINDS,
  type SpanId,
  type SpanJson,
  type SpanType,
  STATUS_CODES,
  type TraceId,
  type TraceType,
} from '@spanhouse/model'
import {
  candidatesOf,
  compileTraceQuery,
  type Position,
  pageLimit,
  printSql,
  type Sql,
  sql,
  type TracesOf,
} from '@spanhouse/query'
import { amountColumns, STORED_SPAN_TYPES, STORED_TRACE_TYPES } from './columns.ts'
import type { Engine } from './engine.ts'
import type { RowReader } from './row-reader.ts'

const CUMULATIVE = amountColumns('cumulative')

/** A span as {@link SPAN_COLUMNS} selects it: ids in hex, times in microseconds, lists as JSON text (empty: none). */
export type SpanRow = ReturnType<typeof readRow>

/** The next row, in the order of {@link SPAN_COLUMNS}. */
const readRow = (row: RowReader) => ({
  trace_id: row.hex(16),
  span_id: row.hex(8),
  parent_id: row.hex(8),
  trace_type: STORED_TRACE_TYPES[row.int8()] as TraceType,
  span_type: STORED_SPAN_TYPES[row.int8()] as SpanType,
  span_kind: SPAN_KINDS[row.int8()] as string,
  span_name: row.text(),
  start_time: row.number64(),
  status_code: STATUS_CODES[row.int8()] as string,
  status_message: row.text(),
  session_id: row.text(),
  user_id: row.text(),
  agent_id: row.text(),
  duration_cumulative: row.number64() / 1000,
  end_shift: row.number64(),
  errors_cumulative: row.number64() / 1000,
  tokens_cumulative_prompt: row.number64() / 1000,
  tokens_cumulative_completion: row.number64() / 1000,
  tokens_cumulative_total: row.number64() / 1000,
  costs_cumulative_prompt: readMoney(row),
  costs_cumulative_completion: readMoney(row),
  costs_cumulative_total: readMoney(row),
  attributes: row.text(),
  data: row.text(),
  events: row.text(),
  links: row.text(),
  references: row.text(),
  hashes: row.text(),
  restated: RESTATEMENTS[row.int8()] as Restatement,
  created_at: row.number64(),
  created_by_id: row.uuid(),
  updated_at: row.number64(),
  updated_by_id: row.uuid(),
})

/** The nearest number to an amount of fifteen decimals. */
export function readMoney(row: RowReader): number {
  const amount = row.int128()
  if (amount === 0n) return 0
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number / 1e15 : Number(`${amount}e-15`)
}

/** The select list of a span: the columns as they are stored, which {@link readSpanRows} reads. */
export const SPAN_COLUMNS: readonly Sql[] = [
  sql`trace_id, span_id, parent_id, trace_type, span_type, span_kind, span_name, start_time`,
  sql`status_code, status_message, session_id, user_id, agent_id, duration_cumulative, end_shift, errors_cumulative`,
  sql`tokens_cumulative_prompt, tokens_cumulative_completion, tokens_cumulative_total`,
  sql`costs_cumulative_prompt, costs_cumulative_completion, costs_cumulative_total`,
  sql`attributes, data, events, links, references, hashes, restated`,
  sql`created_at, created_by_id, updated_at, updated_by_id`,
]

/** The rows that a statement over {@link SPAN_COLUMNS} selects, in its order. */
export const readSpanRows = (engine: Engine, statement: Sql): Promise<SpanRow[]> =>
  engine.binaryRows(printSql(statement), readRow)

/** The spans that a statement over {@link SPAN_COLUMNS} selects, as the interface answers them, in its order. */
export async function readSpans(engine: Engine, statement: Sql): Promise<SpanJson[]> {
  return (await readSpanRows(engine, statement)).map(toSpanJson)
}

/** One page of the traces that a query asks for, in its order, each with its place in that order. */
export async function readTraceHeads(engine: Engine, asked: TracesOf): Promise<Position[]> {
  const candidates = candidatesOf(asked.query)
  const page = await readHeads(engine, compileTraceQuery(asked, candidates))
  const isWhole = candidates === undefined || page.length === pageLimit(asked.query.windowing, 'trace')
  return isWhole ? page : readHeads(engine, compileTraceQuery(asked))
}

async function readHeads(engine: Engine, statement: Sql): Promise<Position[]> {
  const rows = await engine.rows<{ trace_id: TraceId; sort_time: Micros }>(printSql(statement))
  return rows.map(({ trace_id, sort_time }) => ({ trace_id, time: sort_time }))
}

/** Where a span stands in the order of spans. */
export const positionOf = (span: SpanJson): Position => ({
  time: parseTime(span.start_time) as Micros,
  trace_id: span.trace_id as TraceId,
  span_id: span.span_id as SpanId,
})

/** The span as the interface answers it. Null members are left out; keys inside `attributes` keep their nulls. */
export function toSpanJson(row: SpanRow): SpanJson {
  const isRoot = row.parent_id === NO_PARENT
  const span: SpanJson = { trace_id: row.trace_id, span_id: row.span_id }
  if (!isRoot) span.parent_id = row.parent_id
  span.trace_type = row.trace_type
  span.span_type = row.span_type
  span.span_kind = row.span_kind
  span.span_name = row.span_name
  span.start_time = microsToIso(row.start_time)
  span.end_time = microsToIso(endOf(row))
  span.status_code = row.status_code
  if (row.status_message) span.status_message = row.status_message
  if (isRoot) for (const name of ['session_id', 'user_id', 'agent_id'] as const) if (row[name]) span[name] = row[name]
  span.attributes = attributesOf(row)
  for (const name of ['references', 'links', 'hashes'] as const) if (row[name]) span[name] = parseJson(row[name])
  if (row.restated !== 'none') span.restates = row.restated.split(' and ')
  if (row.events) span.events = (parseJson(row.events) as JsonObject[]).map(withIsoTimestamp)
  span.created_at = microsToIso(row.created_at)
  if (row.created_by_id !== NIL_UUID) span.created_by_id = row.created_by_id
  if (row.updated_at > 0) span.updated_at = microsToIso(row.updated_at)
  if (row.updated_at > 0 && row.updated_by_id !== NIL_UUID) span.updated_by_id = row.updated_by_id
  return span
}

const NO_PARENT = '0000000000000000'

const withIsoTimestamp = (event: JsonObject): JsonObject => ({
  ...event,
  timestamp: microsToIso(event.timestamp as number),
})

/** The same as `end_time` in the DDL. */
export const endOf = ({ start_time, duration_cumulative, end_shift }: SpanRow): Micros =>
  start_time + Math.round(duration_cumulative * 1000) + end_shift

/** Puts back what is stored apart from the attributes: the data, the trace's type and the totals. */
function attributesOf(row: SpanRow): JsonObject {
  const attributes = parseJson(row.attributes) as JsonObject & { ag: JsonObject }
  const { ag } = attributes
  const { type, metrics, ...rest } = ag
  attributes.ag = {
    type: { ...(type as JsonObject), trace: row.trace_type },
    data: parseJson(row.data),
    metrics: withTotals(isJsonObject(metrics) ? metrics : {}, row),
    ...rest,
  }
  return attributes
}

function withTotals(metrics: JsonObject, row: SpanRow): JsonObject {
  const duration = objectAt(metrics, 'duration')
  if (row.duration_cumulative !== 0) duration.cumulative = row.duration_cumulative
  return {
    ...metrics,
    duration,
    errors: withTotal(metrics, 'errors', row),
    tokens: withTotal(metrics, 'tokens', row),
    costs: withTotal(metrics, 'costs', row),
  }
}

/** A client's own total stays as it came, with keys beyond ours, where it says what the roll-up says. */
function withTotal(metrics: JsonObject, metric: 'errors' | 'tokens' | 'costs', row: SpanRow): JsonObject {
  const views = objectAt(metrics, metric)
  const total: JsonObject = {}
  let claimed = isJsonObject(views.cumulative)
  let isZero = true
  for (const [index, { metric: of, key }] of AMOUNTS.entries()) {
    if (of !== metric) continue
    const value = row[CUMULATIVE[index] as `errors_cumulative`] as number
    if (value !== 0) isZero = false
    if (key === null) return value === 0 ? views : { ...views, cumulative: value }
    total[key] = value
    claimed &&= (numberOf((views.cumulative as JsonObject)[key]) ?? 0) === value
  }
  return claimed || isZero ? views : { ...views, cumulative: total }
}

const objectAt = (parent: JsonObject, key: string): { [key: string]: Json } => {
  const value = parent[key]
  return isJsonObject(value) ? { ...value } : {}
}
