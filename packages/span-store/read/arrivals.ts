import { type Micros, nextTurn, type SpanId, type SpanJson, type TraceId, type Uuid } from '@spanhouse/model'
import { compileSizesByIds, compileSpansByIds, type MatchableSpan, printSql } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { toMatchable } from './matchable.ts'
import { readSpanRows, SPAN_COLUMNS, toSpanJson } from './row.ts'

/** One version of a span that was stored. */
export interface Arrival {
  trace_id: TraceId
  span_id: SpanId
  /** When the writer started to store this version; it may become visible somewhat later. */
  written_at: Micros
}

/** The maximum that one call returns. */
const ARRIVALS_MAX = 20_000

const ARRIVED = `
SELECT lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id,
  toUnixTimestamp64Micro(greatest(created_at, updated_at)) AS written_at
FROM spans
PREWHERE project_id = {project_id:UUID} AND greatest(created_at, updated_at) > fromUnixTimestamp64Micro({since:Int64}, 'UTC')
ORDER BY written_at DESC LIMIT {limit:UInt64}`

/** What was stored for a project since a time, newest first. */
export const arrivalsSince = (engine: Engine, project_id: Uuid, since: Micros): Promise<Arrival[]> =>
  engine.rows<Arrival>({ text: ARRIVED, params: { project_id, since, limit: ARRIVALS_MAX } })

/** The texts of a span, and of all spans together, that one call reads. Parsing a span takes 30 ms per megabyte. */
const SPAN_BYTES_MAX = 1024 ** 2
const READ_BYTES_MAX = 16 * SPAN_BYTES_MAX

/** A span for readers, and for filters in memory. */
export interface ArrivedSpan {
  span: SpanJson
  matchable: MatchableSpan
}

/**
 * The spans that arrived, in their current state, in no particular order. Spans of more than a megabyte are left out;
 * so are, in the order given, those that exceed 16 MB together with the ones before them.
 */
export async function readArrived(
  engine: Engine,
  project_id: Uuid,
  arrivals: readonly Arrival[],
): Promise<ArrivedSpan[]> {
  const wanted = new Set(await withinBytes(engine, project_id, arrivals))
  if (wanted.size === 0) return []
  const statement = compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...idsOf([...wanted]) })
  const keys = new Set(Array.from(wanted, keyOf))
  const spans: ArrivedSpan[] = []
  for (const row of await readSpanRows(engine, statement)) {
    if (!keys.has(keyOf(row))) continue
    await nextTurn()
    spans.push({ span: toSpanJson(row), matchable: toMatchable(row) })
  }
  return spans
}

async function withinBytes(engine: Engine, project_id: Uuid, arrivals: readonly Arrival[]): Promise<Arrival[]> {
  const statement = printSql(compileSizesByIds({ project_id, ...idsOf(arrivals) }))
  const rows = await engine.rows<{ trace_id: TraceId; span_id: SpanId; bytes: number }>(statement)
  const sizes = new Map(rows.map(row => [keyOf(row), row.bytes]))
  let sum = 0
  return arrivals.filter(arrival => {
    const bytes = sizes.get(keyOf(arrival)) ?? 0
    if (bytes > SPAN_BYTES_MAX) return false
    sum += bytes
    return sum <= READ_BYTES_MAX
  })
}

const keyOf = ({ trace_id, span_id }: { trace_id: TraceId; span_id: SpanId }): string => trace_id + span_id

const idsOf = (arrivals: readonly Arrival[]): { trace_ids: TraceId[]; span_ids: SpanId[] } => ({
  trace_ids: [...new Set(arrivals.map(one => one.trace_id))],
  span_ids: [...new Set(arrivals.map(one => one.span_id))],
})
