import { checkPermission, listRoles, permissionCheckQuery } from '@spanhouse/access'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'access'
const roles = z.array(z.object({ role: z.string(), description: z.string(), permissions: z.array(z.string()) }))

/** The existing roles, and permission checks for the caller. */
export function accessRoutes({ authenticator }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/access/permissions/check',
      tag,
      isSecret: true,
      query: permissionCheckQuery,
      summary: 'Returns credentials for a service if you have the permission, or 403.',
      answer: z.object({ effect: z.literal('allow'), credentials: z.string() }),
      handle: ({ principal, query }) => checkPermission(authenticator, principal, query),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/access/roles',
      tag,
      summary: 'Lists the roles of each scope with their permissions.',
      answer: z.object({ organization: roles, workspace: roles, project: roles }),
      handle: () => listRoles(),
    })
  }
}
