import { createAccounts, deleteAccounts, requireAdmin } from '@spanhouse/access'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../http/auth.ts'
import { readRequiredJson } from '../http/body.ts'
import type { Parts } from '../parts.ts'

/** Platform administration: accounts with everything they need, made and taken away in one call. */
export function adminRoutes({ postgres, authenticator }: Parts, secret: string): (app: FastifyInstance) => void {
  return app => {
    app.post('/admin/simple/accounts', async request => {
      requireAdmin(principalOf(request))
      return createAccounts(postgres.db, await readRequiredJson(request), { secret })
    })
    app.delete('/admin/simple/accounts', async (request, reply) => {
      requireAdmin(principalOf(request))
      await deleteAccounts(postgres.db, authenticator, await readRequiredJson(request))
      return reply.code(204).send()
    })
  }
}
