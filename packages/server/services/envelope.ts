import { defined, type Json, type JsonObject } from '@spanhouse/model'
import type { RunStatus } from '@spanhouse/runtime'
import type { FastifyReply } from 'fastify'

/** The version of the protocol, in every response. */
export const PROTOCOL_VERSION = '2025.07.14'

/** The ids of a run that its caller gets. */
export interface RunIds {
  trace_id: string
  span_id: string
  session_id: string
}

/**
 * The body of the response to a run, or to a request that was rejected before (contract of the runtime, section 8.6).
 */
export function envelopeOf(
  status: RunStatus,
  { errorsUrl, ids, outputs }: { errorsUrl: string; ids?: RunIds; outputs?: Json },
): JsonObject {
  const { code, message, fragment, details } = status
  const shown: JsonObject = { code, message }
  if (fragment !== undefined) shown.type = `${errorsUrl}#${fragment}`
  if (details) shown.details = defined(details)
  const envelope: JsonObject = { version: PROTOCOL_VERSION, status: shown }
  if (ids) Object.assign(envelope, ids)
  if (outputs !== undefined) envelope.data = { outputs }
  return envelope
}

/** Adds the ids of the run to the response headers (section 8.4), and where its trace is shown. */
export function addRunHeaders(reply: FastifyReply, { trace_id, span_id, session_id }: RunIds): void {
  reply.headers({
    'x-ag-trace-id': trace_id,
    'x-ag-span-id': span_id,
    traceparent: `00-${trace_id}-${span_id}-01`,
    'x-ag-session-id': session_id,
    link: `</t/${trace_id}/${span_id}>; rel="describedby"; type="text/html"`,
    baggage: `ag.session.id=${encodeURIComponent(session_id)}`,
  })
}

/** Sets the status of the response, and `Retry-After` if there is one. */
export function addStatus(reply: FastifyReply, { code, retryAfterSeconds }: RunStatus): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterSeconds)))
  return reply.code(code)
}
