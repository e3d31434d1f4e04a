import { parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core'
import { parseSpanId, parseTraceId } from '@spanhouse/model'
import type { RunRequest } from '@spanhouse/runtime'
import type { FastifyRequest } from 'fastify'

/** The trace context, session and baggage in the headers of a request (contract of the runtime, section 8.4). */
export interface Propagated {
  parent: RunRequest['parent']
  /** Entries whose keys begin with `ag.`. */
  baggage: Record<string, string>
  sessionId: string | undefined
}

/** Reads W3C Trace Context and W3C Baggage. Malformed headers count as absent, as the specifications require. */
export function propagatedBy({ headers }: FastifyRequest): Propagated {
  const entries = Object.entries(parseKeyPairsIntoRecord(textOf(headers.baggage)))
  const baggage = Object.fromEntries(entries.filter(([key]) => key.startsWith('ag.')))
  return {
    parent: parentOf(headers),
    baggage,
    sessionId: textOf(headers['x-ag-session-id']) ?? baggage['ag.session.id'],
  }
}

function parentOf(headers: FastifyRequest['headers']): RunRequest['parent'] {
  const context = parseTraceParent(textOf(headers.traceparent)?.trim() ?? '')
  if (context) return { trace_id: context.traceId, span_id: context.spanId }
  const trace_id = parseTraceId(textOf(headers['x-ag-trace-id']) ?? '')
  const span_id = parseSpanId(textOf(headers['x-ag-span-id']) ?? '')
  return trace_id && span_id ? { trace_id, span_id } : undefined
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header
