import type { Authenticator, Permission, Principal, ProjectPrincipal } from '@spanhouse/access'
import { requirePermission, unauthenticated } from '@spanhouse/access'
import type { FastifyRequest } from 'fastify'

/** Paths that anybody may ask for. */
const PUBLIC = [
  ...['/health', '/ready', '/metrics', '/docs', '/openapi.json', '/auth', '/.well-known/jwks.json'],
  ...['/services/health', '/services/openapi.json'],
]
/** What a handler's address tells anybody about itself. */
const PUBLIC_OF_HANDLER = /^\/services\/[^/]+\/[^/]+\/(health|openapi\.json)\/?$/

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
}

/**
 * Who is asking, decided before anything else is looked at: method, path parameters and body come after, and unknown
 * paths are no exception. Null on public paths. Throws a Problem `unauthenticated` (401).
 */
export async function authenticateRequest(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Principal | null> {
  const [path = '/'] = request.url.split('?')
  if (PUBLIC.some(open => path === open || path.startsWith(`${open}/`)) || PUBLIC_OF_HANDLER.test(path)) return null
  const parameters = request.query as Record<string, unknown> | null
  return authenticator.authenticate(request.headers.authorization, path, parameters ?? {})
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
