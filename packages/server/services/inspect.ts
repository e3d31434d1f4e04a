import type { ProjectPrincipal } from '@spanhouse/access'
import { defined, isJsonObject, type JsonObject, Problem } from '@spanhouse/model'
import { type Handler, managedUri, RunError, type RuntimeSettings, statusOf } from '@spanhouse/runtime'
import type { FastifyReply } from 'fastify'
import { checkedSessionId, type InspectBody, nonEmpty, sentRevisionData } from './bodies.ts'
import { PROTOCOL_VERSION } from './envelope.ts'
import { revisionOf } from './prepare.ts'
import type { Services } from './run.ts'

export interface InspectCall {
  principal: ProjectPrincipal
  body: InspectBody
  mount: Handler | undefined
  reply: FastifyReply
}

/**
 * Describes what would run: the caller's revision, or the one that the references identify, merged over the handler's
 * own URI and schemas (contract of the runtime, section 8.9). What only a run needs is not checked.
 */
export async function inspect(services: Services, { principal, body, mount, reply }: InspectCall): Promise<unknown> {
  const { registry } = services
  try {
    checkedSessionId(body.session_id)
    const revision = nonEmpty(body.revision) ?? body.data?.revision
    const asked = { ...body, data: { revision, parameters: body.data?.parameters } }
    const { effective, handler } = await revisionOf({ registry, principal }, asked, mount)
    return described(handler, effective, { ...body, revision }, registry.runtime)
  } catch (error) {
    return refuseInspection(reply, error)
  }
}

function described(handler: Handler, effective: JsonObject, body: InspectBody, settings: RuntimeSettings): JsonObject {
  const { schemas } = handler
  const given = isJsonObject(effective.schemas) ? effective.schemas : {}
  const data: JsonObject = { uri: managedUri(handler, settings), ...effective }
  const merged = { ...schemas, ...given } as JsonObject
  if (Object.keys(merged).length > 0) data.schemas = merged
  const { parameters } = data
  const isRecord = body.revision !== undefined && sentRevisionData(body.revision) !== body.revision
  const revision: JsonObject = isRecord ? { ...body.revision, data } : { data }
  const { references, selector, flags, tags, meta, session_id } = body
  const labels = { references, selector, flags, tags, meta, session_id }
  const request = { version: PROTOCOL_VERSION, ...defined(labels), data: { revision, parameters } }
  return { version: PROTOCOL_VERSION, revision, request, ...defined({ meta }) } as unknown as JsonObject
}

/** Inspections have their own form of errors, except for missing permissions. */
function refuseInspection(reply: FastifyReply, error: unknown): FastifyReply {
  const isRefusal = error instanceof RunError || (error instanceof Problem && error.code !== 'internal')
  if (!isRefusal || (error instanceof Problem && error.code === 'forbidden')) throw error
  const { code, message } = statusOf(error)
  return reply.code(code).send({ details: code === 404 ? { message } : message })
}
