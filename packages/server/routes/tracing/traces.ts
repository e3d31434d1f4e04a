import { invalid, type Micros, type NestedSpan, parseTraceId, type SpanLevel } from '@spanhouse/model'
import { nextWindowing } from '@spanhouse/query'
import { list, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { nextPage, treeAnswer } from '../../http/answer/span-answers.ts'
import { treeJson } from '../../http/answer/trace-json.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { idsOf } from '../../http/ids.ts'
import { spanQueryBody } from '../../http/query-body.ts'
import { noteTraces } from '../registry/read-events.ts'
import { type ReadParts, readSpanQuery } from './saved-queries.ts'
import { requiredTraceId } from './trace-writes.ts'
import { findTraces, readTraces, type Trace } from './whole-traces.ts'

const tag = 'traces'
const permission = 'view_spans'
const trace = z.object({ trace_id: z.string(), spans: treeAnswer })
const traces = z.object({ count: z.int(), traces: z.array(trace), windowing: nextPage })

/** Whole traces as trees: by query and by id. No match is count 0 with status 200. */
export function traceRoutes({ engine, registry }: ReadParts): (app: FastifyInstance) => void {
  return app => {
    for (const [path, deprecated] of [
      ['/traces/query', false],
      ['/tracing/traces/query', true],
    ] as const)
      addEndpoint(app, {
        bodyBytesMax: QUERY_BODY_BYTES_MAX,
        method: 'POST',
        path,
        tag,
        permission,
        deprecated,
        body: spanQueryBody,
        answer: traces,
        summary: 'Finds traces with a span that matches the filter, newest first.',
        handle: async ({ principal, body, holder }) => {
          const query = await readSpanQuery(registry, principal, { body, focus: 'trace' })
          if (!query) return tracesEnvelope([])
          const reading = { engine, project_id: principal.project_id, holder }
          const { found, traces, isCut } = await findTraces(reading, query)
          noteTraces(registry, principal, { verb: 'queried', ids: traces.map(({ trace_id }) => trace_id) })
          return { ...tracesEnvelope(traces), windowing: nextWindowing(query, found, isCut || undefined) }
        },
      })
    addEndpoint(app, {
      method: 'GET',
      path: '/traces',
      tag,
      permission,
      answer: traces,
      summary: 'Returns traces by id, ordered by start time.',
      query: z.object({
        trace_id: optional(z.union([z.string(), list(z.string())])),
        trace_ids: optional(z.union([z.string(), list(z.string())])).meta({ description: 'With commas.' }),
      }),
      handle: async ({ principal, request, holder }) => {
        const { project_id } = principal
        const trace_ids = idsOf(request, 'trace_id', parseTraceId)
        if (!trace_ids) throw invalid('trace_id or trace_ids is required')
        const found = await readTraces({ engine, project_id, holder }, trace_ids)
        noteTraces(registry, principal, { verb: 'fetched', ids: found.map(({ trace_id }) => trace_id) })
        return tracesEnvelope(found.toSorted((one, other) => startOf(one.spans) - startOf(other.spans)))
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/traces/:trace_id',
      tag,
      permission,
      params: z.object({ trace_id: z.string() }),
      summary: 'Returns a trace.',
      answer: z.object({ count: z.int(), trace: optional(trace) }),
      handle: async ({ principal, params, holder }) => {
        const reading = { engine, project_id: principal.project_id, holder }
        const [found] = await readTraces(reading, [requiredTraceId(params.trace_id)])
        noteTraces(registry, principal, { verb: 'fetched', ids: found ? [found.trace_id] : [] })
        return found ? { count: 1, trace: traceJson(found) } : { count: 0 }
      },
    })
  }
}

const traceJson = ({ trace_id, spans }: Trace): object => ({ trace_id, spans: treeJson(spans) })

const tracesEnvelope = (traces: readonly Trace[]): object => ({
  count: traces.length,
  traces: traces.map(traceJson),
})

/** The start of the first entry: of the root that started last. */
const startOf = (level: SpanLevel<NestedSpan>): Micros => level.values().next().value?.[0]?.span.start_time ?? 0
