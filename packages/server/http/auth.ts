import type { Authenticator, Permission, Principal, ProjectPrincipal } from '@spanhouse/access'
import { requirePermission } from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Paths that anybody may ask for. */
const PUBLIC = ['/health', '/ready', '/metrics', '/docs', '/openapi.json']

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
}

/**
 * Decides who is asking before anything else is looked at: method, path parameters and body come after. Unknown paths
 * are no exception.
 */
export function authenticateRequests(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async request => {
    const [path = '/'] = request.url.split('?')
    if (PUBLIC.some(open => path === open || path.startsWith(`${open}/`))) return
    request.principal = await authenticator.authenticate({
      authorization: request.headers.authorization,
      path,
      query: request.query as Record<string, unknown>,
    })
  })
}

/** The project that the request's credential stands for, if it may do this there. */
export function projectOf(request: FastifyRequest, permission: Permission): ProjectPrincipal {
  const { principal } = request
  if (principal?.kind !== 'project') throw new Problem('unauthenticated', { message: 'Unauthorized' })
  requirePermission(principal, permission)
  return principal
}
