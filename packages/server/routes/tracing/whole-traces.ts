import { type Micros, microsNow, nestSpans, nextTurn, type SpanLevel, type TraceId } from '@spanhouse/model'
import { compileTraceSpans, type SpanQuery } from '@spanhouse/query'
import {
  type Engine,
  type Holder,
  readSpans,
  readTraceHeads,
  SPAN_COLUMNS,
  type StoredSpan,
  showActorsOnRoots,
} from '@spanhouse/span-store'

/**
 * How long after its last span a trace without a root stays out of sight: clients poll for a trace until it has spans
 * and then take the first one for the root.
 */
const ROOT_WAIT: Micros = 60_000_000

export interface Trace {
  trace_id: TraceId
  spans: SpanLevel<StoredSpan>
}

/** Where spans are read: of one project, and counted while they are in memory. */
export interface Reading {
  engine: Engine
  project_id: string
  holder: Holder
}

/** All spans of those of the traces that can be shown, by trace, in no particular order. */
export async function readTraceSpans(
  { engine, project_id, holder }: Reading,
  trace_ids: readonly TraceId[],
): Promise<Map<TraceId, StoredSpan[]>> {
  if (trace_ids.length === 0) return new Map()
  const spans = await readSpans(engine, compileTraceSpans({ project_id, columns: SPAN_COLUMNS, trace_ids }), holder)
  const groups = Map.groupBy(spans, span => span.trace_id as TraceId)
  for (const group of groups.values()) showActorsOnRoots(group)
  const waitedSince = microsNow() - ROOT_WAIT
  return new Map(
    [...groups].filter(([, group]) => group.some(isRoot) || group.every(span => span.created_at < waitedSince)),
  )
}

/** Their trees. */
export async function readTraces(reading: Reading, trace_ids: readonly TraceId[]): Promise<Trace[]> {
  const traces: Trace[] = []
  for (const [trace_id, group] of await readTraceSpans(reading, trace_ids)) {
    traces.push({ trace_id, spans: nestSpans(group) })
    await nextTurn()
  }
  return traces
}

/** The traces that a query asks for, in its order, and where each stands in it. */
export async function findTraces(reading: Reading, query: SpanQuery<'trace'>) {
  const found = await readTraceHeads(reading.engine, { project_id: reading.project_id, query })
  const traces = await readTraces(
    reading,
    found.map(row => row.trace_id),
  )
  const byId = new Map(traces.map(trace => [trace.trace_id, trace]))
  return { found, traces: found.flatMap(row => byId.get(row.trace_id) ?? []) }
}

const isRoot = (span: StoredSpan): boolean => span.parent_id === undefined
