import { type Json, parseTraceId } from '@spanhouse/model'
import { optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { one } from '../../http/answer/envelopes.ts'
import { nextPage } from '../../http/answer/span-answers.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import {
  newInvocation,
  newSimpleTrace,
  type SimpleTraceEdit,
  type SoughtLinks,
  type SoughtSimpleTrace,
  simpleTraceEdit,
  simpleTraceQuery,
} from '../../simple-traces/bodies.ts'
import { type SimpleTraceParts, SimpleTraces } from '../../simple-traces/simple-traces.ts'
import { SURFACES, type Surface } from '../../simple-traces/surfaces.ts'
import { withArticle } from '../registry/bodies.ts'
import { requiredTraceId } from './trace-writes.ts'

const params = z.object({ trace_id: z.string() })
/** Such a trace has one span, so the span id is not needed; older clients send it. */
const query = z.object({ span_id: optional(z.string()) })
const simpleTrace = z.looseObject({ trace_id: z.string(), span_id: z.string() })

const KEY_LENGTH_MAX = 200
const idempotency_key = optional(z.string().min(1).max(KEY_LENGTH_MAX)).meta({
  description: 'Chosen by the client. Repeating the call with the same key creates nothing more.',
})

/** As in a sentence. */
const nounOf = ({ name, producer }: Surface): string => (producer ? withArticle(name) : 'a trace of one span')

/** Simple traces on all surfaces: `/simple/traces`, `/annotations`, `/invocations`. */
export function simpleTraceRoutes(parts: SimpleTraceParts): (app: FastifyInstance) => void {
  const simpleTraces = new SimpleTraces(parts)
  return app => {
    for (const surface of SURFACES) {
      addWrites(app, simpleTraces, surface)
      addReads(app, simpleTraces, surface)
    }
  }
}

function addWrites(app: FastifyInstance, simpleTraces: SimpleTraces, surface: Surface): void {
  const { path, name, edit: permission, linkName, createStatus: status, producer } = surface
  const tag = surface.plural
  const answer = z.object({ count: z.int(), [name]: optional(simpleTrace) })
  addEndpoint(app, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path,
    tag,
    permission,
    status,
    answer,
    summary: `Creates ${nounOf(surface)}${producer ? `; the ${producer} it refers to is created if it does not exist` : ''}.`,
    body: z.object({ [name]: surface.mayLackLinks ? newInvocation : newSimpleTrace, idempotency_key }),
    handle: async ({ principal, body }) => {
      const given = body[name] as z.output<typeof newInvocation>
      const key = body.idempotency_key as string | undefined
      return one(name, await simpleTraces.create(surface, principal, given, key))
    },
  })
  addEndpoint(app, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'PATCH',
    path: `${path}/:trace_id`,
    tag,
    permission,
    params,
    query,
    answer,
    summary: `Changes ${nounOf(surface)}: its data and any other members sent.`,
    body: z.object({ [name]: simpleTraceEdit }),
    handle: async ({ principal, params, body }) => {
      const trace_id = requiredTraceId(params.trace_id)
      return one(name, await simpleTraces.edit(surface, principal, trace_id, body[name] as SimpleTraceEdit))
    },
  })
  addEndpoint(app, {
    method: 'DELETE',
    path: `${path}/:trace_id`,
    change: 'traces.deleted',
    tag,
    permission,
    params,
    query,
    summary: `Deletes ${nounOf(surface)} permanently, with its whole trace.`,
    answer: z.object({ count: z.int(), [linkName]: optional(simpleTrace) }),
    handle: async ({ principal, params }) => {
      const trace_id = requiredTraceId(params.trace_id)
      const span_id = await simpleTraces.delete(surface, principal, trace_id)
      return one(linkName, span_id ? { trace_id, span_id } : undefined)
    },
  })
}

function addReads(app: FastifyInstance, simpleTraces: SimpleTraces, surface: Surface): void {
  const { path, name, plural, linksName, view: permission } = surface
  addEndpoint(app, {
    method: 'GET',
    path: `${path}/:trace_id`,
    tag: plural,
    permission,
    share: 'call',
    params,
    query,
    summary: `Returns ${nounOf(surface)}.`,
    answer: z.object({ count: z.int(), [name]: optional(simpleTrace) }),
    handle: async ({ principal, params }) => {
      const trace_id = parseTraceId(params.trace_id)
      return one(name, trace_id ? await simpleTraces.read(surface, principal, trace_id) : undefined)
    },
  })
  addEndpoint(app, {
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    method: 'POST',
    path: `${path}/query`,
    tag: plural,
    permission,
    share: 'read',
    summary: `Finds ${plural} by content, references and links, or by id.`,
    body: simpleTraceQuery(surface),
    answer: z.object({ count: z.int(), [plural]: z.array(simpleTrace), windowing: nextPage }),
    handle: async ({ principal, body, holder }) => {
      const asked = {
        trace: body[name] as SoughtSimpleTrace | undefined,
        links: body[linksName] as SoughtLinks | undefined,
        windowing: body.windowing as Json | undefined,
      }
      const { found, windowing } = await simpleTraces.query(surface, principal, asked, holder)
      return { count: found.length, [plural]: found, windowing }
    },
  })
}
