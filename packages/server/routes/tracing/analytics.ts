import type { JsonObject } from '@spanhouse/model'
import { FOCUSES, FORMATS, parseAnalyticsQuery, SPEC_TYPES } from '@spanhouse/query'
import { type Engine, readAnalytics, readTotals } from '@spanhouse/span-store'
import { json, jsonObject, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEndpoint } from '../../http/endpoint.ts'

const tag = 'analytics'
const permission = 'view_spans'

/** Checked by the parser of `query`, which takes the same members from the body; here they are only described. */
const query = z.looseObject({
  focus: optional(z.enum(FOCUSES)),
  format: optional(z.enum(FORMATS)),
  oldest: optional(json).meta({ description: 'ISO 8601 or a Unix time.' }),
  newest: optional(json).meta({ description: 'ISO 8601 or a Unix time.' }),
  interval: optional(json).meta({ description: 'Minutes of a bucket.' }),
  rate: optional(json).meta({ description: 'Share of the traces, 0 to 1.' }),
  filter: optional(json).meta({ description: 'A filter as JSON text.' }),
  specs: optional(json).meta({ description: `A list of {type, path} as JSON text; types: ${SPEC_TYPES.join(' ')}.` }),
})
const body = optional(jsonObject).meta({
  description: 'The members of the query string, `filter` and `specs` as JSON; or `windowing` and `filtering`.',
})

const head = { timestamp: z.string(), interval: z.int().meta({ description: 'Minutes.' }) }
const statistics = z.object({
  count: z.int(),
  buckets: z.array(z.object({ ...head, metrics: z.record(z.string(), z.looseObject({ type: z.string() })) })),
  query: z.looseObject({}),
  specs: z.array(z.looseObject({ type: z.enum(SPEC_TYPES), path: z.string() })),
})

const sum = z.number().optional()
const totals = z.object({ count: z.int(), duration: sum, costs: sum, tokens: sum })
const sums = z.object({ count: z.int(), buckets: z.array(z.object({ ...head, total: totals, errors: totals })) })

/** What attributes of traces amount to over time. */
export function analyticsRoutes(engine: Engine): (app: FastifyInstance) => void {
  return app => {
    for (const path of ['/spans/analytics/query', '/tracing/analytics/query'])
      addEndpoint(app, {
        bodyBytesMax: QUERY_BODY_BYTES_MAX,
        method: 'POST',
        path,
        tag,
        permission,
        query,
        body,
        answer: statistics,
        summary: 'Measures attributes of traces: percentiles, histograms and frequencies for each bucket of time.',
        handle: async ({ principal, query, body, holder }) => {
          const asked = parseAnalyticsQuery(query as JsonObject, body)
          const buckets = await readAnalytics(engine, { project_id: principal.project_id, query: asked }, holder)
          return { count: buckets.length, buckets, ...asked.echo }
        },
      })
    addEndpoint(app, {
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      method: 'POST',
      path: '/tracing/spans/analytics',
      tag,
      permission,
      query,
      body,
      answer: sums,
      summary: 'Sums up traces or spans, and those with an exception, for each bucket of time.',
      handle: async ({ principal, query, body, holder }) => {
        const asked = parseAnalyticsQuery(query as JsonObject, body)
        const buckets = await readTotals(engine, { project_id: principal.project_id, query: asked }, holder)
        return { count: buckets.length, buckets }
      },
    })
  }
}
