import { invalid, isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { jsonList, jsonObject, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { CONTENT_BODY_BYTES_MAX } from '../../../budget/limits.ts'
import { addEndpoint } from '../../../http/endpoint.ts'
import { acceptSpans, type Ingest } from '../../../ingest/accept.ts'
import { type Deleting, deleteTrace } from '../../../ingest/delete-trace.ts'
import { type GivenSpan, readSpans } from '../../../ingest/span-nodes.ts'
import { requiredTraceId, requireOneRoot } from '../trace-writes.ts'

const tag = 'tracing'
const permission = 'edit_spans'
const status = 202
const deprecated = true

/** Traces by id, whose spans carry their own trace id, or a flat list of spans, which takes precedence. */
const body = z.object({
  spans: optional(jsonList).meta({ description: 'A flat list of spans.' }),
  traces: optional(jsonObject).meta({ description: 'By trace id: an object with the tree of its spans as `spans`.' }),
})
const params = z.object({ trace_id: z.string() })
const links = z.object({ count: z.int(), links: z.array(z.object({ trace_id: z.string(), span_id: z.string() })) })

/** The older way to write spans as JSON: every response has a link to each accepted span. */
export function tracingWriteRoutes(ingest: Ingest & Deleting): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'POST',
      path: '/tracing/spans/ingest',
      tag,
      permission,
      status,
      deprecated,
      body,
      answer: links,
      summary: 'Accepts spans; malformed ones are skipped.',
      handle: async ({ principal, body }) =>
        linksEnvelope(await acceptSpans(ingest, principal, bodiesOf(await givenSpans(body)))),
    })
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'POST',
      path: '/tracing/traces',
      tag,
      permission,
      status,
      deprecated,
      body,
      answer: links,
      summary: 'Creates a trace, or adds spans to it.',
      handle: async ({ principal, body }) => {
        const spans = await givenTrace(body)
        return linksEnvelope(await acceptSpans(ingest, principal, bodiesOf(spans)))
      },
    })
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'PUT',
      path: '/tracing/traces/:trace_id',
      tag,
      permission,
      status,
      deprecated,
      body,
      answer: links,
      summary: 'Adds spans to a trace; existing spans get a new version.',
      params,
      handle: async ({ principal, params, body }) => {
        const trace_id = requiredTraceId(params.trace_id)
        const spans = await givenTrace(body)
        if (spans.some(span => span.trace_id !== null && span.trace_id !== trace_id))
          throw invalid('The trace_id in the path differs from that of the spans.')
        return linksEnvelope(await acceptSpans(ingest, principal, bodiesOf(spans)))
      },
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/tracing/traces/:trace_id',
      change: 'traces.deleted',
      tag,
      permission,
      status,
      deprecated,
      params,
      summary: 'Deletes a trace permanently.',
      answer: links,
      handle: async ({ principal, params }) => {
        const trace_id = requiredTraceId(params.trace_id)
        const span_ids = await deleteTrace(ingest, principal, trace_id)
        return linksEnvelope(span_ids.map(span_id => ({ trace_id, span_id })))
      },
    })
  }
}

const bodiesOf = (spans: readonly GivenSpan[]): GivenSpan['body'][] => spans.map(span => span.body)

async function givenSpans({ spans, traces }: z.output<typeof body>): Promise<GivenSpan[]> {
  if (spans) return readSpans(spans, ['spans'])
  const given: GivenSpan[][] = []
  for (const [id, entry] of Object.entries(traces ?? {}))
    given.push(await readSpans(spansOf(entry), ['traces', id, 'spans']))
  return given.flat()
}

/** The spans of one whole trace. */
async function givenTrace({ spans, traces }: z.output<typeof body>): Promise<GivenSpan[]> {
  const given = await givenSpans({ spans, traces })
  if (given.length === 0) throw invalid('Missing spans')
  const ids = new Set(given.flatMap(span => span.trace_id ?? []))
  if (ids.size > 1 || (!spans && Object.keys(traces ?? {}).length > 1)) throw invalid('Too many traces')
  requireOneRoot(given)
  return given
}

function spansOf(entry: Json): JsonObject | Json[] {
  const spans = isJsonObject(entry) ? entry.spans : undefined
  return isJsonObject(spans) || Array.isArray(spans) ? spans : {}
}

const linksEnvelope = (links: readonly object[]): object => ({ count: links.length, links })
