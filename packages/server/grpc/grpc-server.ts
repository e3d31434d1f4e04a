import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Problem } from '@spanhouse/model'
import type { Connections } from '../budget/connections.ts'
import { toProblem } from '../http/errors.ts'
import { ACCEPTED_ENCODINGS, framed } from './message.ts'
import { trailersOf } from './status.ts'

/** A unary method: returns the message of the response, or throws a Problem. */
export type GrpcMethod = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => Promise<Uint8Array>

export interface GrpcServerOptions {
  host: string
  port: number
  connections: Connections<ServerHttp2Session>
  /** By path, `/package.Service/Method`. */
  methods: Readonly<Record<string, GrpcMethod>>
  /** Reports errors that are not the client's. */
  onDefect(error: unknown): void
}

export interface GrpcServer {
  port: number
  /** Rejects new requests, waits for the others, and closes all connections. */
  stop(): Promise<void>
}

/** How long a request may take to arrive, as over HTTP/1. */
const ARRIVE_MS_MAX = 120_000
/** How long a connection may be idle; clients reconnect. */
const IDLE_MS_MAX = 10 * 60_000
/** Once the server is closing, a request has this long to arrive, and then this long to be answered. */
const CLOSING_MS = { arrive: 2_000, finish: 15_000 }

const KiB = 1024
/**
 * What one connection may send before it is read: bytes are only read, and counted, once the sender is authenticated.
 */
const WINDOW_BYTES = { stream: 256 * KiB, connection: 512 * KiB }
const SETTINGS = {
  initialWindowSize: WINDOW_BYTES.stream,
  maxConcurrentStreams: 100,
  maxHeaderListSize: 16 * KiB,
}

/**
 * Serves unary gRPC methods over HTTP/2 without TLS. Methods read their request themselves, after authentication and
 * within limits, so no library collects messages before that (see DECISIONS.md). Rejects if the port is not free.
 */
export async function listenGrpc(options: GrpcServerOptions): Promise<GrpcServer> {
  const server = createServer({ settings: SETTINGS })
  const { connections } = options
  const arriving = new Set<ServerHttp2Stream>()
  server.on('session', session => {
    connections.add(session)
    session.setLocalWindowSize(WINDOW_BYTES.connection)
    session.setTimeout(IDLE_MS_MAX, () => session.close())
  })
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // A broken stream also closes, which is when its reader learns of it.
    stream.on('error', () => {})
    arriving.add(stream)
    for (const event of ['end', 'close']) stream.once(event, () => arriving.delete(stream))
    const { session } = stream
    if (session)
      stream.once(
        'close',
        connections.begin(session as ServerHttp2Session, () => stream.readableEnded),
      )
    void respond(stream, headers, options)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host: options.host, port: options.port }, resolve)
  })
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server, connections, arriving) }
}

/** Messages are protobuf. `application/grpc-web` is another protocol, and has its trailers in the body. */
const MEDIA_TYPE = /^application\/grpc(\+proto)?\s*(;|$)/i

async function respond(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { methods, onDefect }: GrpcServerOptions,
): Promise<void> {
  if (headers[':method'] !== 'POST' || !MEDIA_TYPE.test(headers['content-type'] ?? ''))
    return refuse(stream, { ':status': 415 })
  const path = headers[':path'] ?? ''
  const timer = setTimeout(() => {
    if (!stream.readableEnded) fail(stream, new Problem('too_slow', 'The request took too long to arrive.'))
  }, ARRIVE_MS_MAX)
  stream.once('close', () => clearTimeout(timer))
  try {
    const method = Object.hasOwn(methods, path) ? methods[path] : undefined
    if (!method) throw new Problem('unsupported', `The method ${path} does not exist`)
    succeed(stream, await method(stream, headers))
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code === 'internal') onDefect(problem.cause ?? problem)
    fail(stream, problem)
  }
}

const HEADERS = { ':status': 200, 'content-type': 'application/grpc+proto', 'grpc-accept-encoding': ACCEPTED_ENCODINGS }

function succeed(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (isAnswered(stream)) return
  stream.respond(HEADERS, { waitForTrailers: true })
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' })
    abandon(stream)
  })
  stream.end(framed(message))
}

const fail = (stream: ServerHttp2Stream, problem: Problem): void =>
  refuse(stream, { ...HEADERS, ...trailersOf(problem) })

function refuse(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  if (isAnswered(stream)) return
  stream.respond(headers, { endStream: true })
  abandon(stream)
}

/**
 * Tells the client of an answered request not to send the rest of it. Go's never does, nor that it has ended: its
 * stream would count among those of the connection, which the client believes it may open anew.
 */
function abandon(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return
  stream.resume()
  setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
}

const isAnswered = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed || stream.headersSent

function stop(
  server: Http2Server,
  connections: Connections<ServerHttp2Session>,
  arriving: ReadonlySet<ServerHttp2Stream>,
): Promise<void> {
  return new Promise(resolve => {
    const timers = [
      setTimeout(() => arriving.forEach(stream => void stream.close(constants.NGHTTP2_CANCEL)), CLOSING_MS.arrive),
      setTimeout(() => [...connections].forEach(session => void session.destroy()), CLOSING_MS.finish),
    ]
    server.close(() => {
      timers.forEach(clearTimeout)
      resolve()
    })
    // Tells clients to use another connection for further requests; closes once those in progress are done.
    for (const session of [...connections]) session.close()
  })
}
