import { parseSpanQuery } from '@spanhouse/query'
import type { Engine } from '@spanhouse/span-store'
import { optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { sendEvents } from '../../http/answer/server-sent-events.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { scopeParameters } from '../../http/query-body.ts'
import { Tail } from '../../tail/tail.ts'

/**
 * Spans as they are stored, as server-sent events: `span` with the span in the usual shape; comments report dropped
 * spans.
 */
export function tailRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    const tail = new Tail(engine)
    app.addHook('preClose', async () => tail.close())
    addEndpoint(app, {
      method: 'GET',
      path: '/spans/tail',
      tag: 'spans',
      permission: 'view_spans',
      share: 'listen',
      answerTypes: ['text/event-stream'],
      summary: 'Streams spans as they are stored, as server-sent events, until the connection is closed.',
      query: z.strictObject({
        filter: optional(z.string()).meta({ description: 'A filter as JSON text.' }),
        filtering: optional(z.string()).meta({ description: 'The same as `filter`.' }),
        ...scopeParameters,
      }),
      handle: call => {
        const { principal, query, request } = call
        const given = { filter: query.filter ?? null, filtering: query.filtering ?? null }
        const { filter } = parseSpanQuery(given, 'span', ['query'])
        const listener = tail.listen(principal.project_id, filter, request.log)
        return sendEvents(call, listener.events)
      },
    })
  }
}
