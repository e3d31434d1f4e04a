import { type FlatSpan, nestSpans, type SpanJson, type TraceId } from '@spanhouse/model'
import { compileTraceSpans, type SpanQuery } from '@spanhouse/query'
import { type Engine, readSpans, readTraceHeads, SPAN_COLUMNS } from '@spanhouse/span-store'

/**
 * How long after its last span a trace without a root stays out of sight: clients poll for a trace until it has spans
 * and then take the first one for the root.
 */
const ROOT_WAIT_MS = 60_000

export interface Trace {
  trace_id: TraceId
  spans: ReturnType<typeof nestSpans>
}

/** All spans of those of the traces that can be shown, by trace, in no particular order. */
export async function readTraceSpans(
  engine: Engine,
  project_id: string,
  trace_ids: readonly TraceId[],
): Promise<Map<TraceId, SpanJson[]>> {
  if (trace_ids.length === 0) return new Map()
  const spans = await readSpans(engine, compileTraceSpans({ project_id, columns: SPAN_COLUMNS, trace_ids }))
  const groups = Map.groupBy(spans, span => span.trace_id as TraceId)
  const waitedSince = new Date(Date.now() - ROOT_WAIT_MS).toISOString()
  return new Map(
    [...groups].filter(
      ([, group]) => group.some(isRoot) || group.every(span => (span.created_at as string) < waitedSince),
    ),
  )
}

/** Their trees. */
export async function readTraces(engine: Engine, project_id: string, trace_ids: readonly TraceId[]): Promise<Trace[]> {
  return Array.from(await readTraceSpans(engine, project_id, trace_ids), ([trace_id, group]) => ({
    trace_id,
    spans: nestSpans(group as FlatSpan[]),
  }))
}

/** The traces that a query asks for, in its order, and where each stands in it. */
export async function findTraces(engine: Engine, project_id: string, query: SpanQuery<'trace'>) {
  const found = await readTraceHeads(engine, { project_id, query })
  const traces = await readTraces(
    engine,
    project_id,
    found.map(row => row.trace_id),
  )
  const byId = new Map(traces.map(trace => [trace.trace_id, trace]))
  return { found, traces: found.flatMap(row => byId.get(row.trace_id) ?? []) }
}

const isRoot = (span: SpanJson): boolean => span.parent_id === undefined
