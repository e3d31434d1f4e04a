import {
  type AdminPrincipal,
  type Permission,
  type Principal,
  type ProjectPrincipal,
  requireAdmin,
  requirePermission,
  requireProject,
} from '@spanhouse/access'
import type { OtherChange } from '@spanhouse/events'
import { Problem } from '@spanhouse/model'
import { actingAs, onBehalfOf, onBehalfOfUntil } from '@spanhouse/postgres'
import { cancellable, metered } from '@spanhouse/span-store'
import { type RequestPart, refuseUnbounded, validate, type z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX, REQUEST_MS_MAX } from '../budget/limits.ts'
import type { Held } from '../budget/room.ts'
import { ADMINISTRATION, PUBLIC, type Tenant } from '../shares/pool.ts'
import { isTimed, type ShareName } from '../shares/shares.ts'
import { actorOf } from './actor.ts'
import type { HeldAnswer } from './answer/answer-room.ts'
import { sendAnswer } from './answer/send-answer.ts'
import { whenClosed } from './answer/when-closed.ts'
import { principalOf } from './auth.ts'
import { readJson } from './body/body.ts'
import { type FormLimits, readForm } from './body/form.ts'
import { namingNul } from './nul.ts'
import { describedAs } from './openapi.ts'
import { NO_STORE } from './security-headers.ts'
import { meterOf } from './server-timing.ts'

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined

/** The input of an endpoint's handler. Parts that the endpoint does not describe are undefined. */
export interface Call<Who, Params, Query, Body> {
  principal: Who
  params: OutputOf<Params>
  query: OutputOf<Query>
  body: OutputOf<Body>
  request: FastifyRequest
  reply: FastifyReply
  /** Counts the memory that the response holds, if that can be much. */
  holder: HeldAnswer
  /** For responses that go on: throws if the credential is no longer valid, or no longer gives the permission. */
  checkAgain(): Promise<void>
}

/** One row of the interface: the name of an endpoint, who may call it, its input and its response. */
export interface Endpoint<Who, Params, Query, Body> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without `/api` and without a trailing slash; parameters as `:name`. */
  path: string
  /** Its group in the OpenAPI document. */
  tag: string
  /** One sentence. */
  summary: string
  deprecated?: boolean
  /** Omitted from the OpenAPI document. */
  hidden?: boolean
  params?: Params
  query?: Query
  /** A schema that accepts undefined makes the body optional. */
  body?: Body
  /** Of a JSON body, as received and after decompression. Default: a small one; see `budget/limits.ts`. */
  bodyBytesMax?: number
  /**
   * What a call changes that Postgres does not record itself, since it is stored elsewhere or only queued: the log
   * names it so, with the path's parameters as ids, before it is carried out. A call that then fails is recorded too.
   */
  change?: `${string}.${'created' | 'deleted' | 'replayed' | 'redelivered'}`
  /** The body is a multipart form with a file. */
  form?: FormLimits
  /** Describes the response in the OpenAPI document. */
  answer?: z.ZodType
  /** Media types of the response, for the document: `answer` describes JSON, all others are texts. Default: JSON. */
  answerTypes?: readonly string[]
  /**
   * Describes responses with other statuses; `default` are those that are not named. Default: the `detail` of a
   * request that was not served.
   */
  otherAnswers?: Readonly<Record<string, z.ZodType>>
  /** Default: 200. With 204 nothing is sent. */
  status?: number
  /**
   * The resource that the handler uses most, so that no project takes it from the others (see `SHARES`). Default:
   * `read` if the permission allows seeing spans, otherwise `call`.
   */
  share?: ShareName
  /** False if a 422 must not echo the input. */
  echo?: boolean
  /** The response contains something that must not be stored: a key, a secret, a link that grants access. */
  isSecret?: boolean
  /** Called before a 422 for the body is answered. */
  onInvalidBody?(call: Pick<Call<Who, Params, Query, Body>, 'principal' | 'request' | 'reply'>, problem: Problem): void
  /**
   * Returns the value to send as JSON (large parts in the form that `render-json.ts` takes), or the reply if it has
   * sent the response itself.
   */
  handle(call: Call<Who, Params, Query, Body>): unknown
}

type Part = z.ZodType | undefined

/**
 * Adds an endpoint for callers who act in a project. Checks in this order: 401 without a project, 403 without one of
 * the permissions, 422 if a part of the request does not match its schema, 429 or 503 without a slot in its share; then
 * the handler runs.
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

/** Adds an endpoint for the platform administrator: 401 for everyone else. Its responses may contain keys. */
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

/** Adds a public endpoint: its path must be below one of those in `auth.ts`. */
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

/** Everything changes something but GET, and what takes no more than permissions to view. */
function writes({ method, permission }: { method: string; permission?: Permission | readonly Permission[] }): boolean {
  const permissions = [permission ?? []].flat()
  return method !== 'GET' && (permissions.length === 0 || permissions.some(one => !one.startsWith('view_')))
}

/** The properties shared by endpoints of one audience. */
interface Audience<Who> {
  /** The defaults of these three. */
  bodyBytesMax: number
  share: ShareName
  isSecret?: boolean
  /** The tenant whose room and slots a call uses. */
  tenantOf(principal: Who): Tenant
  /** Throws if the request may not call. */
  principalOf(request: FastifyRequest): Who
}

function add<Who extends Principal | null, P extends Part, Q extends Part, B extends Part>(
  app: FastifyInstance,
  endpoint: Endpoint<Who, P, Q, B> & { permission?: Permission | readonly Permission[] },
  audience: Audience<Who>,
): void {
  const { method, path, status = 200, echo = true } = endpoint
  const bodyBytesMax = endpoint.bodyBytesMax ?? audience.bodyBytesMax
  const share = endpoint.share ?? audience.share
  const isSecret = endpoint.isSecret ?? audience.isSecret ?? false
  const isWriting = writes(endpoint)
  for (const schema of [endpoint.params, endpoint.query, endpoint.body]) if (schema) refuseUnbounded(schema)
  app.route({
    method,
    url: path,
    config: describedAs({ ...endpoint, bodyBytesMax }),
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
      whenClosed(reply, () => holder.close())
      const checkAgain = async (): Promise<void> => {
        request.principal = await app.identify(request)
        audience.principalOf(request)
      }
      const actor = isWriting ? actorOf(principal, `${method} ${path}`) : undefined
      const work = async () => {
        try {
          let sent: unknown
          const sentBody = async (): Promise<OutputOf<B>> => {
            sent = endpoint.body && (await readBody(request, held, { ...endpoint, bodyBytesMax }))
            return read(endpoint.body, sent, 'body')
          }
          const body = await sentBody().catch(error => {
            if (isUnprocessable(error)) endpoint.onInvalidBody?.({ principal, request, reply }, error)
            throw error
          })
          if (endpoint.change) await app.recordChange(otherChange(principal, endpoint.change, request))
          const answer = await withSlot(request, reply, { share, tenant }, () =>
            endpoint.handle({ principal, params, query, body, request, reply, holder, checkAgain }),
          ).catch(async error => {
            throw await namingNul(error, { path: request.params, query: request.query, body: sent })
          })
          request.meter?.handled()
          // An awaited reply has been sent, or its client has disconnected in the middle of it.
          if (reply.sent || reply.raw.headersSent) return reply
          return status === 204 ? reply.code(status).send() : await sendAnswer(reply.code(status), answer)
        } finally {
          // A call that is still running after its client has disconnected keeps its room until it is done.
          whenClosed(reply, () => held.release())
        }
      }
      return onBehalfOf(tenant.project_id, () => (actor === undefined ? work() : actingAs(actor, work)))
    },
  })
}

const isUnprocessable = (error: unknown): error is Problem => error instanceof Problem && error.code === 'unprocessable'

function otherChange(principal: Principal | null, type: string, { params }: FastifyRequest): OtherChange {
  const { project_id = null, user_id = null } = principal?.kind === 'project' ? principal : {}
  return { project_id, user_id, type, ids: Object.values(params as Record<string, string>) }
}

const SECONDS_MAX = REQUEST_MS_MAX / 1000
const READ_TOO_SLOW = new Problem(
  'query_timeout',
  `The request took longer than ${SECONDS_MAX} s, the maximum for waiting and for all its queries together.`,
)
const CALL_TOO_SLOW = new Problem(
  'overloaded',
  `The request took longer than ${SECONDS_MAX} s, the maximum for waiting and for all its statements together; try again.`,
  { retryAfterSeconds: 5 },
)

/**
 * Runs the work with a slot of the share, which is returned when the work is done or its response is complete (see
 * `app`): a caller who reads slowly holds no slot. A request that takes longer than {@link REQUEST_MS_MAX} no longer
 * waits for a slot or for the database, and its reads of spans are cancelled; those of a caller who disconnects are,
 * too.
 */
async function withSlot<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { share, tenant }: { share: ShareName; tenant: Tenant },
  work: () => T,
): Promise<Awaited<T>> {
  const late = new AbortController()
  // Aborts when it is late, too: `AbortSignal.any` takes 2 µs, and its weak references are work for the collector.
  const ending = new AbortController()
  const leave = (): void => {
    if (!reply.raw.writableEnded) ending.abort(new Problem('overloaded', 'The client has closed the connection.'))
  }
  const end = (): void => {
    late.abort(tooSlow)
    ending.abort(tooSlow)
  }
  const tooSlow = share === 'read' ? READ_TOO_SLOW : CALL_TOO_SLOW
  const timer = isTimed(share) ? setTimeout(end, REQUEST_MS_MAX) : undefined
  const begin = (): Promise<Awaited<T>> => onBehalfOfUntil(tenant.project_id, late.signal, work)
  whenClosed(reply, leave)
  try {
    const meter = share === 'read' ? meterOf(request) : undefined
    const asked = performance.now()
    request.giveBackSlot = await request.server.shares.take(share, tenant, ending.signal)
    // Without a deadline there is nothing to cancel, and hundreds of runs wait for their models at once.
    if (!isTimed(share)) return await work()
    if (!meter) return await cancellable(late.signal, begin)
    meter.queueMs = performance.now() - asked
    return await cancellable(ending.signal, () => metered(meter.usage, begin))
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', leave)
    // Long lists are read while they are sent.
    if (share === 'heavy') whenClosed(reply, () => request.giveBackSlot())
    else request.giveBackSlot()
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
