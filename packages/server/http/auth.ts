import {
  type Authenticator,
  type Permission,
  type Principal,
  type ProjectPrincipal,
  requirePermission,
  unauthenticated,
} from '@spanhouse/access'
import type { FastifyRequest } from 'fastify'
import { authenticateInAnyForm } from './credential-forms.ts'

/** The address as printed at start, without or with `/api`. */
const ENTRY = '/'
/** Public paths. */
const PUBLIC = [
  '/health',
  '/ready',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/auth',
  '/.well-known/jwks.json',
  '/services/health',
  '/services/openapi.json',
  // The web application, which sends a credential with its requests for data.
  '/w',
  '/t',
]
/** The public description of a handler. */
const PUBLIC_OF_HANDLER = /^\/services\/[^/]+\/[^/]+\/(health|openapi\.json)\/?$/

/** The paths of exporters and of assistants, whose credentials have many forms. */
const ANY_FORM = /^\/(?:otlp\/|mcp$)/

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
}

/**
 * Authenticates the caller before anything else is checked: method, path parameters and body come later, and unknown
 * paths are no exception. Null on public paths. Where credentials have many forms, the header has the
 * interface's form afterwards. Throws a Problem `unauthenticated` (401).
 */
export async function authenticateRequest(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Principal | null> {
  const [path = '/'] = request.url.split('?')
  if (
    path === ENTRY ||
    PUBLIC.some(open => path === open || path.startsWith(`${open}/`)) ||
    PUBLIC_OF_HANDLER.test(path)
  )
    return null
  const parameters = (request.query as Record<string, unknown> | null) ?? {}
  if (ANY_FORM.test(path)) {
    const found = await authenticateInAnyForm(authenticator, request.headers, { path, parameters })
    request.headers.authorization = found.authorization
    return found.principal
  }
  return authenticator.authenticate(request.headers.authorization, path, parameters)
}

/** The project that the request's credential belongs to, if it has the permission there. */
export function projectOf(request: FastifyRequest, permission: Permission): ProjectPrincipal {
  const principal = principalOf(request)
  requirePermission(principal, permission)
  return principal
}

/** The caller; undefined only on public paths. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw unauthenticated()
  return request.principal
}
