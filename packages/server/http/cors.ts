import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Browsers keep the answer to a preflight for at most this long in any case (Chromium: 2 h). */
const PREFLIGHT_SECONDS = 7200

/**
 * Pages of any origin may call: who calls is told by a header that only a page which knows the key can send, never by a
 * cookie. Added before authentication, because browsers send preflights without credentials.
 */
export async function addCors(app: FastifyInstance): Promise<void> {
  await app.register(cors, { delegator: async (request: FastifyRequest) => optionsFor(request) })
}

/** What pages may read of an answer's headers. */
const EXPOSED = [
  ...['x-ag-support-id', 'x-ag-support-ts', 'retry-after', 'traceparent', 'baggage'],
  ...[
    'x-ag-version',
    'x-ag-trace-id',
    'x-ag-span-id',
    'x-ag-session-id',
    'x-ag-messages-format',
    'x-ag-messages-version',
  ],
]

/** OPTIONS that is no preflight is a verb like any other. */
const optionsFor = ({ method, headers, url }: FastifyRequest): FastifyCorsOptions => ({
  // Browsers send their own credentials, which nothing here looks at, only where the answer names their page.
  ...(url.startsWith('/services/') ? { origin: true, credentials: true } : { origin: '*' }),
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
  preflight: method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers,
})
