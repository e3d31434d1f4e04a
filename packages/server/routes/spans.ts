import { invalid, parseSpanId, parseTraceId, type SpanJson } from '@spanhouse/model'
import { compileSpanQuery, compileSpansByIds, nextWindowing } from '@spanhouse/query'
import { type Engine, positionOf, readSpans, SPAN_COLUMNS } from '@spanhouse/span-store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { projectOf } from '../http/auth.ts'
import { idsOf } from '../http/ids.ts'
import { readSpanQuery } from '../http/query-body.ts'

/** Flat lists of spans: by query and by id. Nothing found is an empty list with status 200. */
export function spanRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    app.post('/spans/query', request => querySpans(engine, request))
    app.get('/spans', async request => {
      const { project_id } = projectOf(request, 'view_spans')
      const trace_ids = idsOf(request, 'trace_id', parseTraceId)
      const span_ids = idsOf(request, 'span_id', parseSpanId)
      if (!trace_ids && !span_ids) throw invalid('trace_id or span_id is required')
      return spansEnvelope(
        await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, trace_ids, span_ids })),
      )
    })
    app.get('/spans/:trace_id/:span_id', async request => {
      const { project_id } = projectOf(request, 'view_spans')
      const params = request.params as { trace_id: string; span_id: string }
      const trace_id = parseTraceId(params.trace_id)
      const span_id = parseSpanId(params.span_id)
      if (!trace_id) throw invalid(`trace_id is no trace id: ${params.trace_id}`)
      if (!span_id) throw invalid(`span_id is no span id: ${params.span_id}`)
      const ids = { trace_ids: [trace_id], span_ids: [span_id] }
      const [span] = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...ids }))
      return span ? { count: 1, span } : { count: 0 }
    })
  }
}

async function querySpans(engine: Engine, request: FastifyRequest): Promise<object> {
  const { project_id } = projectOf(request, 'view_spans')
  const query = await readSpanQuery(request, 'span')
  if (!query) return spansEnvelope([])
  const spans = await readSpans(engine, compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query }))
  return { ...spansEnvelope(spans), windowing: nextWindowing(query, spans.map(positionOf)) }
}

const spansEnvelope = (spans: SpanJson[]): object => ({ count: spans.length, spans })
