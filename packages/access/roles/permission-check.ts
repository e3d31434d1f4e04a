import { Problem } from '@spanhouse/model'
import { list, optional, z } from '@spanhouse/validation'
import type { Authenticator } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'

/** Missing and unknown values are denied, never rejected as invalid. A parameter given several times is denied too. */
const parameter = optional(z.union([z.string(), list(z.string()).transform(() => '')]))

export const permissionCheckQuery = z.object({
  action: parameter,
  resource_type: parameter,
  resource_id: parameter,
  scope_type: parameter,
  scope_id: parameter,
})
export type PermissionCheckQuery = z.output<typeof permissionCheckQuery>

/** The resource types that services ask about; everything else is checked where it is served. */
const RESOURCE_TYPES: readonly string[] = ['service', 'local_secrets']

/**
 * `GET /access/permissions/check`: returns credentials that act for the caller for 15 minutes, if the caller has the
 * permission. Throws a Problem `forbidden` without the reason.
 */
export async function checkPermission(
  authenticator: Authenticator,
  principal: ProjectPrincipal,
  query: PermissionCheckQuery,
): Promise<{ effect: 'allow'; credentials: string }> {
  if (!isAllowed(principal, query)) throw new Problem('forbidden', 'Forbidden')
  return { effect: 'allow', credentials: await authenticator.mintSecret(principal, { forCaller: true }) }
}

function isAllowed(principal: ProjectPrincipal, { action, resource_type, ...scope }: PermissionCheckQuery): boolean {
  if (!action || !resource_type || !isOwnScope(principal, scope)) return false
  const held: ReadonlySet<string> = principal.permissions
  return held.has(action) && RESOURCE_TYPES.includes(resource_type)
}

function isOwnScope(
  { project_id, workspace_id }: ProjectPrincipal,
  { scope_type, scope_id }: Pick<PermissionCheckQuery, 'scope_type' | 'scope_id'>,
): boolean {
  if (scope_type === undefined) return scope_id === undefined
  if (scope_type === 'project') return scope_id?.toLowerCase() === project_id
  return scope_type === 'workspace' && scope_id?.toLowerCase() === workspace_id
}
