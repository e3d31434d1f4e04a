import { Problem, type Uuid } from '@spanhouse/model'
import type { Permission } from '../roles/roles.ts'
import type { Quota } from './quota.ts'

/** A caller who acts in one project. */
export interface ProjectPrincipal {
  kind: 'project'
  user_id: Uuid
  user_email: string
  project_id: Uuid
  workspace_id: Uuid
  organization_id: Uuid
  organization_name: string
  /**
   * Null if the user is not, or no longer, a member of the project, its workspace or its organization; they then have
   * no permissions.
   */
  role: string | null
  permissions: ReadonlySet<Permission>
  /** Whether a part of this server acts for the user. It may read what the user may only use, such as provider keys. */
  isWorker?: boolean
  /** The prefix of the API key that the caller has sent, which is not secret. */
  key_prefix?: string
  /** Of the project, and of the key that the caller has sent. */
  quota?: Quota
  key_quota?: Quota
}

/** A caller with the admin key, who belongs to no project. */
export interface AdminPrincipal {
  kind: 'admin'
}

export type Principal = ProjectPrincipal | AdminPrincipal

export type UnauthenticatedReason = 'expired_signature' | 'invalid_token'

/** A 401. Only Secret tokens get a reason; nothing is revealed about keys. */
export const unauthenticated = (reason?: UnauthenticatedReason): Problem =>
  new Problem('unauthenticated', { message: 'Unauthorized', ...(reason && { reason }) })

/** Throws a Problem `unauthenticated` for the admin, who has no project. */
export function requireProject(principal: Principal): asserts principal is ProjectPrincipal {
  if (principal.kind !== 'project') throw unauthenticated()
}

/** Throws a Problem `unauthenticated` for everyone except the admin. */
export function requireAdmin(principal: Principal): asserts principal is AdminPrincipal {
  if (principal.kind !== 'admin') throw unauthenticated()
}

/** Throws a Problem `forbidden` that names the permission if the principal lacks it. */
export function requirePermission(principal: Principal, permission: Permission): asserts principal is ProjectPrincipal {
  requireProject(principal)
  if (!principal.permissions.has(permission)) {
    throw new Problem('forbidden', `You do not have the permission ${permission} in this project.`)
  }
}
