import { nextActivityWindowing, parseActivityQuery } from '@spanhouse/query'
import { type Engine, readActivity } from '@spanhouse/span-store'
import { jsonObject, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { nextPage } from '../../http/answer/span-answers.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { windowingProperties } from '../../http/query-body.ts'

const body = jsonObject.meta({
  properties: {
    realtime: { type: 'boolean', description: 'Whether to order by the latest activity instead of the first.' },
    windowing: { type: 'object', properties: windowingProperties },
  },
  examples: [{ realtime: true, windowing: { limit: 50 } }],
  description: '`realtime` (by last instead of first activity) and `windowing` (oldest, newest, limit, order, next).',
})

/** Sessions and users, ordered by activity. */
export function sessionRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    for (const family of ['/spans', '/tracing'])
      for (const actor of ['session', 'user'] as const)
        addEndpoint(app, {
          bodyBytesMax: QUERY_BODY_BYTES_MAX,
          method: 'POST',
          path: `${family}/${actor}s/query`,
          tag: 'sessions',
          permission: 'view_spans',
          body,
          summary: `Lists the ids of ${actor}s by their activity.`,
          answer: z.object({ count: z.int(), [`${actor}_ids`]: z.array(z.string()), windowing: nextPage }),
          handle: async ({ principal: { project_id }, body, holder }) => {
            const query = parseActivityQuery(body)
            const page = await readActivity(engine, { project_id, actor, query }, holder)
            const ids = page.map(({ id }) => id)
            return { count: ids.length, [`${actor}_ids`]: ids, windowing: nextActivityWindowing(query, page) }
          },
        })
  }
}
