import { Problem } from '@spanhouse/model'
import { HANDLERS, type Handler } from '@spanhouse/runtime'
import { json, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { CONTENT_BODY_BYTES_MAX } from '../budget/limits.ts'
import { addEndpoint, addPublicEndpoint } from '../http/endpoint.ts'
import { problemAnswer } from '../http/openapi.ts'
import { EMPTY_BODY, failedRun, inspectBody, invokeBody, resultAnswer } from './bodies.ts'
import { PROTOCOL_VERSION } from './envelope.ts'
import { inspect } from './inspect.ts'
import { legacyRoutes } from './legacy.ts'
import { mountDocument, servicesDocument } from './mount-document.ts'
import { mountedHandler } from './prepare.ts'
import { leaveTrace, runAndAnswer, type Services } from './run.ts'

const PREFIX = '/services'
const tag = 'services'
const params = z.object({ key: z.string(), version: z.string() })
const query = z.object({
  mock: optional(z.string()).meta({
    description: "The name of a canned reply that replaces the model's; a usable key is still required.",
  }),
})
const inspected = z.object({ version: z.string(), revision: json, request: json, meta: json.optional() })
const notInspected = z
  .union([problemAnswer, z.object({ details: z.union([z.string(), z.object({ message: z.string() })]) })])
  .meta({ description: 'A request that was not served has a `detail`, a revision that cannot be described `details`.' })

/**
 * The hosted services (contract of the runtime, section 8): each handler has its own address, `{key}/{version}`, and
 * the dispatcher runs the handler that a revision names.
 */
export function servicesRoutes(services: Services): (app: FastifyInstance) => void {
  return app => {
    app.addHook('onSend', async (request, reply) => {
      if (isService(request.url)) reply.header('x-ag-version', PROTOCOL_VERSION)
    })
    for (const mounted of [false, true]) addRunRoutes(app, services, mounted)
    addPublicRoutes(app)
    legacyRoutes(app, services)
  }
}

const isService = (url: string): boolean => url.startsWith(`${PREFIX}/`)

function addRunRoutes(app: FastifyInstance, services: Services, mounted: boolean): void {
  const base = mounted ? `${PREFIX}/:key/:version` : PREFIX
  const which = mounted ? 'the handler of this address' : 'the handler that the revision names'
  // The dispatcher has no parameters in its path.
  const mountOf = (request: { params: unknown }): Handler | undefined =>
    mounted ? requiredMount(request.params as z.output<typeof params>) : undefined
  addEndpoint(app, {
    method: 'POST',
    path: `${base}/invoke`,
    tag,
    permission: 'run_service',
    share: 'run',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    summary: `Runs ${which}. Responds with JSON, server-sent events or JSON lines, as Accept asks.`,
    params: mounted ? params : undefined,
    query,
    body: invokeBody,
    answer: resultAnswer,
    otherAnswers: { default: failedRun },
    onInvalidBody: ({ principal, request, reply }, problem) =>
      void leaveTrace(services, { principal, body: EMPTY_BODY, mount: mountOf(request), request, reply }, problem),
    handle: ({ principal, query: { mock }, body, request, reply }) =>
      runAndAnswer(services, { principal, body, mount: mountOf(request), mock, request, reply }),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${base}/inspect`,
    tag,
    permission: 'run_service',
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    summary: `Describes ${which}: its revision, and a request that would run it.`,
    params: mounted ? params : undefined,
    body: inspectBody.prefault({}),
    answer: inspected,
    otherAnswers: { default: notInspected },
    handle: ({ principal, body, request, reply }) =>
      inspect(services, { principal, body, mount: mountOf(request), reply }),
  })
}

function addPublicRoutes(app: FastifyInstance): void {
  const health = z.object({ status: z.literal('ok') })
  addPublicEndpoint(app, {
    method: 'GET',
    path: `${PREFIX}/health`,
    tag,
    summary: 'Reports that the services are up.',
    answer: health,
    handle: () => ({ status: 'ok' }),
  })
  addPublicEndpoint(app, {
    method: 'GET',
    path: `${PREFIX}/:key/:version/health`,
    tag,
    summary: 'Reports that the handler can be called.',
    params,
    answer: health,
    handle: ({ params }) => {
      requiredMount(params)
      return { status: 'ok' }
    },
  })
  addPublicEndpoint(app, {
    method: 'GET',
    path: `${PREFIX}/openapi.json`,
    tag,
    summary: 'Describes the dispatcher, and lists the addresses of the handlers.',
    handle: () => servicesDocument(HANDLERS.filter(one => one.isRunnable !== false)),
  })
  addPublicEndpoint(app, {
    method: 'GET',
    path: `${PREFIX}/:key/:version/openapi.json`,
    tag,
    summary: 'Describes how the handler is called.',
    params,
    handle: ({ params }) => mountDocument(requiredMount(params)),
  })
}

function requiredMount({ key, version }: z.output<typeof params>): Handler {
  const handler = mountedHandler(key, version)
  if (!handler) throw new Problem('not_found', `The handler at ${key}/${version} does not exist.`)
  return handler
}
