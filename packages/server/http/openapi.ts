import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { json, z } from '@spanhouse/validation'
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import { type FormLimits, formBytesMax } from './body/form.ts'
import { exampleOf, type JsonSchema } from './example.ts'
import { operationIdOf } from './operation-id.ts'

interface Described {
  tag: string
  summary: string
  method: string
  path: string
  deprecated?: boolean
  hidden?: boolean
  status?: number
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  bodyBytesMax?: number
  form?: FormLimits
  answer?: z.ZodType
  answerTypes?: readonly string[]
  otherAnswers?: Readonly<Record<string, z.ZodType>>
}

/** The responses of every operation to requests that it does not serve. */
export const problemAnswer = z
  .object({
    detail: json.meta({
      description: 'A string; for a 401 an object with a `message`; for a 422 a list of violations.',
      type: ['string', 'object', 'array'],
    }),
  })
  .meta({ description: 'The request was rejected (4XX) or cannot be served now (5XX); `detail` gives the reason.' })

/**
 * Collects the routes that are added after it into an OpenAPI document: `/openapi.json`, browsable at `/docs`. It is
 * made when somebody first asks for it. Routes have no schemas of fastify: `endpoint.ts` validates.
 */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    transformObject: document => ('openapiObject' in document ? withOptionalBodies(document.openapiObject) : {}),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Spanhouse',
        description: 'Versioned applications and evaluators, their traces, and queries over them.',
        version: '0.1.0',
        license: { name: 'Apache-2.0' },
      },
      servers: [{ url: '/api' }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description:
              '`ApiKey KEY` with a key of the project; under `/admin`, `Access KEY` with the administrator’s key',
          },
        },
      },
      security: [{ apiKey: [] }],
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs', indexPrefix: '/api', uiConfig: { docExpansion: 'none' } })
  app.get('/openapi.json', () => app.swagger())
}

/** Says of an operation in the route's schema that it takes no body, too. */
const OPTIONAL_BODY = 'x-body-optional'

/** The plugin makes every body required; those that may be absent are marked, which the document does not show. */
function withOptionalBodies<D extends { paths?: object }>(document: D): D {
  for (const path of Object.values(document.paths ?? {}))
    for (const operation of Object.values(path as Record<string, Operation>)) {
      if (operation[OPTIONAL_BODY] && operation.requestBody) operation.requestBody.required = false
      delete operation[OPTIONAL_BODY]
    }
  return document
}

interface Operation {
  requestBody?: { required?: boolean }
  [OPTIONAL_BODY]?: boolean
}

/** The configuration of an endpoint's route: how the document describes it, computed when the document is made. */
export const describedAs = (endpoint: Described): FastifyContextConfig => ({
  swaggerTransform: ({ url }: { url: string }) => ({ url, schema: operationSchema(endpoint) }),
})

/** An endpoint as fastify's route schema, from which the document is generated. */
function operationSchema(endpoint: Described): FastifySchema {
  if (endpoint.hidden) return { hide: true } as FastifySchema
  const { tag, summary, method, path, deprecated = false, params, query, body, form } = endpoint
  const { bodyBytesMax = 0 } = endpoint
  return {
    tags: [tag],
    summary,
    operationId: operationIdOf(method, path),
    deprecated,
    ...(params && { params: toSchema(params) }),
    ...(query && { querystring: toSchema(query) }),
    ...(form && { consumes: ['multipart/form-data'] }),
    ...(body && { body: withExample(toSchema(body)), 'x-body-bytes-max': form ? formBytesMax(form) : bodyBytesMax }),
    ...(body?.safeParse(undefined).success && { [OPTIONAL_BODY]: true }),
    response: responsesOf(endpoint),
  } as FastifySchema
}

const JSON_TYPE = 'application/json'

function responsesOf({ answer, answerTypes = [JSON_TYPE], otherAnswers, status = 200 }: Described): object {
  const others = { default: problemAnswer, ...otherAnswers }
  return {
    [status]: status === 204 ? NO_CONTENT : { description: 'Done', content: contentOf(answerTypes, answer) },
    ...Object.fromEntries(Object.entries(others).map(([other, schema]) => [other, toSchema(schema)])),
  }
}

/** As the plugin describes a response without a body. */
const NO_CONTENT = { type: 'null', description: 'Done' }

const contentOf = (types: readonly string[], answer: z.ZodType | undefined): object =>
  Object.fromEntries(types.map(type => [type, { schema: schemaIn(type, answer) }]))

function schemaIn(type: string, answer: z.ZodType | undefined): object {
  if (type !== JSON_TYPE) return { type: 'string' }
  return answer ? toSchema(answer) : { description: 'Done' }
}

const withExample = (schema: object): object => ({ ...schema, examples: [exampleOf(schema as JsonSchema)] })

function toSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    cycles: 'throw',
  })
  return rest
}
