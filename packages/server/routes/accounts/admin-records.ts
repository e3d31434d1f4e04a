import {
  apiKeyBody,
  createAccountGraph,
  createApiKeyAsAdmin,
  createIdentity,
  createOrganizationAsAdmin,
  createOrganizationMembership,
  createProjectAsAdmin,
  createProjectMembership,
  createUser,
  createWorkspaceAsAdmin,
  createWorkspaceMembership,
  graphBody,
  identityBody,
  organizationBody,
  organizationMembershipBody,
  passwordsBody,
  projectBody,
  projectMembershipBody,
  type Removable,
  removalBody,
  removeRecord,
  removeTargets,
  setPasswords,
  transferBody,
  transferOwnership,
  userBody,
  workspaceBody,
  workspaceMembershipBody,
} from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addAdminEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'administration'
const BASE = '/admin/simple/accounts'

/** Platform administration, record by record. */
export function adminRecordRoutes(parts: Parts): (app: FastifyInstance) => void {
  return app => {
    addCreations(app, parts)
    addMemberships(app, parts)
    addRemovals(app, parts)
    addChanges(app, parts)
  }
}

function addCreations(app: FastifyInstance, { postgres: { db }, seeds: { project: seeds } }: Parts): void {
  addAdminEndpoint(app, {
    method: 'POST',
    path: '/admin/accounts',
    tag,
    body: graphBody,
    summary: 'Makes records that refer to each other by names of your choosing.',
    handle: ({ body }) => createAccountGraph(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/users`,
    tag,
    body: userBody,
    summary: 'Makes a user, or finds the one with the address.',
    handle: ({ body }) => createUser(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/users/identities`,
    tag,
    body: identityBody,
    summary: 'Makes a way for a user to sign in.',
    handle: ({ body }) => createIdentity(db, body),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/organizations`,
    tag,
    body: organizationBody,
    summary: 'Makes an organization with a workspace and a project for a user.',
    handle: ({ body }) => createOrganizationAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/workspaces`,
    tag,
    body: workspaceBody,
    summary: 'Makes the workspace of an organization, or finds it.',
    handle: ({ body }) => createWorkspaceAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/projects`,
    tag,
    body: projectBody,
    summary: 'Makes a project in a workspace.',
    handle: ({ body }) => createProjectAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/api-keys`,
    tag,
    body: apiKeyBody,
    summary: 'Makes an API key of a user for a project.',
    handle: ({ body }) => createApiKeyAsAdmin(db, body),
  })
}

function addMemberships(app: FastifyInstance, { postgres: { db }, authenticator: cache }: Parts): void {
  /** A key of the user may have been refused a moment ago. */
  const thenForget = async <T>(making: Promise<T>): Promise<T> => making.finally(() => cache.forget())
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/organizations/memberships`,
    tag,
    body: organizationMembershipBody,
    summary: 'Makes a user a member of an organization.',
    handle: ({ body }) => thenForget(createOrganizationMembership(db, body)),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/workspaces/memberships`,
    tag,
    body: workspaceMembershipBody,
    summary: 'Makes a user a member of a workspace.',
    handle: ({ body }) => thenForget(createWorkspaceMembership(db, body)),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/projects/memberships`,
    tag,
    body: projectMembershipBody,
    summary: 'Makes a user a member of a project.',
    handle: ({ body }) => thenForget(createProjectMembership(db, body)),
  })
  for (const scope of ['organizations', 'workspaces', 'projects'])
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: `${BASE}/${scope}/:id/memberships/:membership_id`,
      tag,
      summary: 'Is not available here: members are removed from their workspace.',
      handle: () => {
        throw new Problem('unsupported', { message: 'Memberships are not deleted one by one here.' })
      },
    })
}

/** Each kind of record with the path it is deleted by. */
const REMOVALS: readonly [plural: Removable, path: string][] = [
  ['users', 'users/:id'],
  ['organizations', 'organizations/:id'],
  ['workspaces', 'workspaces/:id'],
  ['projects', 'projects/:id'],
  ['api_keys', 'api-keys/:id'],
  ['user_identities', 'users/:user_id/identities/:id'],
]

function addRemovals(app: FastifyInstance, { postgres: { db }, authenticator: cache }: Parts): void {
  addAdminEndpoint(app, {
    method: 'DELETE',
    path: '/admin/accounts',
    tag,
    body: removalBody,
    summary: 'Deletes users, organizations, workspaces and projects with what is in them.',
    handle: ({ body }) => removeTargets(db, cache, body),
  })
  for (const [plural, path] of REMOVALS)
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: `${BASE}/${path}`,
      tag,
      params: z.object({ id: z.string() }),
      summary: 'Deletes one record with what hangs on it.',
      handle: ({ params: { id } }) => removeRecord(db, cache, { plural, id }),
    })
}

function addChanges(app: FastifyInstance, { postgres: { db }, authenticator: cache }: Parts): void {
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/reset-password`,
    tag,
    body: passwordsBody,
    status: 204,
    summary: 'Sets passwords.',
    handle: ({ body }) => setPasswords(db, body),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/transfer-ownership`,
    tag,
    body: transferBody,
    summary: 'Hands organizations of one user to another; 204 when all of them could be.',
    handle: async ({ body, reply }) => {
      const answer = await transferOwnership(db, cache, body)
      return answer.errors.length === 0 ? reply.code(204).send() : answer
    },
  })
}
