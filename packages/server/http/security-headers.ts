import type { FastifyInstance, FastifyReply } from 'fastify'

/** No answer is taken for anything else than its type says. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' } as const

/** The pages of the documentation run their own files only, and stand in no other page. */
const OF_PAGES = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
} as const

/** On answers that are to be kept nowhere. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** What browsers are told with every answer of a route; to be added before any plugin that answers by itself. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply: FastifyReply) => {
    reply.headers(/^\/docs(\/|\?|$)/.test(request.url) ? { ...NOSNIFF, ...OF_PAGES } : NOSNIFF)
  })
}
