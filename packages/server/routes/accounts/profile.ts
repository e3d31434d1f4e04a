import {
  changeUsername,
  fetchProfile,
  makeResetLink,
  newPasswordBody,
  profileJson,
  resetLinkQuery,
  resetPassword,
  usernameBody,
} from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint, addPublicEndpoint } from '../../http/endpoint.ts'
import { originOf } from '../../http/origin.ts'
import type { Parts } from '../../parts.ts'

const tag = 'profile'

/** The caller as a user, and the way to a new password. */
export function profileRoutes({ postgres: { db } }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/profile',
      tag,
      answer: profileJson,
      summary: 'Reads who you are.',
      handle: ({ principal }) => fetchProfile(db, principal),
    })
    addEndpoint(app, {
      method: 'PUT',
      path: '/profile/username',
      tag,
      body: usernameBody,
      answer: profileJson,
      summary: 'Changes your name.',
      handle: ({ principal, body }) => changeUsername(db, principal, body.username),
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/profile/reset-password',
      tag,
      isSecret: true,
      permission: 'reset_password',
      query: resetLinkQuery,
      summary: 'Makes a link with which a user sets a new password.',
      answer: z.string(),
      handle: ({ principal, query, request }) => makeResetLink(db, principal, { ...query, origin: originOf(request) }),
    })
    // Clients look whether accounts can be closed by their users: here an administrator does that.
    addEndpoint(app, {
      method: 'DELETE',
      path: '/profile',
      tag,
      summary: 'Is not available here.',
      hidden: true,
      handle: () => {
        throw new Problem('not_found', 'Not Found')
      },
    })
    addPublicEndpoint(app, {
      method: 'POST',
      path: '/auth/reset-password',
      tag,
      body: newPasswordBody,
      status: 204,
      echo: false,
      share: 'password',
      summary: 'Sets a new password with the token of a link.',
      handle: ({ body }) => resetPassword(db, body),
    })
  }
}
