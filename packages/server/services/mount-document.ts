import type { Json, JsonObject } from '@spanhouse/model'
import { HANDLER_VERSION, type Handler } from '@spanhouse/runtime'
import { z } from '@spanhouse/validation'
import { inspectBody, invokeBody, resultAnswer } from './bodies.ts'
import { PROTOCOL_VERSION } from './envelope.ts'

/** The OpenAPI document of one handler's address, with its own schemas in the envelope. */
export function mountDocument({ key, schemas = {}, template }: Handler): JsonObject {
  const request = schemaOf(invokeBody)
  const { properties: data } = memberOf(request, 'data') as { properties: JsonObject }
  if (schemas.inputs !== undefined) data.inputs = schemas.inputs
  if (schemas.parameters !== undefined) data.parameters = schemas.parameters
  const answer = schemaOf(resultAnswer)
  if (schemas.outputs !== undefined) memberOf(answer, 'data').properties = { outputs: schemas.outputs }
  const title = template?.name ?? key
  return documentOf(title, template?.description ?? '', {
    '/invoke': operation('post', 'Runs it.', { request, answer }),
    '/inspect': operation('post', 'Describes it.', { request: schemaOf(inspectBody), answer: {} }),
    '/health': operation('get', `Reports that ${key}/${HANDLER_VERSION} can be called.`, { answer: {} }),
  })
}

/** The OpenAPI document of the dispatcher. */
export function servicesDocument(handlers: readonly Handler[]): JsonObject {
  const [request, answer] = [schemaOf(invokeBody), schemaOf(resultAnswer)]
  const mounts = handlers.map(({ key }) => `/${key}/${HANDLER_VERSION}`)
  return {
    ...documentOf('Services', `Runs revisions. The handlers are at ${mounts.join(', ')}.`, {
      '/invoke': operation('post', 'Runs the handler that the revision names.', { request, answer }),
      '/inspect': operation('post', 'Describes it.', { request: schemaOf(inspectBody), answer: {} }),
    }),
  }
}

const documentOf = (title: string, description: string, paths: JsonObject): JsonObject => ({
  openapi: '3.1.0',
  info: { title, description, version: PROTOCOL_VERSION },
  servers: [{ url: '.' }],
  components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
  security: [{ apiKey: [] }],
  paths,
})

function operation(method: string, summary: string, { request, answer }: { request?: Json; answer: Json }): JsonObject {
  const described: JsonObject = {
    summary,
    responses: { 200: { description: 'Done', content: { 'application/json': { schema: answer } } } },
  }
  if (request !== undefined) described.requestBody = { content: { 'application/json': { schema: request } } }
  return { [method]: described }
}

function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as unknown as JsonObject
}

/** A member of an object's schema, inside the choices that an optional one has. */
function memberOf({ properties }: JsonObject, name: string): JsonObject {
  const member = (properties as JsonObject)[name] as JsonObject
  const choices = member.anyOf as JsonObject[] | undefined
  return choices?.find(choice => choice.type === 'object') ?? member
}
