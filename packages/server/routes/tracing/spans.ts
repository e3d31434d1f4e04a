import { invalid, parseSpanId, parseTraceId } from '@spanhouse/model'
import { nextWindowing } from '@spanhouse/query'
import { positionOf, readSpanPage, readSpansByIds, type StoredSpan } from '@spanhouse/span-store'
import { list, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { nextPage, spanAnswer } from '../../http/answer/span-answers.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { idsOf } from '../../http/ids.ts'
import { spanQueryBody } from '../../http/query-body.ts'
import { type ReadParts, readSpanQuery } from './saved-queries.ts'

const tag = 'spans'
const permission = 'view_spans'
const text = optional(z.union([z.string(), list(z.string())]))
const spans = z.object({ count: z.int(), spans: z.array(spanAnswer), windowing: nextPage })

/** Flat lists of spans: by query and by id. No match is an empty list with status 200. */
export function spanRoutes({ engine, registry }: ReadParts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      method: 'POST',
      path: '/spans/query',
      tag,
      permission,
      body: spanQueryBody,
      answer: spans,
      summary: 'Finds spans, newest first.',
      handle: async ({ principal, body, holder }) => {
        const query = await readSpanQuery(registry, principal, { body, focus: 'span' })
        if (!query) return spansEnvelope([])
        const { project_id } = principal
        const { spans, isFull } = await readSpanPage(engine, { project_id, query }, holder)
        return { ...spansEnvelope(spans), windowing: nextWindowing(query, spans.map(positionOf), isFull) }
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/spans',
      tag,
      permission,
      answer: spans,
      summary: 'Returns spans by trace ids, span ids or both, ordered by start time.',
      query: z.object({ trace_id: text, trace_ids: text, span_id: text, span_ids: text }),
      handle: async ({ principal: { project_id }, request, holder }) => {
        const trace_ids = idsOf(request, 'trace_id', parseTraceId)
        const span_ids = idsOf(request, 'span_id', parseSpanId)
        if (!trace_ids && !span_ids) throw invalid('trace_id or span_id is required')
        return spansEnvelope(await readSpansByIds(engine, { project_id, trace_ids, span_ids }, holder))
      },
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/spans/:trace_id/:span_id',
      tag,
      permission,
      summary: 'Returns a span.',
      params: z.object({ trace_id: z.string(), span_id: z.string() }),
      answer: z.object({ count: z.int(), span: optional(spanAnswer) }),
      handle: async ({ principal: { project_id }, params, holder }) => {
        const trace_id = parseTraceId(params.trace_id)
        const span_id = parseSpanId(params.span_id)
        if (!trace_id) throw invalid(`trace_id is not a trace id: ${params.trace_id}`)
        if (!span_id) throw invalid(`span_id is not a span id: ${params.span_id}`)
        const ids = { project_id, trace_ids: [trace_id], span_ids: [span_id] }
        const [found] = await readSpansByIds(engine, ids, holder)
        return found ? { count: 1, span: found } : { count: 0 }
      },
    })
  }
}

const spansEnvelope = (spans: StoredSpan[]): object => ({ count: spans.length, spans })
