import { createAccounts, createAccountsBody, deleteAccounts, deleteAccountsBody } from '@spanhouse/access'
import type { FastifyInstance } from 'fastify'
import { addAdminEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'administration'

/** Platform administration: accounts with everything they need, created and deleted in one call. */
export function adminRoutes({ postgres, authenticator, answerKey, seeds }: Parts): (app: FastifyInstance) => void {
  return app => {
    addAdminEndpoint(app, {
      method: 'POST',
      path: '/admin/simple/accounts',
      tag,
      body: createAccountsBody,
      summary: 'Creates accounts: users with organization, workspace, project, memberships and API key.',
      handle: ({ body }) => createAccounts(postgres.db, body, { secret: answerKey, seeds: seeds.project }),
    })
    addAdminEndpoint(app, {
      method: 'DELETE',
      path: '/admin/simple/accounts',
      tag,
      body: deleteAccountsBody,
      status: 204,
      summary: 'Deletes users with the organizations they own.',
      handle: ({ body }) => deleteAccounts(postgres.db, authenticator, body),
    })
  }
}
