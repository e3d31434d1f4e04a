import {
  type AdminPrincipal,
  type Permission,
  type ProjectPrincipal,
  requireAdmin,
  requirePermission,
  requireProject,
} from '@spanhouse/access'
import { type RequestPart, validate, type z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerShare } from './answer-room.ts'
import { principalOf } from './auth.ts'
import { readJson } from './body.ts'
import { type FormLimits, readForm } from './form.ts'
import { operationSchema } from './openapi.ts'
import { NO_STORE } from './security-headers.ts'
import { sendAnswer } from './send-answer.ts'

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined

/** What an endpoint's handler is given. The parts that the endpoint does not describe are undefined. */
export interface Call<Who, Params, Query, Body> {
  principal: Who
  params: OutputOf<Params>
  query: OutputOf<Query>
  body: OutputOf<Body>
  request: FastifyRequest
  reply: FastifyReply
  /** Where what the answer holds in memory is counted, if that can be much. */
  share: AnswerShare
}

/** One row of the interface: what it is called, who may call it, what it takes and what it answers. */
export interface Endpoint<Who, Params, Query, Body> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without `/api` and without a slash at the end; parameters as `:name`. */
  path: string
  /** The group it stands in in the OpenAPI document. */
  tag: string
  /** One sentence. */
  summary: string
  deprecated?: boolean
  /** Not in the OpenAPI document. */
  hidden?: boolean
  params?: Params
  query?: Query
  /** A schema that takes undefined lets the body be absent. */
  body?: Body
  /** The body is a multipart form with a file. */
  form?: FormLimits
  /** Describes the answer in the OpenAPI document. */
  answer?: z.ZodType
  /** 200 when it is not given. With 204 nothing is sent. */
  status?: number
  /** False where a 422 must not repeat what was sent. */
  echo?: boolean
  /** The answer tells something that is to be kept nowhere: a key, a secret, a link that lets somebody in. */
  isSecret?: boolean
  /** Returns what is sent as JSON (large parts of it as `render-json.ts` takes them), or the reply when it has sent something itself. */
  handle(call: Call<Who, Params, Query, Body>): unknown
}

type Part = z.ZodType | undefined

/**
 * Adds an endpoint for callers who act in a project. In this order: 401 without a project, 403 without one of the
 * permissions, 422 when a part of the request has not the shape that is described, then the handler.
 */
export function addEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<ProjectPrincipal, P, Q, B> & { permission?: Permission | readonly Permission[] },
): void {
  const permissions = [endpoint.permission ?? []].flat()
  add(app, endpoint, request => {
    const principal = principalOf(request)
    requireProject(principal)
    for (const permission of permissions) requirePermission(principal, permission)
    return principal
  })
}

/** Adds an endpoint for the platform's administrator: 401 for everybody else. What it tells may be a key. */
export function addAdminEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<AdminPrincipal, P, Q, B>,
): void {
  add(app, { isSecret: true, ...endpoint }, request => {
    const principal = principalOf(request)
    requireAdmin(principal)
    return principal
  })
}

/** Adds an endpoint that anybody may call: its path must stand below one of those in `auth.ts`. */
export function addPublicEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<null, P, Q, B>,
): void {
  add(app, endpoint, () => null)
}

function add<Who, P extends Part, Q extends Part, B extends Part>(
  app: FastifyInstance,
  endpoint: Endpoint<Who, P, Q, B>,
  principalOfCall: (request: FastifyRequest) => Who,
): void {
  const { method, path, status = 200 } = endpoint
  app.route({
    method,
    url: path,
    schema: operationSchema(endpoint),
    handler: async (request, reply) => {
      const principal = principalOfCall(request)
      if (endpoint.isSecret) reply.headers(NO_STORE)
      const read = <S extends Part>(schema: S | undefined, value: unknown, part: RequestPart): OutputOf<S> =>
        (schema && validate(schema, value, part, { echo: endpoint.echo ?? true })) as OutputOf<S>
      const params = read(endpoint.params, request.params, 'path')
      const query = read(endpoint.query, request.query, 'query')
      const sent = endpoint.body && (await readBody(request, endpoint))
      const body = read(endpoint.body, sent, 'body')
      const share = app.answerRoom.open(request.principal?.kind === 'project' ? request.principal.project_id : '')
      reply.raw.once('close', () => share.close())
      const answer = await endpoint.handle({ principal, params, query, body, request, reply, share })
      // A reply that is awaited is one that has been sent, or whose reader has gone in the middle of it.
      if (reply.sent || reply.raw.headersSent) return reply
      return status === 204 ? reply.code(status).send() : sendAnswer(reply.code(status), answer)
    },
  })
}

const readBody = (request: FastifyRequest, { form, echo }: { form?: FormLimits; echo?: boolean }): Promise<unknown> =>
  form ? readForm(request, form) : readJson(request, { echo })
