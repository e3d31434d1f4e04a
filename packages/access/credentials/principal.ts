import { Problem, type Uuid } from '@spanhouse/model'
import type { Permission } from '../roles/roles.ts'

/** Somebody who acts in one project. */
export interface ProjectPrincipal {
  kind: 'project'
  user_id: Uuid
  user_email: string
  project_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  organization_name: string
  /** Null: not (any more) a member of the project, its workspace or its organization, and so without any permission. */
  role: string | null
  permissions: ReadonlySet<Permission>
  /** Whether a part of this server acts for the user: it may see what the user may only use, such as provider keys. */
  isWorker?: boolean
}

/** Whoever knows the admin key. Belongs to no project. */
export interface AdminPrincipal {
  kind: 'admin'
}

export type Principal = ProjectPrincipal | AdminPrincipal

export type UnauthenticatedReason = 'expired_signature' | 'invalid_token'

/** A 401. The reason is given for Secret tokens only: about keys nothing is said. */
export const unauthenticated = (reason?: UnauthenticatedReason): Problem =>
  new Problem('unauthenticated', { message: 'Unauthorized', ...(reason && { reason }) })

/** Throws a Problem `unauthenticated` when the principal is the admin, who has no project. */
export function requireProject(principal: Principal): asserts principal is ProjectPrincipal {
  if (principal.kind !== 'project') throw unauthenticated()
}

/** Throws a Problem `unauthenticated` for everybody but the admin. */
export function requireAdmin(principal: Principal): asserts principal is AdminPrincipal {
  if (principal.kind !== 'admin') throw unauthenticated()
}

/** Throws a Problem `forbidden` that names the permission when the principal lacks it. */
export function requirePermission(principal: Principal, permission: Permission): asserts principal is ProjectPrincipal {
  requireProject(principal)
  if (!principal.permissions.has(permission)) {
    throw new Problem('forbidden', `You do not have the permission ${permission} in this project.`)
  }
}
