import { createApiKey, listApiKeys, revokeApiKey } from '@spanhouse/access'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../http/auth.ts'
import type { Parts } from '../parts.ts'

/** A user's own API keys. What is revoked stops working at once. */
export function keyRoutes({ postgres, authenticator }: Parts): (app: FastifyInstance) => void {
  return app => {
    app.get('/keys', request => listApiKeys(postgres.db, principalOf(request)))
    app.post('/keys', async (request, reply) => {
      const key = await createApiKey(postgres.db, principalOf(request))
      // A bare text would be sent as it is; the interface has it as a JSON string.
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(key))
    })
    app.delete('/keys/:prefix', request => {
      const { prefix } = request.params as { prefix: string }
      return revokeApiKey(postgres.db, authenticator, principalOf(request), prefix)
    })
  }
}
