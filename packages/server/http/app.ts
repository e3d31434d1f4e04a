import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import type { Authenticator, Principal } from '@spanhouse/access'
import type { OtherChange } from '@spanhouse/events'
import { PROBLEMS, Problem } from '@spanhouse/model'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Connections } from '../budget/connections.ts'
import type { Room } from '../budget/room.ts'
import type { Quotas } from '../shares/quotas.ts'
import type { Shares } from '../shares/shares.ts'
import type { AnswerRoom } from './answer/answer-room.ts'
import { authenticateRequest } from './auth.ts'
import { discardRest } from './body/discard.ts'
import { followConnections } from './connections.ts'
import { addCors } from './cors.ts'
import { answerExpectation, answerUnreadable, requireHost, sendProblem, toProblem } from './errors.ts'
import { addOpenApi } from './openapi.ts'
import { KnownPaths, routedUrl } from './paths.ts'
import { addSecurityHeaders, NOSNIFF } from './security-headers.ts'
import { addServerTiming } from './server-timing.ts'

/** How long a request may take to arrive, so that slow senders do not accumulate. */
const ARRIVE_MS_MAX = 120_000

/**
 * How long a connection may be idle. Longer than proxies keep theirs (nginx 60 s, Traefik 90, Caddy 120, Google's load
 * balancers 600): unless the sender closes it first, a request may arrive on a connection that is being closed.
 */
const IDLE_MS_MAX = 620_000

/** In half of the time that zlib takes by default; JSON becomes a tenth larger. */
const COMPRESSION = { level: 2, chunkSize: 64 * 1024 }

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts bodies while they are in memory. */
    room: Room
    /** Counts responses while they are in memory. */
    answerRoom: AnswerRoom
    shares: Shares
    quotas: Quotas
    recordChange(change: OtherChange): Promise<void>
    /** The caller that the request's credential identifies now; see `authenticateRequest`. */
    identify(request: FastifyRequest): Promise<Principal | null>
  }
  interface FastifyRequest {
    /** Returns the slot that the request holds in its share, if any. */
    giveBackSlot: () => void
  }
}

export interface AppOptions {
  logger: FastifyBaseLogger
  authenticator: Authenticator
  connections: Connections<Socket>
  room: Room
  shares: Shares
  quotas: Quotas
  /** Counts responses while they are in memory. */
  answerRoom: AnswerRoom
  /** Records a change in the log: one that no trigger notes. */
  recordChange(change: OtherChange): Promise<void>
  /** Each adds its routes; the order does not matter. */
  routes: readonly ((app: FastifyInstance) => void)[]
}

/**
 * The way of a request, top to bottom:
 *
 *     path         `/api` and `/preview` taken off, either spelling of the trailing slash      http/paths
 *     preflight    answered without credentials                                          204      http/cors
 *     path         one that no method has, and that is not for administration         404      http/paths
 *     who          credential → project or administrator                              401      http/auth
 *     quota        of the project and the key, if they have one                      429      shares/quotas
 *     route        wrong verb                                                    404, 405
 *     handler      permission, body, shape, a slot, then the answer  403, 422, 429, 400    http/endpoint, routes/, shares/
 *     body         as far as the endpoint's limit and the room go            408, 413, 503      http/body/, budget/
 *     errors       a Problem as the interface's JSON, anything else as 500                     http/errors
 *     answer       JSON, compressed from 1,000 bytes on
 */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { logger, authenticator, connections, room, answerRoom, shares, quotas, recordChange, routes } = options
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    rewriteUrl: request => routedUrl(request.url ?? '/'),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    requestTimeout: ARRIVE_MS_MAX,
    keepAliveTimeout: IDLE_MS_MAX,
    // Requests on open connections are still served: the parts are closed after the last of them.
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    // Node's response has no body: `requireHost` is used instead.
    http: { requireHostHeader: false },
    // No hook runs for URLs that cannot be routed.
    frameworkErrors: (error, request, reply) => {
      reply.headers(NOSNIFF)
      authenticateRequest(authenticator, request).then(
        () => sendProblem(toProblem(error), request, reply),
        unauthenticated => sendProblem(toProblem(unauthenticated), request, reply),
      )
    },
  })
  const paths = new KnownPaths()
  const refuse = (problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (problem.code === 'method_not_allowed') reply.header('allow', paths.methodsOf(request.url).join(', '))
    return sendProblem(problem, request, reply)
  }
  // Before the plugins: routes that they add, such as OPTIONS of any path, use the handler set when they are added.
  app.setErrorHandler((error, request, reply) => refuse(toProblem(error), request, reply))
  app.server.on('checkExpectation', answerExpectation)
  followConnections(app, connections)
  addSecurityHeaders(app)
  await addCors(app)
  app.addHook('onRoute', ({ url, method }) => paths.add(url, method))
  app.decorate('shares', shares)
  app.decorateRequest('giveBackSlot', () => {})
  // Before compression: a complete response no longer needs its slot, a streamed one needs it to its end.
  app.addHook('onSend', async (request, _reply, payload) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) request.giveBackSlot()
  })
  addServerTiming(app)
  // The routes decompress request bodies: they know their limits and the encodings that senders really use.
  await app.register(compress, {
    global: true,
    globalDecompression: false,
    threshold: 1000,
    encodings: ['gzip'],
    zlibOptions: COMPRESSION,
  })
  await addOpenApi(app)
  app.removeAllContentTypeParsers()
  // The endpoints read bodies, once the caller is known and as far as there is room.
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.decorate('room', room)
  app.decorate('answerRoom', answerRoom)
  app.decorate('quotas', quotas)
  app.decorate('recordChange', recordChange)
  app.decorate('identify', request => authenticateRequest(authenticator, request))
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async request => {
    requireHost(request.raw)
    ignoreOddType(request.raw)
    if (request.is404 && !mayExist(paths, request.url)) return
    request.principal = await authenticateRequest(authenticator, request)
    quotas.take(request.principal, 'requests_per_second', 1)
    if (paths.isShadowed(request)) throw new Problem('method_not_allowed', 'Method Not Allowed')
  })
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 400 && !AT_ONCE.includes(reply.statusCode)) await discardRest(request.raw)
  })
  app.setNotFoundHandler((request, reply) => refuse(unrouted(paths, request.url), request, reply))
  for (const add of routes) add(app)
  return app
}

/** Errors sent without waiting for the rest of the body: its sender is unknown, or it hardly arrives. */
const AT_ONCE: readonly number[] = [PROBLEMS.unauthenticated.status, PROBLEMS.too_slow.status]

/** As HTTP writes media types (RFC 9110, 8.3.1), whatever the parameters. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/** Fastify rejects bodies with a malformed content type; no body is rejected for its type here. */
function ignoreOddType({ headers }: FastifyRequest['raw']): void {
  if (!MEDIA_TYPE.test(headers['content-type'] ?? '')) delete headers['content-type']
}

/**
 * Whether a path that was not routed exists for another method, or for administrators, who alone may learn which of
 * theirs exist. For all others a wrong address must not look like a wrong key.
 */
const mayExist = (paths: KnownPaths, url: string): boolean =>
  paths.methodsOf(url).length > 0 || /^[^?]*\/admin(\/|\?|$)/.test(url)

const unrouted = (paths: KnownPaths, url: string): Problem =>
  paths.methodsOf(url).length > 0
    ? new Problem('method_not_allowed', 'Method Not Allowed')
    : new Problem('not_found', 'Not Found')
