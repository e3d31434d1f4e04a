import {
  assignRole,
  listRoles,
  listWorkspaces,
  memberRole,
  PERMISSIONS,
  removeMember,
  unassignRole,
  workspaceJson,
} from '@spanhouse/access'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'workspaces'
const params = z.object({ workspace_id: uuid })
const answer = z.literal(true)
const roleRecord = z.object({ role_name: z.string(), role_description: z.string() })

/** Workspaces and their members. Rights are those in the workspace that the path names, not in the key's own. */
export function workspaceRoutes({ postgres: { db }, authenticator: cache }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/workspaces',
      tag,
      answer: z.array(workspaceJson),
      summary: 'Lists the workspaces that you are a member of.',
      handle: ({ principal }) => listWorkspaces(db, principal),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/workspaces/roles',
      tag,
      answer: z.array(roleRecord),
      summary: 'Lists the roles that members can have.',
      handle: () =>
        listRoles().workspace.map(({ role, description }) => ({ role_name: role, role_description: description })),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/workspaces/permissions',
      tag,
      answer: z.array(z.string()),
      summary: 'Lists all permissions.',
      handle: () => PERMISSIONS,
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/workspaces/:workspace_id/roles',
      tag,
      params,
      body: memberRole,
      answer,
      summary: 'Gives a member a role in the workspace and its projects.',
      handle: ({ principal, params, body }) => assignRole(db, { cache, principal, ...params }, body),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/workspaces/:workspace_id/roles',
      tag,
      params,
      query: memberRole,
      answer,
      summary: 'Takes a role from a member.',
      handle: ({ principal, params, query }) => unassignRole(db, { cache, principal, ...params }, query),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/workspaces/:workspace_id/users',
      tag,
      params,
      answer,
      query: z.object({ email: z.string() }),
      summary: 'Ends the memberships of a user and the invitation of the address.',
      handle: ({ principal, params, query }) => removeMember(db, { cache, principal, ...params }, query.email),
    })
  }
}
