import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { type Authenticator, type ProjectPrincipal, requirePermission } from '@spanhouse/access'
import { encodeExportResponse } from '@spanhouse/otlp'
import { tracedJob } from '@spanhouse/telemetry'
import { inflateBody, readBody } from '../budget/read-body.ts'
import type { Room } from '../budget/room.ts'
import { authenticateInAnyForm } from '../http/credential-forms.ts'
import { toProblem } from '../http/errors.ts'
import { type Exports, OTLP_BYTES_MAX } from '../ingest/exports.ts'
import type { OtherSignal, OtherSignals } from '../ingest/other-signals.ts'
import type { Quotas } from '../shares/quotas.ts'
import type { GrpcMethod } from './grpc-server.ts'
import { messageIn, PREFIX_BYTES } from './message.ts'

export interface OtlpMethodsOptions {
  authenticator: Authenticator
  room: Room
  quotas: Quotas
  exports: Exports
  signals: OtherSignals
}

const PACKAGE = '/opentelemetry.proto.collector'

/**
 * The services of OTLP/gRPC. Traces are handled as over HTTP: authenticated before anything is read, within the same
 * limits, durable before the response. Metrics and logs are discarded.
 */
export const otlpMethods = (options: OtlpMethodsOptions): Record<string, GrpcMethod> => ({
  [`${PACKAGE}.trace.v1.TraceService/Export`]: (stream, headers) => exportTraces(options, stream, headers),
  [`${PACKAGE}.metrics.v1.MetricsService/Export`]: discard(options, 'metrics'),
  [`${PACKAGE}.logs.v1.LogsService/Export`]: discard(options, 'logs'),
})

async function exportTraces(
  { authenticator, room, quotas, exports }: OtlpMethodsOptions,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<Uint8Array> {
  try {
    const sender = await senderOf(authenticator, headers)
    quotas.take(sender, 'requests_per_second', 1)
    const held = room.enter(sender)
    try {
      return await tracedJob('TraceService/Export', { project_id: sender.project_id }, async () =>
        encodeExportResponse(
          await exports.accept(sender, held, async () => {
            const received = await readBody(stream, OTLP_BYTES_MAX + PREFIX_BYTES, held)
            const { body, encoding } = messageIn(received, textOf(headers['grpc-encoding']))
            return inflateBody(body, encoding, { bytesMax: OTLP_BYTES_MAX, held })
          }),
        ),
      )
    } finally {
      held.release()
    }
  } catch (error) {
    const problem = toProblem(error)
    exports.refused(problem, { door: 'grpc', userAgent: headers['user-agent'] })
    throw problem
  }
}

const discard =
  ({ authenticator, signals }: OtlpMethodsOptions, signal: OtherSignal): GrpcMethod =>
  async (stream, headers) => {
    await senderOf(authenticator, headers)
    stream.resume()
    const errorMessage = stream.session ? signals.warning(stream.session, signal) : ''
    return encodeExportResponse({ rejected: 0, errorMessage })
  }

async function senderOf(authenticator: Authenticator, headers: IncomingHttpHeaders): Promise<ProjectPrincipal> {
  const scope = { path: '/otlp/v1/traces', parameters: {} }
  const { principal } = await authenticateInAnyForm(authenticator, headers, scope)
  requirePermission(principal, 'edit_spans')
  return principal
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.at(-1) : header
