import { connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'

export const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
export const METRICS = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'
export const LOGS = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'

export interface GrpcAnswer {
  code: status
  details: string
  /** The bytes of the message; undefined after a failure. */
  message: Buffer | undefined
  trailers: Metadata
}

export interface GrpcCall {
  method?: string
  headers?: Record<string, string>
  gzip?: boolean
}

/** Calls a unary method with these bytes, as any gRPC client does. */
export function callGrpc(url: string, bytes: Uint8Array, { method = TRACES, headers = {}, gzip }: GrpcCall = {}) {
  const client = new Client(new URL(url).host, credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
    ...(gzip && { 'grpc.default_compression_algorithm': 2 }),
  })
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const [toBytes, fromBytes] = [(message: Uint8Array) => Buffer.from(message), (message: Buffer) => message]
  return new Promise<GrpcAnswer>(resolve => {
    const done = (error: ServiceError | null, message?: Buffer): void => {
      client.close()
      resolve({
        code: error?.code ?? status.OK,
        details: error?.details ?? '',
        message,
        trailers: error?.metadata ?? new Metadata(),
      })
    }
    client.makeUnaryRequest(method, toBytes, fromBytes, bytes, metadata, { deadline: Date.now() + 30_000 }, done)
  })
}

/** The prefix of a message. */
export function framed(body: Uint8Array, { flag = 0, length = body.length } = {}): Buffer {
  const bytes = Buffer.alloc(5 + body.length)
  bytes[0] = flag
  bytes.writeUInt32BE(length, 1)
  bytes.set(body, 5)
  return bytes
}

/** Sends these bytes unchanged over HTTP/2; resolves to all headers and trailers of the response. */
export async function sendRaw(
  url: string,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<IncomingHttpHeaders> {
  const session = connect(url).on('error', () => {})
  const stream = session.request({
    ':method': 'POST',
    ':path': TRACES,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  const answer: IncomingHttpHeaders = {}
  for (const event of ['response', 'trailers'] as const)
    stream.on(event, (found: IncomingHttpHeaders) => void Object.assign(answer, found))
  stream.on('error', () => {})
  stream.end(bytes)
  stream.resume()
  await new Promise(resolve => stream.once('close', resolve))
  session.close()
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) answer['x-reset'] = String(stream.rstCode)
  return answer
}
