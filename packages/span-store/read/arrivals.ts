import { type Micros, nextTurn, type SpanId, type SpanJson, type TraceId, type Uuid } from '@spanhouse/model'
import { compileSpansByIds, type MatchableSpan } from '@spanhouse/query'
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

/** The spans that arrived, in their current state: for readers, and for filters in memory. */
export async function readArrived(
  engine: Engine,
  project_id: Uuid,
  arrivals: readonly Arrival[],
): Promise<{ span: SpanJson; matchable: MatchableSpan }[]> {
  const trace_ids = [...new Set(arrivals.map(one => one.trace_id))]
  const span_ids = [...new Set(arrivals.map(one => one.span_id))]
  const wanted = new Set(arrivals.map(one => one.trace_id + one.span_id))
  const statement = compileSpansByIds({ project_id, columns: SPAN_COLUMNS, trace_ids, span_ids })
  const rows = await readSpanRows(engine, statement)
  const spans: { span: SpanJson; matchable: MatchableSpan }[] = []
  for (const row of rows) {
    if (!wanted.has(row.trace_id + row.span_id)) continue
    await nextTurn()
    spans.push({ span: toSpanJson(row), matchable: toMatchable(row) })
  }
  return spans
}
