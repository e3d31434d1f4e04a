import { createApiKey, listApiKeys, revokeApiKey } from '@spanhouse/access'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'API keys'
const record = z.object({
  prefix: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable().meta({ description: 'Accurate to the minute.' }),
  expiration_date: z.string().nullable(),
})

/** A user's own API keys. A revoked key stops working immediately. */
export function keyRoutes({ postgres: { db }, authenticator }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/keys',
      tag,
      permission: 'view_api_keys',
      answer: z.array(record),
      summary: 'Lists your own keys of the project, newest first.',
      handle: ({ principal }) => listApiKeys(db, principal),
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/keys',
      tag,
      permission: 'edit_api_keys',
      isSecret: true,
      answer: z.string(),
      summary: 'Creates an API key for the project; the key is shown only in this response.',
      handle: ({ principal }) => createApiKey(db, principal),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/keys/:prefix',
      tag,
      permission: 'edit_api_keys',
      summary: 'Revokes one of your own keys, in any project.',
      params: z.object({ prefix: z.string() }),
      answer: z.object({ message: z.string() }),
      handle: ({ principal, params }) => revokeApiKey(db, authenticator, principal, params.prefix),
    })
  }
}
