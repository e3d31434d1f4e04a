import { randomUUID } from 'node:crypto'
import { microsNow, nextTurn, type Problem, type SpanId, type TraceId } from '@spanhouse/model'
import { encodeExportResponse, encodeStatus, encodeTraces, readTracesJson, scanTraces } from '@spanhouse/otlp'
import { partitionOf, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import { jsonObject, z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonBounds, parsedBytes } from '../budget/limits.ts'
import { inflateBody, readBody } from '../budget/read-body.ts'
import type { Held } from '../budget/room.ts'
import { projectOf } from '../http/auth.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { sendProblem, toProblem } from '../http/errors.ts'
import { operationSchema } from '../http/openapi.ts'
import { PauseWhenFull } from '../ingest/pause.ts'
import type { IngestMetrics } from '../metrics.ts'

/** An export as received and after decompression (contract: 10 MiB). */
export const OTLP_BYTES_MAX = 10 * 1024 * 1024

/**
 * A span with attributes nested too deeply is skipped without affecting the others; beyond this depth the export is
 * rejected.
 */
const JSON_DEPTH_MAX = 10_000

const PROTOBUF = 'application/x-protobuf'

const path = '/otlp/v1/traces'
const tag = 'ingest'
const SUMMARY = 'Accepts an OpenTelemetry export as protobuf or JSON, compressed or not; responds once it is durable.'
/** Described for JSON; the scanner checks what is sent. */
const exported = z.looseObject({ resourceSpans: z.array(jsonObject) })
const answer = z.object({
  count: z.int().meta({ description: 'Spans that were accepted.' }),
  links: z.array(z.object({ trace_id: z.string(), span_id: z.string() })),
  partialSuccess: z.object({ rejectedSpans: z.int(), errorMessage: z.string() }).optional(),
})

interface Accepted {
  count: number
  links: { trace_id: TraceId; span_id: SpanId }[]
  rejected: number
  errorMessage: string
}

/**
 * The OTLP receiver. It examines an export just enough to know which spans it contains and that they can be decoded,
 * makes the bytes durable in the span stream, and only then responds.
 */
export function otlpRoutes(stream: SpanStream, metrics: IngestMetrics): (app: FastifyInstance) => void {
  const pause = new PauseWhenFull()
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path,
      tag,
      permission: 'edit_spans',
      answer: z.object({ status: z.literal('ready') }),
      summary: 'Confirms that exports can be sent.',
      handle: () => ({ status: 'ready' }),
    })
    app.post(path, {
      schema: operationSchema({
        method: 'POST',
        path,
        tag,
        summary: SUMMARY,
        body: exported,
        answer,
        status: 202,
        bodyBytesMax: OTLP_BYTES_MAX,
      }),
      errorHandler: (error, request, reply) => {
        const problem = toProblem(error)
        metrics.refused.inc({ code: problem.code })
        return sendOtlpProblem(problem, request, reply)
      },
      handler: async (request, reply) => {
        const principal = projectOf(request, 'edit_spans')
        const { project_id, user_id } = principal
        app.quotas.admit(principal, 'spans_per_second')
        const held = app.room.enter({ project_id })
        try {
          const accepted = await pause.run(() => accept(request, held, stream, { project_id, user_id }))
          app.quotas.charge(principal, 'spans_per_second', accepted.count)
          metrics.accepted.inc(accepted.count)
          metrics.rejected.inc(accepted.rejected)
          return wantsProtobuf(request) ? sendProtobuf(reply, accepted) : sendJson(reply, accepted)
        } finally {
          held.release()
        }
      },
    })
  }
}

async function accept(
  request: FastifyRequest,
  held: Held,
  stream: SpanStream,
  sender: Pick<SpanMessage, 'project_id' | 'user_id'>,
): Promise<Accepted> {
  const received = await readBody(request.raw, OTLP_BYTES_MAX, held)
  const bytes = await inflateBody(received, request.headers['content-encoding'], { bytesMax: OTLP_BYTES_MAX, held })
  const traces = isJson(request) ? await tracesInJson(bytes, held) : bytes
  await nextTurn()
  const scan = scanTraces(traces, stream.partitions, partitionOf)
  const accepted_at = microsNow()
  await stream.publish(
    scan.shares.map(({ partition, span_count, body }) => ({
      id: randomUUID(),
      partition,
      ...sender,
      accepted_at,
      span_count,
      format: 'otlp',
      body,
    })),
  )
  return { count: scan.spans.length, links: scan.spans, rejected: scan.rejected, errorMessage: scan.errorMessage }
}

async function tracesInJson(bytes: Buffer, held: Held): Promise<Uint8Array> {
  const json = await readTracesJson(bytes, {
    bounds: { ...jsonBounds(OTLP_BYTES_MAX), depthMax: JSON_DEPTH_MAX },
    onValues: values => held.add(parsedBytes(bytes, values)),
  })
  await nextTurn()
  return encodeTraces(json)
}

/**
 * The interface's shape is the default. The shape of the OTLP specification is for callers that name its media type,
 * and for OpenTelemetry's own exporters and collectors, which parse it from the response to a protobuf export.
 */
const wantsProtobuf = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes(PROTOBUF) ||
  (!isJson(request) && EXPORTERS.test(request.headers['user-agent'] ?? ''))

const EXPORTERS = /^(OTel-OTLP-Exporter|OpenTelemetry Collector|otelcol)/i

const isJson = (request: FastifyRequest): boolean => /^application\/json\b/i.test(request.headers['content-type'] ?? '')

function sendJson(reply: FastifyReply, { count, links, rejected, errorMessage }: Accepted): FastifyReply {
  const partialSuccess = rejected > 0 ? { rejectedSpans: rejected, errorMessage } : undefined
  return reply.code(202).send({ count, links, partialSuccess })
}

const sendProtobuf = (reply: FastifyReply, { rejected, errorMessage }: Accepted): FastifyReply =>
  reply
    .code(200)
    .type(PROTOBUF)
    .send(Buffer.from(encodeExportResponse({ rejected, errorMessage })))

/**
 * OTLP requires errors as a protobuf `Status`. Callers without permission, and senders of JSON, get JSON as everywhere
 * else.
 */
function sendOtlpProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.status === 401 || problem.status === 403 || isJson(request)) return sendProblem(problem, request, reply)
  if (problem.code === 'internal') request.log.error({ err: problem.cause ?? problem }, 'export failed')
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  return reply
    .code(problem.status)
    .type(PROTOBUF)
    .send(Buffer.from(encodeStatus(problem.message)))
}
