import {
  acceptBody,
  acceptInvitation,
  createOrganization,
  createOrganizationBody,
  createWorkspace,
  createWorkspaceBody,
  deleteOrganization,
  editOrganization,
  editOrganizationBody,
  editWorkspace,
  editWorkspaceBody,
  fetchOrganization,
  invite,
  inviteBody,
  listOrganizations,
  organizationDetails,
  organizationJson,
  organizationSummary,
  resendBody,
  resendInvitation,
  transferOrganization,
  workspaceJson,
} from '@spanhouse/access'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { originOf } from '../../http/origin.ts'
import type { Parts } from '../../parts.ts'

const tag = 'organizations'
const inOrganization = z.object({ organization_id: uuid })
const inWorkspace = z.object({ organization_id: uuid, workspace_id: uuid })
const link = z.object({ url: z.string().meta({ description: 'Pass it on yourself: no email is sent.' }) })

/** Organizations, their workspaces, and invitations to them. */
export function organizationRoutes(parts: Parts): (app: FastifyInstance) => void {
  return app => {
    addOrganizations(app, parts)
    addWorkspaces(app, parts)
    addInvitations(app, parts)
  }
}

function addOrganizations(app: FastifyInstance, { postgres: { db }, authenticator: cache, seeds }: Parts): void {
  addEndpoint(app, {
    method: 'GET',
    path: '/organizations',
    tag,
    answer: z.array(organizationJson),
    summary: 'Lists the organizations that you are a member of.',
    handle: ({ principal }) => listOrganizations(db, principal),
  })
  addEndpoint(app, {
    method: 'GET',
    path: '/organizations/:organization_id',
    tag,
    params: inOrganization,
    summary: 'Returns an organization with its members.',
    answer: organizationDetails,
    handle: ({ principal, params }) => fetchOrganization(db, principal, params.organization_id),
  })
  addEndpoint(app, {
    method: 'POST',
    path: '/organizations',
    tag,
    body: createOrganizationBody,
    status: 201,
    summary: 'Creates an organization that you own, with a workspace and a project.',
    answer: organizationSummary,
    handle: ({ principal, body }) => createOrganization(db, principal, { body, seeds: seeds.organization }),
  })
  for (const method of ['PUT', 'PATCH'] as const)
    addEndpoint(app, {
      method,
      path: '/organizations/:organization_id',
      tag,
      params: inOrganization,
      body: editOrganizationBody,
      summary: 'Changes an organization that you own.',
      answer: organizationSummary,
      handle: ({ principal, params, body }) => editOrganization(db, principal, { ...params, body }),
    })
  addEndpoint(app, {
    method: 'DELETE',
    path: '/organizations/:organization_id',
    tag,
    params: inOrganization,
    summary: 'Deletes an organization that you own, with everything in it.',
    answer: z.object({ detail: z.string() }),
    handle: ({ principal, params }) => deleteOrganization(db, cache, { principal, ...params }),
  })
  addEndpoint(app, {
    method: 'POST',
    path: '/organizations/:organization_id/transfer/:user_id',
    tag,
    summary: "Makes a member the owner; the previous owner takes the member's role.",
    params: inOrganization.extend({ user_id: uuid }),
    answer: z.object({ organization_id: z.string(), owner_id: z.string() }),
    handle: ({ principal, params }) => transferOrganization(db, { cache, principal }, params),
  })
}

function addWorkspaces(app: FastifyInstance, { postgres: { db }, seeds }: Parts): void {
  addEndpoint(app, {
    method: 'POST',
    path: '/organizations/:organization_id/workspaces',
    tag,
    params: inOrganization,
    body: createWorkspaceBody,
    answer: workspaceJson,
    summary: 'Creates a workspace with a project.',
    handle: ({ principal, params, body }) => createWorkspace(db, principal, { ...params, body, seeds: seeds.project }),
  })
  addEndpoint(app, {
    method: 'PUT',
    path: '/organizations/:organization_id/workspaces/:workspace_id',
    tag,
    params: inWorkspace,
    body: editWorkspaceBody,
    answer: workspaceJson,
    summary: 'Changes the name and description of a workspace.',
    handle: ({ principal, params, body }) => editWorkspace(db, principal, { ...params, body }),
  })
}

function addInvitations(app: FastifyInstance, { postgres: { db }, authenticator: cache }: Parts): void {
  const path = '/organizations/:organization_id/workspaces/:workspace_id/invite'
  addEndpoint(app, {
    method: 'POST',
    path,
    tag,
    isSecret: true,
    params: inWorkspace,
    body: inviteBody,
    answer: link,
    summary: 'Invites an email address to the workspace; the invitation is valid for seven days.',
    handle: ({ principal, params, body, request }) =>
      invite(db, principal, { place: { ...params, origin: originOf(request) }, entries: body }),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${path}/resend`,
    tag,
    isSecret: true,
    params: inWorkspace,
    body: resendBody,
    answer: link,
    summary: 'Creates a new link for a pending invitation.',
    handle: ({ principal, params, body, request }) =>
      resendInvitation(db, principal, { place: { ...params, origin: originOf(request) }, address: body.email }),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${path}/accept`,
    tag,
    params: inWorkspace,
    body: acceptBody,
    answer: z.literal(true),
    summary: 'Accepts an invitation addressed to you.',
    handle: ({ principal, params, body }) =>
      acceptInvitation(db, { cache, principal }, { place: params, token: body.token, address: body.email }),
  })
}
