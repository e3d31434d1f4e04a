import { type FlatSpan, invalid, parseTraceId } from '@spanhouse/model'
import { nextWindowing } from '@spanhouse/query'
import { json, list, optional, z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../budget/limits.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { idsOf } from '../http/ids.ts'
import { spanQueryBody } from '../http/query-body.ts'
import { sendJsonText } from '../http/send-json.ts'
import { traceToJson } from '../http/trace-json.ts'
import { type ReadParts, readSpanQuery } from './saved-queries.ts'
import { requiredTraceId } from './trace-writes.ts'
import { findTraces, readTraces, type Trace } from './whole-traces.ts'

const tag = 'traces'
const permission = 'view_spans'
const trace = z.object({
  trace_id: z.string(),
  spans: z.looseObject({}).meta({ description: 'Spans by name, nested.' }),
})
const traces = z.object({ count: z.int(), traces: z.array(trace), windowing: optional(json) })

/** Whole traces as trees: by query and by id. Nothing found is count 0 with status 200. */
export function traceRoutes({ engine, registry }: ReadParts): (app: FastifyInstance) => void {
  return app => {
    for (const [path, deprecated] of [
      ['/traces/query', false],
      ['/tracing/traces/query', true],
    ] as const)
      addEndpoint(app, {
        bodyBytesMax: QUERY_BODY_BYTES_MAX,
        ...{ method: 'POST', path, tag, permission, deprecated, body: spanQueryBody, answer: traces },
        summary: 'Finds traces of which a span is as asked, the newest first.',
        handle: async ({ principal, body, reply }) => {
          const query = await readSpanQuery(registry, principal, { body, focus: 'trace' })
          if (!query) return sendTraces(reply, [])
          const { found, traces } = await findTraces(engine, principal.project_id, query)
          return sendTraces(reply, traces, nextWindowing(query, found))
        },
      })
    addEndpoint(app, {
      ...{ method: 'GET', path: '/traces', tag, permission, answer: traces },
      summary: 'Reads traces by their ids, in the order of their start.',
      query: z.object({
        trace_id: optional(z.union([z.string(), list(z.string())])),
        trace_ids: optional(z.union([z.string(), list(z.string())])).meta({ description: 'With commas.' }),
      }),
      handle: async ({ principal, request, reply }) => {
        const trace_ids = idsOf(request, 'trace_id', parseTraceId)
        if (!trace_ids) throw invalid('trace_id or trace_ids is required')
        const found = await readTraces(engine, principal.project_id, trace_ids)
        return sendTraces(reply, found.toSorted(byStart))
      },
    })
    addEndpoint(app, {
      ...{ method: 'GET', path: '/traces/:trace_id', tag, permission, params: z.object({ trace_id: z.string() }) },
      ...{ summary: 'Reads a trace.', answer: z.object({ count: z.int(), trace: optional(trace) }) },
      handle: async ({ principal, params, reply }) => {
        const [found] = await readTraces(engine, principal.project_id, [requiredTraceId(params.trace_id)])
        return found ? sendJsonText(reply, `{"count":1,"trace":${jsonOf(found)}}`) : { count: 0 }
      },
    })
  }
}

const jsonOf = ({ trace_id, spans }: Trace): string => traceToJson(trace_id, spans)

function sendTraces(reply: FastifyReply, traces: Trace[], windowing?: object): FastifyReply {
  const next = windowing ? `,"windowing":${JSON.stringify(windowing)}` : ''
  return sendJsonText(reply, `{"count":${traces.length},"traces":[${traces.map(jsonOf).join()}]${next}}`)
}

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
