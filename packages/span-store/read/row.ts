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
  type SpanJson,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import {
  amountColumns,
  candidatesOf,
  compileHeadsByIds,
  compileRareTraces,
  compileTraceQuery,
  identifier,
  inOrder,
  NO_PARENT,
  type Position,
  pageLimit,
  printSql,
  restoreCopies,
  SHOWN_COLUMNS,
  type SpanRow,
  type Sql,
  sql,
  type TracesOf,
} from '@spanhouse/query'
import type { RowReader } from '../bytes/row-reader.ts'
import type { Engine } from '../engine/engine.ts'
import { isReadTooLarge } from '../engine/failures.ts'
import { firstOfShards, readEachShard } from './each-shard.ts'

const CUMULATIVE = amountColumns('cumulative')

/** The select list of a span: the columns as stored, which {@link readSpanRows} reads. */
export const SPAN_COLUMNS: readonly Sql[] = SHOWN_COLUMNS.map(({ name }) => identifier(name))

/** Reads the next row, in the order of {@link SPAN_COLUMNS}. Its `data` is that of the span, also if it is long. */
export function readRow(row: RowReader): SpanRow {
  const values: Record<string, unknown> = {}
  for (const column of SHOWN_COLUMNS) values[column.name] = column.read(row)
  values.data ||= values.long_data
  return values as SpanRow
}

/** The rows selected by a statement over {@link SPAN_COLUMNS}, in its order. */
export const readSpanRows = (engine: Engine, statement: Sql): Promise<SpanRow[]> =>
  engine.binaryRows(printSql(statement), readRow)

/** One page of the traces that match a query, in its order, each with its position in that order. */
export async function readTraceHeads(engine: Engine, asked: TracesOf): Promise<Position[]> {
  const { windowing } = asked.query
  const pages = await readEachShard(engine, shard => readHeadsOf(shard, asked))
  return firstOfShards(pages, { compare: inOrder('trace', windowing.order), limit: pageLimit(windowing, 'trace') })
}

async function readHeadsOf(engine: Engine, asked: TracesOf): Promise<Position[]> {
  const rare = await readRareHeads(engine, asked)
  if (rare) return rare
  const candidates = candidatesOf(asked.query)
  const page = await readHeads(engine, compileTraceQuery(asked, candidates))
  const isWhole = candidates === undefined || page.length === pageLimit(asked.query.windowing, 'trace')
  return isWhole ? page : readHeads(engine, compileTraceQuery(asked))
}

/** Undefined if the filter has no search terms, or too many spans have them. */
async function readRareHeads(engine: Engine, asked: TracesOf): Promise<Position[] | undefined> {
  const statement = compileRareTraces(asked)
  if (statement === undefined) return undefined
  try {
    return await readHeads(engine, statement)
  } catch (error) {
    if (!isReadTooLarge(error)) throw error
  }
  return undefined
}

async function readHeads(engine: Engine, statement: Sql): Promise<Position[]> {
  const rows = await engine.rows<{ trace_id: TraceId; sort_time: Micros }>(printSql(statement))
  return rows.map(({ trace_id, sort_time }) => ({ trace_id, time: sort_time }))
}

/** Those of these traces that have a head: all with a root, and those that have waited for one. */
export async function tracesWithHead(
  engine: Engine,
  project_id: Uuid,
  trace_ids: readonly TraceId[],
): Promise<Set<TraceId>> {
  const columns = [sql`lower(hex(trace_id)) AS trace_id`]
  const statement = printSql(compileHeadsByIds({ project_id, columns, trace_ids }))
  const rows = await engine.rows<{ trace_id: TraceId }>(statement)
  return new Set(rows.map(row => row.trace_id))
}

/** The span as the interface returns it. Null members are omitted; nulls inside `attributes` are kept. */
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

const withIsoTimestamp = (event: JsonObject): JsonObject => ({
  ...event,
  timestamp: microsToIso(event.timestamp as number),
})

/** The same expression as `end_time` in the DDL. */
export const endOf = ({ start_time, duration_cumulative, end_shift }: SpanRow): Micros =>
  start_time + Math.round(duration_cumulative * 1000) + end_shift

/** Restores the values that are stored apart from the attributes: the data, the trace type and the totals. */
function attributesOf(row: SpanRow): JsonObject {
  const attributes = parseJson(restoreCopies(row)) as JsonObject & { ag: JsonObject }
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

/** A client's own total is kept as sent, including unknown keys, if it equals the computed total. */
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
