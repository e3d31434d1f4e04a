import {
  createSecret,
  createSecretBody,
  deleteSecret,
  editSecret,
  editSecretBody,
  fetchSecret,
  listSecrets,
  secretJson,
} from '@spanhouse/access'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'secrets'
const params = z.object({ id: z.string().meta({ description: 'Id or slug.' }) })

/** Credentials of model providers and the like, stored encrypted. No refusal repeats what was sent. */
export function secretRoutes({ postgres: { db }, vault, outbound }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'POST',
      path: '/secrets',
      tag,
      permission: 'edit_secret',
      isSecret: true,
      echo: false,
      body: createSecretBody(outbound),
      answer: secretJson,
      summary: 'Stores a secret.',
      handle: ({ principal, body }) => createSecret(db, { vault, principal }, body),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/secrets',
      tag,
      permission: 'view_secret',
      isSecret: true,
      answer: z.array(secretJson),
      summary: 'Lists the secrets of the project; masked for who may not change them.',
      handle: ({ principal }) => listSecrets(db, { vault, principal }),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/secrets/:id',
      tag,
      permission: 'view_secret',
      isSecret: true,
      params,
      answer: secretJson,
      summary: 'Reads one secret; masked for who may not change it.',
      handle: ({ principal, params }) => fetchSecret(db, { vault, principal }, params.id),
    })
    addEndpoint(app, {
      method: 'PUT',
      path: '/secrets/:id',
      tag,
      permission: 'edit_secret',
      isSecret: true,
      echo: false,
      params,
      body: editSecretBody(outbound),
      answer: secretJson,
      summary: 'Replaces header or data of a secret.',
      handle: ({ principal, params, body }) => editSecret(db, { vault, principal }, { reference: params.id, body }),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/secrets/:id',
      tag,
      permission: 'edit_secret',
      params,
      status: 204,
      summary: 'Deletes a secret.',
      handle: ({ principal, params }) => deleteSecret(db, principal, params.id),
    })
  }
}
