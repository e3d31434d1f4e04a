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
  type Restatement,
  type SpanId,
  type SpanJson,
  type TraceId,
} from '@spanhouse/model'
import { type Position, printSql, type Sql, sql } from '@spanhouse/query'
import { amountColumns } from './columns.ts'
import type { Engine } from './engine.ts'

const CUMULATIVE = amountColumns('cumulative')

/** One row of spans as {@link SPAN_COLUMNS} selects it: ids in hex, times in microseconds, lists as JSON text. */
export interface SpanRow {
  [amount: `${string}_cumulative${string}`]: number
  trace_id: string
  span_id: string
  parent_id: string
  trace_type: string
  span_type: string
  span_kind: string
  span_name: string
  start_time: Micros
  end_time: Micros
  status_code: string
  status_message: string
  session_id: string
  user_id: string
  agent_id: string
  duration_cumulative: number
  attributes: string
  data: string
  events: string
  links: string
  references: string
  hashes: string
  restated: Restatement
  created_at: Micros
  created_by_id: string
  updated_at: Micros
  updated_by_id: string
}

/** The select list of a span; what {@link SpanRow} has. */
export const SPAN_COLUMNS: readonly Sql[] = [
  sql`lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, lower(hex(parent_id)) AS parent_id`,
  sql`trace_type, span_type, span_kind, span_name, status_code, status_message, session_id, user_id, agent_id`,
  sql`toUnixTimestamp64Micro(start_time) AS start_time, toUnixTimestamp64Micro(end_time) AS end_time`,
  sql`toFloat64(duration_cumulative) AS duration_cumulative, toFloat64(errors_cumulative) AS errors_cumulative`,
  sql`toFloat64(tokens_cumulative_prompt) AS tokens_cumulative_prompt`,
  sql`toFloat64(tokens_cumulative_completion) AS tokens_cumulative_completion`,
  sql`toFloat64(tokens_cumulative_total) AS tokens_cumulative_total`,
  sql`toFloat64(costs_cumulative_prompt) AS costs_cumulative_prompt`,
  sql`toFloat64(costs_cumulative_completion) AS costs_cumulative_completion`,
  sql`toFloat64(costs_cumulative_total) AS costs_cumulative_total`,
  sql`attributes, data, events, links, references, hashes, restated, created_by_id, updated_by_id`,
  sql`toUnixTimestamp64Micro(created_at) AS created_at, toUnixTimestamp64Micro(updated_at) AS updated_at`,
]

/** The spans that a statement over {@link SPAN_COLUMNS} selects, as the interface answers them, in its order. */
export async function readSpans(engine: Engine, statement: Sql): Promise<SpanJson[]> {
  return (await engine.rows<SpanRow>(printSql(statement))).map(toSpanJson)
}

/** The traces that a statement of `compileTraceQuery` selects, in its order, each with its place in that order. */
export function readTraceHeads(engine: Engine, statement: Sql): Promise<Position[]> {
  return engine
    .rows<{ trace_id: TraceId; sort_time: Micros }>(printSql(statement))
    .then(rows => rows.map(({ trace_id, sort_time }) => ({ trace_id, time: sort_time })))
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
  span.end_time = microsToIso(row.end_time)
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
