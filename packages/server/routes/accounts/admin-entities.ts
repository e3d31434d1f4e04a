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
  removeEntity,
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

/** Platform administration, one entity at a time. */
export function adminEntityRoutes(parts: Parts): (app: FastifyInstance) => void {
  return app => {
    addCreations(app, parts)
    addMemberships(app, parts)
    addRemovals(app, parts)
    addChanges(app, parts)
  }
}

/** A new member may have been rejected just before. */
const thenForget = <T>({ authenticator }: Parts, making: Promise<T>): Promise<T> =>
  making.finally(() => authenticator.forget())

function addCreations(app: FastifyInstance, parts: Parts): void {
  const { db } = parts.postgres
  const seeds = parts.seeds.project
  addAdminEndpoint(app, {
    method: 'POST',
    path: '/admin/accounts',
    tag,
    body: graphBody,
    summary: 'Creates several entities that refer to each other by names you choose.',
    handle: ({ body }) => thenForget(parts, createAccountGraph(db, body, { seeds })),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/users`,
    tag,
    body: userBody,
    summary: 'Creates a user, or returns the existing one with that email address.',
    handle: ({ body }) => createUser(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/users/identities`,
    tag,
    body: identityBody,
    summary: 'Adds a sign-in identity to a user.',
    handle: ({ body }) => createIdentity(db, body),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/organizations`,
    tag,
    body: organizationBody,
    summary: 'Creates an organization with a workspace and a project for a user.',
    handle: ({ body }) => createOrganizationAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/workspaces`,
    tag,
    body: workspaceBody,
    summary: 'Creates the workspace of an organization, or returns the existing one.',
    handle: ({ body }) => createWorkspaceAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/projects`,
    tag,
    body: projectBody,
    summary: 'Creates a project in a workspace.',
    handle: ({ body }) => createProjectAsAdmin(db, body, { seeds }),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/api-keys`,
    tag,
    body: apiKeyBody,
    summary: 'Creates an API key for a user in a project.',
    handle: ({ body }) => createApiKeyAsAdmin(db, body),
  })
}

function addMemberships(app: FastifyInstance, parts: Parts): void {
  const { db } = parts.postgres
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/organizations/memberships`,
    tag,
    body: organizationMembershipBody,
    summary: 'Makes a user a member of an organization.',
    handle: ({ body }) => thenForget(parts, createOrganizationMembership(db, body)),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/workspaces/memberships`,
    tag,
    body: workspaceMembershipBody,
    summary: 'Makes a user a member of a workspace.',
    handle: ({ body }) => thenForget(parts, createWorkspaceMembership(db, body)),
  })
  addAdminEndpoint(app, {
    method: 'POST',
    path: `${BASE}/projects/memberships`,
    tag,
    body: projectMembershipBody,
    summary: 'Makes a user a member of a project.',
    handle: ({ body }) => thenForget(parts, createProjectMembership(db, body)),
  })
  for (const scope of ['organizations', 'workspaces', 'projects'])
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: `${BASE}/${scope}/:id/memberships/:membership_id`,
      tag,
      summary: 'Not supported: remove the member from the workspace instead.',
      handle: () => {
        throw new Problem('unsupported', {
          message: 'Deleting a single membership is not supported; remove the member from the workspace.',
        })
      },
    })
}

/** Each kind of entity with the path that deletes it. */
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
    summary: 'Deletes users, organizations, workspaces and projects with everything in them.',
    handle: ({ body }) => removeTargets(db, cache, body),
  })
  for (const [plural, path] of REMOVALS)
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: `${BASE}/${path}`,
      tag,
      params: z.object({ id: z.string() }),
      summary: 'Deletes one entity with everything that belongs to it.',
      handle: ({ params: { id } }) => removeEntity(db, cache, { plural, id }),
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
    summary: "Transfers a user's organizations to another user; 204 if all were transferred.",
    handle: async ({ body, reply }) => {
      const answer = await transferOwnership(db, cache, body)
      return answer.errors.length === 0 ? reply.code(204).send() : answer
    },
  })
}
