import { type FlatSpan, invalid, nestSpans, Problem, parseTraceId, type SpanJson, type TraceId } from '@spanhouse/model'
import { compileTraceQuery, compileTraceSpans, nextWindowing } from '@spanhouse/query'
import { type Engine, readSpans, readTraceHeads, SPAN_COLUMNS } from '@spanhouse/span-store'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { projectOf } from '../http/auth.ts'
import { idsOf } from '../http/ids.ts'
import { readSpanQuery } from '../http/query-body.ts'
import { traceToJson } from '../http/trace-json.ts'

/**
 * How long after its last span a trace without a root stays out of sight: clients poll for a trace until it has spans
 * and then take the first one for the root.
 */
const ROOT_WAIT_MS = 60_000

/** Words that are paths of their own below `/traces`, never ids. */
const RESERVED = new Set(['query', 'ingest'])

interface Trace {
  trace_id: TraceId
  spans: ReturnType<typeof nestSpans>
}

/** Whole traces as trees: by query and by id. Nothing found is count 0 with status 200. */
export function traceRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    app.post('/traces/query', (request, reply) => queryTraces(engine, request, reply))
    app.get('/traces', async (request, reply) => {
      const { project_id } = projectOf(request, 'view_spans')
      const trace_ids = idsOf(request, 'trace_id', parseTraceId)
      if (!trace_ids) throw invalid('trace_id or trace_ids is required')
      const traces = await readTraces(engine, project_id, trace_ids)
      return sendJson(reply, tracesEnvelope(traces.toSorted(byStart)))
    })
    app.get('/traces/:trace_id', async (request, reply) => {
      const { trace_id: text } = request.params as { trace_id: string }
      if (RESERVED.has(text)) throw new Problem('method_not_allowed', 'Method Not Allowed')
      const { project_id } = projectOf(request, 'view_spans')
      const trace_id = parseTraceId(text)
      if (!trace_id) throw invalid(`trace_id is malformed: ${text.slice(0, 100)}`)
      const [trace] = await readTraces(engine, project_id, [trace_id])
      return trace ? sendJson(reply, `{"count":1,"trace":${jsonOf(trace)}}`) : { count: 0 }
    })
  }
}

async function queryTraces(engine: Engine, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { project_id } = projectOf(request, 'view_spans')
  const query = await readSpanQuery(request, 'trace')
  if (!query) return sendJson(reply, tracesEnvelope([]))
  const found = await readTraceHeads(engine, compileTraceQuery({ project_id, query }))
  const traces =
    found.length > 0
      ? await readTraces(
          engine,
          project_id,
          found.map(row => row.trace_id),
        )
      : []
  const byId = new Map(traces.map(trace => [trace.trace_id, trace]))
  const inOrder = found.flatMap(row => byId.get(row.trace_id) ?? [])
  return sendJson(reply, tracesEnvelope(inOrder, nextWindowing(query, found)))
}

const jsonOf = ({ trace_id, spans }: Trace): string => traceToJson(trace_id, spans)

function tracesEnvelope(traces: Trace[], windowing?: object): string {
  const next = windowing ? `,"windowing":${JSON.stringify(windowing)}` : ''
  return `{"count":${traces.length},"traces":[${traces.map(jsonOf).join()}]${next}}`
}

const sendJson = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(text)

/** The trees of those of the traces that can be shown, in no particular order. */
async function readTraces(engine: Engine, project_id: string, trace_ids: readonly TraceId[]): Promise<Trace[]> {
  const spans = await readSpans(engine, compileTraceSpans({ project_id, columns: SPAN_COLUMNS, trace_ids }))
  const groups = Map.groupBy(spans, span => span.trace_id as TraceId)
  const waitedSince = new Date(Date.now() - ROOT_WAIT_MS).toISOString()
  return [...groups]
    .filter(([, group]) => group.some(isRoot) || group.every(span => (span.created_at as string) < waitedSince))
    .map(([trace_id, group]) => ({ trace_id, spans: nestSpans(group as FlatSpan[]) }))
}

const isRoot = (span: SpanJson): boolean => span.parent_id === undefined

/** By the start of the first entry: the root that started last. */
function byStart(one: Trace, other: Trace): number {
  const a = startOf(one)
  const b = startOf(other)
  return a < b ? -1 : a > b ? 1 : 0
}

const startOf = ({ spans }: Trace): string => {
  const first = [Object.values(spans)[0]].flat()[0] as FlatSpan
  return first.start_time.slice(0, -1)
}
