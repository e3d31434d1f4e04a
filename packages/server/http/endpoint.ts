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
import { actingAs, onBehalfOf } from '@spanhouse/postgres'
import { type RequestPart, refuseUnbounded, validate, type z } from '@spanhouse/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX } from '../budget/limits.ts'
import type { Held } from '../budget/room.ts'
import { ADMINISTRATION, PUBLIC, type Tenant } from '../shares/pool.ts'
import type { ShareName } from '../shares/shares.ts'
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
import { withSlot } from './slot.ts'

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

/** The schema of a part of a request, if the endpoint describes it. */
export type Part = z.ZodType | undefined

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
    isSecret: false,
    isWriting: writes(endpoint.method, permissions),
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
    isWriting: writes(endpoint.method, []),
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
    isSecret: false,
    isWriting: false,
    tenantOf: () => PUBLIC,
    principalOf: () => null,
  })
}

/** Everything changes something but GET, and what takes no more than permissions to view. */
function writes(method: string, permissions: readonly Permission[]): boolean {
  return method !== 'GET' && (permissions.length === 0 || permissions.some(one => !one.startsWith('view_')))
}

/** What the endpoints of one audience have in common. */
interface Audience<Who> {
  /** These three are defaults: an endpoint may differ. */
  bodyBytesMax: number
  share: ShareName
  isSecret: boolean
  /** Whether the log of events names the caller of what the endpoint changes. */
  isWriting: boolean
  /** The tenant whose room and slots a call uses. */
  tenantOf(principal: Who): Tenant
  /** Throws if the request may not call. */
  principalOf(request: FastifyRequest): Who
}

function add<Who extends Principal | null, P extends Part, Q extends Part, B extends Part>(
  app: FastifyInstance,
  endpoint: Endpoint<Who, P, Q, B>,
  audience: Audience<Who>,
): void {
  for (const schema of [endpoint.params, endpoint.query, endpoint.body]) if (schema) refuseUnbounded(schema)
  const served = {
    ...endpoint,
    ...audience,
    bodyBytesMax: endpoint.bodyBytesMax ?? audience.bodyBytesMax,
    share: endpoint.share ?? audience.share,
    isSecret: endpoint.isSecret ?? audience.isSecret,
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: describedAs(served),
    handler: (request, reply) => serve(served, request, reply),
  })
}

/** An endpoint as it is served, with the defaults of its audience. */
type Served<Who, P, Q, B> = Endpoint<Who, P, Q, B> & Audience<Who>

/** A call whose body has not been read. */
type Begun<Who, P, Q> = Omit<Call<Who, P, Q, never>, 'body'>

/** The way of a request through its endpoint, top to bottom; every step may end it by throwing a Problem. */
async function serve<Who extends Principal | null, P extends Part, Q extends Part, B extends Part>(
  endpoint: Served<Who, P, Q, B>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const principal = endpoint.principalOf(request)
  if (endpoint.isSecret) reply.headers(NO_STORE)
  const { echo } = endpoint
  const params = read(endpoint.params, request.params, { part: 'path', echo })
  const query = read(endpoint.query, request.query, { part: 'query', echo })
  const tenant = endpoint.tenantOf(principal)
  const held = request.server.room.enter(tenant)
  const holder = request.server.answerRoom.open(tenant)
  whenClosed(reply, () => holder.close())
  const checkAgain = async (): Promise<void> => {
    request.principal = await request.server.identify(request)
    endpoint.principalOf(request)
  }
  const call = { principal, params, query, request, reply, holder, checkAgain }
  const work = () => carryOut(endpoint, call, { tenant, held })
  const actor = endpoint.isWriting ? actorOf(principal, `${endpoint.method} ${endpoint.path}`) : undefined
  return onBehalfOf(tenant.project_id, () => (actor === undefined ? work() : actingAs(actor, work)))
}

/** Reads the body, lets the endpoint handle the call, and sends what it returns. Gives back what is held. */
async function carryOut<Who extends Principal | null, P extends Part, Q extends Part, B extends Part>(
  endpoint: Served<Who, P, Q, B>,
  begun: Begun<Who, P, Q>,
  { tenant, held }: { tenant: Tenant; held: Held },
): Promise<FastifyReply> {
  const { request, reply, principal } = begun
  try {
    const { sent, body } = await readBody(endpoint, begun, held)
    if (endpoint.change) await request.server.recordChange(otherChange(principal, endpoint.change, request))
    const handle = () => endpoint.handle({ ...begun, body })
    const value = await withSlot(request, reply, { share: endpoint.share, tenant }, handle).catch(async error => {
      throw await namingNul(error, { path: request.params, query: request.query, body: sent })
    })
    request.meter?.handled()
    return await send(reply, value, endpoint.status)
  } finally {
    // A call that is still running after its client has disconnected keeps its room until it is done.
    whenClosed(reply, () => held.release())
  }
}

/** The body as it was sent, and as its schema transforms it; both undefined if the endpoint takes none. */
async function readBody<Who, P, Q, B extends Part>(
  endpoint: Served<Who, P, Q, B>,
  { principal, request, reply }: Begun<Who, P, Q>,
  held: Held,
): Promise<{ sent: unknown; body: OutputOf<B> }> {
  const { form, bodyBytesMax: bytesMax, echo } = endpoint
  if (endpoint.body === undefined) return { sent: undefined, body: undefined as OutputOf<B> }
  try {
    const sent = await (form ? readForm(request, { ...form, held }) : readJson(request, { bytesMax, held, echo }))
    return { sent, body: read(endpoint.body, sent, { part: 'body', echo }) }
  } catch (error) {
    const isInvalid = error instanceof Problem && error.code === 'unprocessable'
    if (isInvalid) endpoint.onInvalidBody?.({ principal, request, reply }, error)
    throw error
  }
}

function read<S extends Part>(
  schema: S | undefined,
  value: unknown,
  { part, echo }: { part: RequestPart; echo?: boolean },
): OutputOf<S> {
  return (schema && validate(schema, value, part, { echo })) as OutputOf<S>
}

function otherChange(principal: Principal | null, type: string, { params }: FastifyRequest): OtherChange {
  const { project_id = null, user_id = null } = principal?.kind === 'project' ? principal : {}
  return { project_id, user_id, type, ids: Object.values(params as Record<string, string>) }
}

async function send(reply: FastifyReply, value: unknown, status = 200): Promise<FastifyReply> {
  // An awaited reply has been sent, or its client has disconnected in the middle of it.
  if (reply.sent || reply.raw.headersSent) return reply
  return status === 204 ? reply.code(status).send() : sendAnswer(reply.code(status), value)
}
