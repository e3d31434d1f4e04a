import type { Authenticator, Permission, Principal, ProjectPrincipal } from '@spanhouse/access'
import { requirePermission, unauthenticated } from '@spanhouse/access'
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
    request.principal = await authenticator.authenticate(
      request.headers.authorization,
      path,
      request.query as Record<string, unknown>,
    )
  })
}

/** The project that the request's credential stands for, if it may do this there. */
export function projectOf(request: FastifyRequest, permission: Permission): ProjectPrincipal {
  const principal = principalOf(request)
  requirePermission(principal, permission)
  return principal
}

/** Who is asking; only public paths have nobody. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw unauthenticated()
  return request.principal
}
