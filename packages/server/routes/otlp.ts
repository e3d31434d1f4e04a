import { randomUUID } from 'node:crypto'
import { microsNow, type Problem, type SpanId, type TraceId } from '@spanhouse/model'
import { decompress, encodeExportResponse, encodeStatus, scanTraces, tracesFromJson } from '@spanhouse/otlp'
import { partitionOf, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import { jsonObject, z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { projectOf } from '../http/auth.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { sendProblem, toProblem } from '../http/errors.ts'
import { operationSchema } from '../http/openapi.ts'
import { ExportRoom, type Hold, readBody } from '../ingest/export-room.ts'
import type { IngestMetrics } from '../metrics.ts'

/** An export as received and once decompressed (contract: 10 MiB). */
export const OTLP_BYTES_MAX = 10 * 1024 * 1024

const PROTOBUF = 'application/x-protobuf'

const path = '/otlp/v1/traces'
const tag = 'ingest'
const SUMMARY = 'Takes an OpenTelemetry export, as protobuf or JSON, compressed or not; answered when it is durable.'
/** Described for JSON; what is sent is looked at by the scanner. */
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
 * The OTLP receiver. It looks at an export just closely enough to know which spans are in it and that they can be
 * decoded, makes the bytes durable in the span stream, and only then answers.
 */
export function otlpRoutes(stream: SpanStream, metrics: IngestMetrics): (app: FastifyInstance) => void {
  const room = new ExportRoom(metrics.bytesHeld)
  return app => {
    addEndpoint(app, {
      ...{ method: 'GET', path, tag, permission: 'edit_spans', answer: z.object({ status: z.literal('ready') }) },
      summary: 'Says that exports can be sent.',
      handle: () => ({ status: 'ready' }),
    })
    app.register(async receiver => {
      // The handler reads the body itself, as far as there is room for it.
      receiver.removeAllContentTypeParsers()
      receiver.addContentTypeParser('*', (_request, _body, done) => done(null))
      receiver.post(path, {
        schema: operationSchema({ method: 'POST', path, tag, summary: SUMMARY, body: exported, answer, status: 202 }),
        errorHandler: (error, request, reply) => {
          const problem = toProblem(error)
          metrics.refused.inc({ code: problem.code })
          return sendOtlpProblem(problem, request, reply)
        },
        handler: async (request, reply) => {
          const { project_id, user_id } = projectOf(request, 'edit_spans')
          const accepted = await room.run(hold => accept(request, hold, stream, { project_id, user_id }))
          metrics.accepted.inc(accepted.count)
          metrics.rejected.inc(accepted.rejected)
          return wantsProtobuf(request) ? sendProtobuf(reply, accepted) : sendJson(reply, accepted)
        },
      })
    })
  }
}

async function accept(
  request: FastifyRequest,
  hold: Hold,
  stream: SpanStream,
  sender: Pick<SpanMessage, 'project_id' | 'user_id'>,
): Promise<Accepted> {
  const received = await readBody(request.raw, OTLP_BYTES_MAX, hold)
  const bytes = await decompress(received, request.headers['content-encoding'], { bytesMax: OTLP_BYTES_MAX })
  if (bytes !== received) hold(bytes.length)
  const scan = scanTraces(isJson(request) ? tracesFromJson(bytes) : bytes, stream.partitions, partitionOf)
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

/**
 * The interface's shape is the default. The one of the OTLP specification goes to callers that name its media type,
 * and to OpenTelemetry's own exporters and collectors, which try to read it from the answer to a protobuf export.
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
 * OTLP wants its refusals as a protobuf `Status`. Who may not send at all, and who sends JSON, is told in JSON like
 * everywhere.
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
