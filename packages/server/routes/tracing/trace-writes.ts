import { invalid, parseTraceId, type TraceId } from '@spanhouse/model'
import type { SpanBody } from '@spanhouse/otlp'
import { list, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { CONTENT_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { acceptSpans, type Ingest } from '../../ingest/accept.ts'
import { type Deleting, deleteTrace } from '../../ingest/delete-trace.ts'
import { type GivenSpan, readSpans, spanTree } from '../../ingest/span-nodes.ts'

const tag = 'traces'
const permission = 'edit_spans'
const status = 202

const trace = z.object({ trace_id: optional(z.string()), spans: optional(spanTree) })
const body = z.object({ trace: optional(trace) })
const params = z.object({ trace_id: z.string() })
const accepted = z.object({ count: z.int(), trace_id: optional(z.string()) })
const link = z.object({ trace_id: z.string(), span_id: z.string() })

/** Whole traces as JSON. 202 means that their spans are durable; they can be read a moment later. */
export function traceWriteRoutes(ingest: Ingest & Deleting): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'POST',
      path: '/traces',
      tag,
      permission,
      status,
      body,
      answer: accepted,
      summary: 'Creates a trace, or adds spans to it; existing spans get a new version.',
      handle: async ({ principal, body }) => {
        const { trace_id, spans } = await readTrace(body)
        return traceEnvelope(trace_id, await acceptSpans(ingest, principal, spans))
      },
    })
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'PUT',
      path: '/traces/:trace_id',
      tag,
      permission,
      status,
      body,
      answer: accepted,
      summary: 'Adds spans to a trace; existing spans get a new version, and no span is removed.',
      params,
      handle: async ({ principal, params, body }) => {
        const named = requiredTraceId(params.trace_id)
        const { trace_id, spans } = await readTrace(body)
        if (trace_id !== named) throw invalid('The trace_id in the path differs from that of the trace.')
        return traceEnvelope(trace_id, await acceptSpans(ingest, principal, spans))
      },
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/traces/:trace_id',
      change: 'traces.deleted',
      tag,
      permission,
      status,
      params,
      answer: accepted,
      summary: 'Deletes a trace permanently, including spans that are accepted but not yet stored.',
      handle: async ({ principal, params }) => {
        const trace_id = requiredTraceId(params.trace_id)
        return traceEnvelope(trace_id, await deleteTrace(ingest, principal, trace_id))
      },
    })
    addEndpoint(app, {
      bodyBytesMax: CONTENT_BODY_BYTES_MAX,
      method: 'POST',
      path: '/traces/ingest',
      tag,
      permission,
      status,
      deprecated: true,
      summary: 'Accepts spans of several traces; malformed ones are skipped.',
      body: z.object({ traces: optional(list(trace)) }),
      answer: z.object({ count: z.int(), trace_ids: z.array(z.string()), links: z.array(link) }),
      handle: async ({ principal, body: { traces = [] } }) => {
        if (traces.length === 0) throw invalid('Missing traces')
        const bodies: SpanBody[] = []
        for (const [at, { trace_id, spans = {} }] of traces.entries()) {
          const given = await readSpans(spans, ['traces', at, 'spans'])
          if (trace_id !== undefined) refuseOtherTraces(given, parseTraceId(trace_id))
          for (const { body } of given) bodies.push(body)
        }
        const links = await acceptSpans(ingest, principal, bodies)
        const trace_ids = [...new Set(links.map(one => one.trace_id))]
        return { count: trace_ids.length, trace_ids, links }
      },
    })
  }
}

/** A trace id, normalised; a 400 if it is malformed. */
export function requiredTraceId(text: string): TraceId {
  const trace_id = parseTraceId(text)
  if (!trace_id) throw invalid(`trace_id is malformed: ${text.slice(0, 100)}`)
  return trace_id
}

async function readTrace({ trace: given }: z.output<typeof body>): Promise<{ trace_id: TraceId; spans: SpanBody[] }> {
  if (given?.trace_id === undefined) throw invalid('Missing trace')
  if (Object.keys(given.spans ?? {}).length === 0) throw invalid('Missing spans')
  const spans = await readSpans(given.spans ?? {}, ['trace', 'spans'])
  requireOneRoot(spans)
  const trace_id = requiredTraceId(given.trace_id)
  refuseOtherTraces(spans, trace_id)
  return { trace_id, spans: spans.map(({ body }) => body) }
}

/** A trace written as a whole must have exactly one root among its top-level spans. */
export function requireOneRoot(spans: readonly GivenSpan[]): void {
  const roots = spans.filter(({ isTop, isRoot }) => isTop && isRoot)
  if (roots.length === 0) throw invalid('Missing root span')
  if (roots.length > 1) throw invalid('Too many root spans')
}

/** Spans with a malformed trace id are skipped later; this is about those of another trace. */
function refuseOtherTraces(spans: readonly GivenSpan[], trace_id: TraceId | null): void {
  if (spans.some(span => span.trace_id !== null && span.trace_id !== trace_id))
    throw invalid('The trace_id of a span differs from that of its trace.')
}

const traceEnvelope = (trace_id: TraceId, { length }: readonly unknown[]): object =>
  length > 0 ? { count: 1, trace_id } : { count: 0 }
