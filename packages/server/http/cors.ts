import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Browsers cache the response to a preflight for at most this long in any case (Chromium: 2 h). */
const PREFLIGHT_SECONDS = 7200

/**
 * Pages of any origin may call: callers are identified by a header that only a page with the key can send, never by a
 * cookie. Added before authentication, because browsers send preflights without credentials.
 */
export async function addCors(app: FastifyInstance): Promise<void> {
  await app.register(cors, { delegator: async (request: FastifyRequest) => optionsFor(request) })
}

/** The response headers that pages may read. */
const EXPOSED = [
  'x-ag-support-id',
  'x-ag-support-ts',
  'retry-after',
  'server-timing',
  'traceparent',
  'baggage',
  'x-ag-version',
  'x-ag-trace-id',
  'x-ag-span-id',
  'x-ag-session-id',
  'x-ag-messages-format',
  'x-ag-messages-version',
]

/** OPTIONS that is not a preflight is handled like any other method. */
const optionsFor = ({ method, headers, url }: FastifyRequest): FastifyCorsOptions => ({
  // Browsers send their own credentials, which are ignored here, only if the response names their page's origin.
  ...(url.startsWith('/services/') ? { origin: true, credentials: true } : { origin: '*' }),
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
  preflight: method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers,
})
