import type { JsonObject, TraceId } from '@spanhouse/model'
import { FOCUSES, FORMATS, filterFor, parseAnalyticsQuery, type Windowing } from '@spanhouse/query'
import { type Engine, pageTooLarge, readTraceHeads, readWholePage, type StoredSpan } from '@spanhouse/span-store'
import { json, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../../budget/limits.ts'
import { spanAnswer, treeAnswer } from '../../../http/answer/span-answers.ts'
import { treeJson } from '../../../http/answer/trace-json.ts'
import { addEndpoint } from '../../../http/endpoint.ts'
import { filterSchema, flatParameters, windowingProperties } from '../../../http/query-body.ts'
import { requiredTraceId } from '../trace-writes.ts'
import { findTraces, type Reading, readTraceSpans, readTraces, type Trace } from '../whole-traces.ts'

const tag = 'tracing'
const permission = 'view_spans'
const deprecated = true

const query = z.strictObject(flatParameters)
const body = optional(
  json.meta({
    type: 'object',
    description: 'The parameters of the query string; `windowing` and `filtering` are accepted too.',
    properties: {
      focus: { type: 'string', enum: [...FOCUSES] },
      format: { type: 'string', enum: [...FORMATS] },
      ...windowingProperties,
      filter: filterSchema,
      windowing: { type: 'object', properties: windowingProperties },
      filtering: filterSchema,
    },
    examples: [{ focus: 'span', limit: 50, filter: { conditions: [{ field: 'span_type', value: 'chat' }] } }],
  }),
)
const traces = z.record(z.string(), z.object({ spans: treeAnswer }))

/** The older read endpoints: traces in a map by id, or spans, depending on the request. */
export function tracingReadRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      method: 'POST',
      path: '/tracing/spans/query',
      tag,
      permission,
      deprecated,
      query,
      body,
      summary: 'Finds traces (focus trace) or spans (focus span).',
      answer: z.object({ count: z.int(), traces: optional(traces), spans: optional(z.array(spanAnswer)) }),
      handle: async ({ principal: { project_id }, query, body, holder }) => {
        const reading = { engine, project_id, holder }
        const asked = parseAnalyticsQuery(query as JsonObject, body)
        const { focus, format } = asked.formatting
        const windowing: Windowing = { order: 'descending', ...asked.windowing }
        const filter = filterFor(focus, asked.filter)
        if (focus === 'span') {
          const spanQuery = { focus, filter, windowing }
          return spansEnvelope(await readWholePage(engine, { project_id, query: spanQuery }, holder))
        }
        const traceQuery = { focus, filter, windowing }
        if (format === 'agenta') {
          const { traces, isCut } = await findTraces(reading, traceQuery)
          if (isCut) throw pageTooLarge()
          return tracesEnvelope(traces)
        }
        const found = await readTraceHeads(engine, { project_id, query: traceQuery })
        return spansEnvelope(
          await spansOf(
            reading,
            found.map(row => row.trace_id),
          ),
        )
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/tracing/traces/:trace_id',
      tag,
      permission,
      deprecated,
      summary: 'Returns a trace.',
      params: z.object({ trace_id: z.string() }),
      answer: z.object({ count: z.int(), traces: optional(traces) }),
      handle: async ({ principal: { project_id }, params, holder }) => {
        const reading = { engine, project_id, holder }
        const found = await readTraces(reading, [requiredTraceId(params.trace_id)])
        return found.length > 0 ? tracesEnvelope(found) : { count: 0 }
      },
    })
  }
}

async function spansOf(reading: Reading, trace_ids: readonly TraceId[]): Promise<StoredSpan[]> {
  const groups = await readTraceSpans(reading, trace_ids)
  return trace_ids.flatMap(trace_id => groups.get(trace_id) ?? [])
}

const spansEnvelope = (spans: StoredSpan[]): object =>
  spans.length > 0 ? { count: spans.length, spans } : { count: 0 }

const tracesEnvelope = (traces: readonly Trace[]): object => ({
  count: traces.length,
  traces: Object.fromEntries(traces.map(({ trace_id, spans }) => [trace_id, { spans: treeJson(spans) }])),
})
