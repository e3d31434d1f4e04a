import { projectQuotas, quotasBody, setProjectQuotas } from '@spanhouse/access'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const path = '/projects/current/quotas'
const tag = 'projects'

/** How much a project and its keys may ask of each process. */
export function quotaRoutes({ postgres: { db }, authenticator }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path,
      tag,
      permission: 'view_workspace',
      answer: quotasBody,
      summary: 'Returns the quotas of the project and of its keys.',
      handle: ({ principal }) => projectQuotas(db, principal),
    })
    addEndpoint(app, {
      method: 'PUT',
      path,
      tag,
      permission: 'edit_workspace',
      body: quotasBody,
      answer: quotasBody,
      summary: 'Replaces the quotas of the project and of its keys.',
      handle: async ({ principal, body: quotas }) => {
        await setProjectQuotas(db, authenticator, { principal, quotas })
        return projectQuotas(db, principal)
      },
    })
  }
}
