import {
  type AdminPrincipal,
  type Permission,
  type ProjectPrincipal,
  requireAdmin,
  requirePermission,
  requireProject,
} from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import { onBehalfOf } from '@spanhouse/postgres'
import { cancellable } from '@spanhouse/span-store'
import { type RequestPart, refuseUnbounded, validate, type z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX } from '../budget/limits.ts'
import type { Held } from '../budget/room.ts'
import { ADMINISTRATION, PUBLIC, type Tenant } from '../shares/pool.ts'
import type { ShareName } from '../shares/shares.ts'
import type { HeldAnswer } from './answer-room.ts'
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
  holder: HeldAnswer
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
  /** Of a body in JSON, as received and once decompressed. A small one when it is not given; see `budget/limits.ts`. */
  bodyBytesMax?: number
  /** The body is a multipart form with a file. */
  form?: FormLimits
  /** Describes the answer in the OpenAPI document. */
  answer?: z.ZodType
  /** 200 when it is not given. With 204 nothing is sent. */
  status?: number
  /**
   * What the handler uses most of, so that no project takes it from the others (see `SHARES`). When it is not given: `read`
   * where spans may be seen with the permission, else `call`.
   */
  share?: ShareName
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
 * permissions, 422 when a part of the request has not the shape that is described, 429 or 503 without a slot in its share,
 * then the handler.
 */
export function addEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<ProjectPrincipal, P, Q, B> & { permission?: Permission | readonly Permission[] },
): void {
  const permissions = [endpoint.permission ?? []].flat()
  add(app, endpoint, {
    bodyBytesMax: BODY_BYTES_MAX,
    share: permissions.includes('view_spans') ? 'read' : 'call',
    tenantOf: principal => principal,
    principalOf: request => {
      const principal = principalOf(request)
      requireProject(principal)
      for (const permission of permissions) requirePermission(principal, permission)
      return principal
    },
  })
}

/** Adds an endpoint for the platform's administrator: 401 for everybody else. What it tells may be a key. */
export function addAdminEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<AdminPrincipal, P, Q, B>,
): void {
  add(app, endpoint, {
    bodyBytesMax: BODY_BYTES_MAX,
    share: 'call',
    isSecret: true,
    tenantOf: () => ADMINISTRATION,
    principalOf: request => {
      const principal = principalOf(request)
      requireAdmin(principal)
      return principal
    },
  })
}

/** Adds an endpoint that anybody may call: its path must stand below one of those in `auth.ts`. */
export function addPublicEndpoint<P extends Part = undefined, Q extends Part = undefined, B extends Part = undefined>(
  app: FastifyInstance,
  endpoint: Endpoint<null, P, Q, B>,
): void {
  add(app, endpoint, {
    bodyBytesMax: PUBLIC_BODY_BYTES_MAX,
    share: 'call',
    tenantOf: () => PUBLIC,
    principalOf: () => null,
  })
}

/** What endpoints of one audience have in common. */
interface Audience<Who> {
  /** These three count where the endpoint says nothing else. */
  bodyBytesMax: number
  share: ShareName
  isSecret?: boolean
  /** Whose room and slots a call takes. */
  tenantOf(principal: Who): Tenant
  /** Throws when the request may not call. */
  principalOf(request: FastifyRequest): Who
}

function add<Who, P extends Part, Q extends Part, B extends Part>(
  app: FastifyInstance,
  endpoint: Endpoint<Who, P, Q, B>,
  audience: Audience<Who>,
): void {
  const { method, path, status = 200, echo = true } = endpoint
  const bodyBytesMax = endpoint.bodyBytesMax ?? audience.bodyBytesMax
  const share = endpoint.share ?? audience.share
  const isSecret = endpoint.isSecret ?? audience.isSecret ?? false
  for (const schema of [endpoint.params, endpoint.query, endpoint.body]) if (schema) refuseUnbounded(schema)
  app.route({
    method,
    url: path,
    schema: operationSchema({ ...endpoint, bodyBytesMax }),
    handler: async (request, reply) => {
      const principal = audience.principalOf(request)
      if (isSecret) reply.headers(NO_STORE)
      const read = <S extends Part>(schema: S | undefined, value: unknown, part: RequestPart): OutputOf<S> =>
        (schema && validate(schema, value, part, { echo })) as OutputOf<S>
      const params = read(endpoint.params, request.params, 'path')
      const query = read(endpoint.query, request.query, 'query')
      const tenant = audience.tenantOf(principal)
      const held = app.room.enter(tenant)
      const holder = app.answerRoom.open(tenant)
      reply.raw.once('close', () => holder.close())
      return onBehalfOf(tenant.project_id, async () => {
        try {
          const sent = endpoint.body && (await readBody(request, held, { ...endpoint, bodyBytesMax }))
          const body = read(endpoint.body, sent, 'body')
          const answer = await withSlot(request, reply, { share, tenant }, () =>
            endpoint.handle({ principal, params, query, body, request, reply, holder }),
          )
          // A reply that is awaited is one that has been sent, or whose reader has gone in the middle of it.
          if (reply.sent || reply.raw.headersSent) return reply
          return status === 204 ? reply.code(status).send() : await sendAnswer(reply.code(status), answer)
        } finally {
          releaseWhenAnswered(held, reply)
        }
      })
    },
  })
}

/**
 * Does the work with a slot of the share, which is given back when the work is done or its answer is whole (see `app`): a
 * caller who reads slowly holds no slot. A caller who hangs up no longer waits for one, and its reads are ended.
 */
async function withSlot<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { share, tenant }: { share: ShareName; tenant: Tenant },
  work: () => T,
): Promise<Awaited<T>> {
  const leaving = new AbortController()
  const leave = (): void => {
    if (!reply.raw.writableEnded) leaving.abort(new Problem('overloaded', 'The caller has hung up.'))
  }
  reply.raw.once('close', leave)
  try {
    request.giveBackSlot = await request.server.shares.take(share, tenant, leaving.signal)
    return await (share === 'read' ? cancellable(leaving.signal, work) : work())
  } finally {
    reply.raw.off('close', leave)
    // Long lists are read while they are sent.
    if (share !== 'heavy' || reply.raw.closed || reply.raw.destroyed) request.giveBackSlot()
    else reply.raw.once('close', () => request.giveBackSlot())
  }
}

interface BodyLimits {
  bodyBytesMax: number
  form?: FormLimits
  echo?: boolean
}

const readBody = (request: FastifyRequest, held: Held, limits: BodyLimits): Promise<unknown> =>
  limits.form
    ? readForm(request, { ...limits.form, held })
    : readJson(request, { bytesMax: limits.bodyBytesMax, held, echo: limits.echo })

/** A call that is still at work when its sender has gone keeps its room until it is done. */
function releaseWhenAnswered(held: Held, { raw }: FastifyReply): void {
  if (raw.closed || raw.destroyed) held.release()
  else raw.once('close', () => held.release())
}
