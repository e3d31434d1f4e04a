import {
  createSecret,
  createSecretBody,
  deleteSecret,
  editSecret,
  editSecretBody,
  fetchSecret,
  listSecrets,
  type ProjectPrincipal,
  secretJson,
} from '@spanhouse/access'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'secrets'
const params = z.object({ id: z.string().meta({ description: 'Id or slug.' }) })
const onlyId = z.object({ id: uuid })

/** Credentials of model providers and similar secrets, stored encrypted. Errors never echo the input. */
export function secretRoutes({ postgres, vault, modelSecrets, outbound }: Parts): (app: FastifyInstance) => void {
  const { db } = postgres
  const thenForget = <T>(change: Promise<T>, { project_id }: ProjectPrincipal): Promise<T> =>
    change.finally(() => modelSecrets.forget(project_id))
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
      handle: ({ principal, body }) => thenForget(createSecret(db, { vault, principal }, body), principal),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/secrets',
      tag,
      permission: 'view_secret',
      isSecret: true,
      answer: z.array(secretJson),
      summary: 'Lists the secrets of the project; masked for callers who may not change them.',
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
      summary: 'Returns a secret; masked for callers who may not change it.',
      handle: ({ principal, params }) => fetchSecret(db, { vault, principal }, params.id),
    })
    addEndpoint(app, {
      method: 'PUT',
      path: '/secrets/:id',
      tag,
      permission: 'edit_secret',
      isSecret: true,
      echo: false,
      params: onlyId,
      body: editSecretBody(outbound),
      answer: secretJson,
      summary: 'Replaces the header or data of a secret.',
      handle: ({ principal, params, body }) =>
        thenForget(editSecret(db, { vault, principal }, { id: params.id, body }), principal),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/secrets/:id',
      tag,
      permission: 'edit_secret',
      echo: false,
      params: onlyId,
      status: 204,
      summary: 'Deletes a secret.',
      handle: ({ principal, params }) => thenForget(deleteSecret(db, principal, params.id), principal),
    })
  }
}
