import { defined, type Json, type JsonObject, parseUuid } from '@spanhouse/model'
import { HANDLER_VERSION, type Invocation, type RunResult } from '@spanhouse/runtime'
import { json, jsonList, jsonObject, looseVersion, optional, slug, uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { CONTENT_BODY_BYTES_MAX } from '../budget/limits.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { failedRun, type InvokeBody, invokeBody } from './bodies.ts'
import { mountedHandler } from './prepare.ts'
import { runAndAnswer, type Services } from './run.ts'

const KEYS = ['chat', 'completion']
const OPERATIONS = ['run', 'generate', 'generate_deployed', 'test']

/** References to the configuration, in the body or in the query string. */
const named = {
  app: optional(slug),
  app_slug: optional(slug),
  application_slug: optional(slug),
  app_id: optional(uuid),
  application_id: optional(uuid),
  variant_slug: optional(slug),
  variant_id: optional(uuid),
  variant_version: optional(looseVersion),
  environment: optional(slug),
  environment_slug: optional(slug),
  environment_id: optional(uuid),
  environment_version: optional(looseVersion),
  key: optional(z.string()),
}
const query = z.object({ ...named, mock: optional(z.string()) })
const body = z.object({
  ...named,
  inputs: optional(jsonObject),
  messages: optional(jsonList),
  ag_config: optional(jsonObject),
})
type Named = Omit<z.output<typeof query>, 'mock'>

/** The addresses of older clients (contract of the runtime, section 8.10). */
export function legacyRoutes(app: FastifyInstance, services: Services): void {
  for (const key of KEYS)
    for (const operation of OPERATIONS)
      addEndpoint(app, {
        method: 'POST',
        path: `/services/${key}/${operation}`,
        tag: 'services',
        permission: 'run_service',
        share: 'run',
        bodyBytesMax: CONTENT_BODY_BYTES_MAX,
        deprecated: true,
        summary: 'Runs a handler in the form of older clients; use its invoke instead.',
        query,
        body,
        answer: z.object({ version: z.string(), data: json, content_type: z.string(), trace_id: z.string() }),
        otherAnswers: { default: failedRun },
        handle: ({ principal, query, body, request, reply }) =>
          runAndAnswer(services, {
            principal,
            body: toInvokeBody(body, { ...query, ...defined(body) }),
            mount: mountedHandler(key, HANDLER_VERSION),
            mock: query.mock,
            request,
            reply,
            bodyOf: legacyBody,
          }),
      })
}

function toInvokeBody({ inputs, messages, ag_config }: z.output<typeof body>, asked: Named): InvokeBody {
  const application = {
    slug: asked.app ?? asked.app_slug ?? asked.application_slug,
    id: asked.app_id ?? asked.application_id,
  }
  const environment = { slug: asked.environment ?? asked.environment_slug, id: asked.environment_id }
  const references = {
    application,
    application_variant: { slug: asked.variant_slug, id: asked.variant_id },
    application_revision: { version: asked.variant_version },
    environment,
    environment_revision: { version: asked.environment_version },
  }
  const given = Object.entries(references).filter(([, one]) => Object.values(one).some(value => value !== undefined))
  return invokeBody.parse({
    references: Object.fromEntries(given),
    selector: { key: asked.key },
    // These addresses never respond with a stream.
    flags: { stream: false },
    data: { inputs, messages, parameters: ag_config },
  })
}

function legacyBody({ outputs = null }: RunResult, { trace_id, span_id }: Invocation): JsonObject {
  const content_type = typeof outputs === 'string' ? 'text/plain' : 'application/json'
  const data: Json = outputs
  return { version: '3.0', data, content_type, tree: null, tree_id: parseUuid(trace_id), trace_id, span_id }
}
