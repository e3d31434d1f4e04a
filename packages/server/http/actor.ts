import type { Principal } from '@spanhouse/access'

/**
 * The caller as the log of events names them, with the operation that they have called: see `actingAs`. Undefined for
 * public endpoints.
 */
export function actorOf(principal: Principal | null, operation: string): string | undefined {
  if (principal === null) return undefined
  if (principal.kind === 'admin') return JSON.stringify({ kind: 'admin', operation })
  const { user_id, role, key_prefix: key, project_id } = principal
  return JSON.stringify({ kind: 'user', user_id, role, key, project_id, operation })
}
