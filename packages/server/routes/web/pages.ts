import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Where the build of `packages/web` leaves the pages. */
const DIST = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

const NOT_BUILT = `<!doctype html><title>Spanhouse</title><p>The web application has not been built.
Run <code>npm run build</code> in the folder of Spanhouse; it is served from then on, without a restart.`

/**
 * Pages may run only their own scripts, talk only to this server, and never turn text into markup: what they show comes
 * from callers, and they hold a key.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const OF_PAGES = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/**
 * The web application: one page at every address below `/w`, its files below `/w/assets`, and short links to traces.
 * None of them needs a credential: the page sends its key with every request for data.
 */
export function pageRoutes(app: FastifyInstance): void {
  app.register(fastifyStatic, { root: DIST, serve: false, preCompressed: true, cacheControl: false })
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' && pathOf(request) === '/' && wantsPage(request)) return reply.redirect('/w')
  })
  app.get('/w/assets/*', { schema: { hide: true } }, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    // Their names contain a hash of their content.
    return reply.sendFile(`assets/${name}`, { cacheControl: true, maxAge: '365d', immutable: true })
  })
  for (const url of ['/w', '/w/*']) app.get(url, { schema: { hide: true } }, sendPage)
  for (const url of ['/t/:trace_id', '/t/:trace_id/:span_id'])
    app.get(url, { schema: { hide: true } }, (request, reply) => {
      const { trace_id, span_id } = request.params as { trace_id: string; span_id?: string }
      const span = span_id === undefined ? '' : `?span=${encodeURIComponent(span_id)}`
      return reply.redirect(`/w/traces/${encodeURIComponent(trace_id)}${span}`)
    })
}

function sendPage(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(OF_PAGES).header('cache-control', 'no-cache')
  if (existsSync(join(DIST, 'index.html'))) return reply.sendFile('index.html', { cacheControl: false })
  return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT)
}

const pathOf = ({ url }: FastifyRequest): string | undefined => url.split('?', 1)[0]

/** Whether a request comes from a person's browser, not from a client of the interface. */
const wantsPage = ({ headers }: FastifyRequest): boolean => (headers.accept ?? '').includes('text/html')
