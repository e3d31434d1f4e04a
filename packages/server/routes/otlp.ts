import { nextTurn, type Problem } from '@spanhouse/model'
import { encodeExportResponse, encodeStatus, encodeTraces, readTracesJson } from '@spanhouse/otlp'
import { jsonObject, z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonBounds, parsedBytes } from '../budget/limits.ts'
import { inflateBody, readBody } from '../budget/read-body.ts'
import type { Held } from '../budget/room.ts'
import { projectOf } from '../http/auth.ts'
import { discardRest } from '../http/body/discard.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { sendProblem, toProblem } from '../http/errors.ts'
import { describedAs } from '../http/openapi.ts'
import { type AcceptedExport, OTLP_BYTES_MAX } from '../ingest/exports.ts'
import type { Intake } from '../ingest/intake.ts'
import { OTHER_SIGNALS, type OtherSignal, type OtherSignals } from '../ingest/other-signals.ts'

/**
 * A span with attributes nested too deeply is skipped without affecting the others; beyond this depth the export is
 * rejected.
 */
const JSON_DEPTH_MAX = 10_000

const PROTOBUF = 'application/x-protobuf'

const path = '/otlp/v1/traces'
const tag = 'ingest'
const SUMMARY = 'Accepts an OpenTelemetry export as protobuf or JSON, compressed or not; responds once it is durable.'
const EXAMPLE = {
  traceId: '5b8efff798038103d269b633813fc60c',
  spanId: 'eee19b7ec3c1b174',
  name: 'answer',
  kind: 1,
  startTimeUnixNano: '1770000000000000000',
  endTimeUnixNano: '1770000001000000000',
  attributes: [{ key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o-mini' } }],
}
/** Described for JSON; the scanner checks what is sent. */
const exported = z
  .looseObject({ resourceSpans: z.array(jsonObject) })
  .meta({ examples: [{ resourceSpans: [{ scopeSpans: [{ spans: [EXAMPLE] }] }] }] })
const answer = z.object({
  count: z.int().meta({ description: 'Spans that were accepted.' }),
  links: z.array(z.object({ trace_id: z.string(), span_id: z.string() })),
  partialSuccess: z.object({ rejectedSpans: z.int(), errorMessage: z.string() }).optional(),
})

/** OTLP over HTTP. An export is answered once it is durable. Metrics and logs are discarded. */
export function otlpRoutes({ exports, signals }: Intake): (app: FastifyInstance) => void {
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
      config: describedAs({
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
        exports.refused(problem, { door: 'http', userAgent: request.headers['user-agent'] })
        return sendOtlpProblem(problem, request, reply)
      },
      handler: async (request, reply) => {
        const principal = projectOf(request, 'edit_spans')
        const held = app.room.enter(principal)
        try {
          const accepted = await exports.accept(principal, held, () => readTraces(request, held))
          return wantsProtobuf(request) ? sendProtobuf(reply, accepted) : sendJson(reply, accepted)
        } finally {
          held.release()
        }
      },
    })
    for (const signal of Object.keys(OTHER_SIGNALS) as OtherSignal[]) addOtherSignal(app, signal, signals)
  }
}

/** All that arrives is discarded; the response is a success with a warning. */
function addOtherSignal(app: FastifyInstance, signal: OtherSignal, signals: OtherSignals): void {
  app.post(`/otlp/v1/${signal}`, {
    config: describedAs({ method: 'POST', path, tag, summary: '', hidden: true }),
    handler: async (request, reply) => {
      projectOf(request, 'edit_spans')
      await discardRest(request.raw)
      const errorMessage = signals.warning(request.raw.socket, signal)
      if (isJson(request)) return reply.code(200).send(errorMessage ? { partialSuccess: { errorMessage } } : {})
      return sendProtobuf(reply, { rejected: 0, errorMessage })
    },
  })
}

/** The export as protobuf. */
async function readTraces(request: FastifyRequest, held: Held): Promise<Uint8Array> {
  const received = await readBody(request.raw, OTLP_BYTES_MAX, held)
  const bytes = await inflateBody(received, request.headers['content-encoding'], { bytesMax: OTLP_BYTES_MAX, held })
  return isJson(request) ? tracesInJson(bytes, held) : bytes
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
  (request.headers.accept ?? '').toLowerCase().includes(PROTOBUF) ||
  (!isJson(request) && EXPORTERS.test(request.headers['user-agent'] ?? ''))

/** The exporters of Go and PHP spell it with spaces. A distribution may put its own name in front. */
const EXPORTERS = /\b(OTel[- ]OTLP[- ]Exporter|(OpenTelemetry|OTel) Collector|otelcol)/i

const isJson = (request: FastifyRequest): boolean => /^application\/json\b/i.test(request.headers['content-type'] ?? '')

function sendJson(reply: FastifyReply, { count, links, rejected, errorMessage }: AcceptedExport): FastifyReply {
  const partialSuccess = rejected > 0 ? { rejectedSpans: rejected, errorMessage } : undefined
  return reply.code(202).send({ count, links, partialSuccess })
}

const sendProtobuf = (
  reply: FastifyReply,
  { rejected, errorMessage }: Pick<AcceptedExport, 'rejected' | 'errorMessage'>,
): FastifyReply =>
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
    .send(Buffer.from(encodeStatus({ message: problem.message })))
}
