import type { FastifyInstance, FastifyReply } from 'fastify'

/** Browsers must not guess another content type. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' } as const

/** The documentation pages may load only their own files and cannot be framed. */
const OF_PAGES = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
} as const

/** For responses that must not be stored. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** Security headers for every response of a route; must be added before any plugin that responds itself. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply: FastifyReply) => {
    reply.headers(/^\/docs(\/|\?|$)/.test(request.url) ? { ...NOSNIFF, ...OF_PAGES } : NOSNIFF)
  })
}
