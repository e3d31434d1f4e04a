import { JsonList, type JsonObject } from '@spanhouse/model'
import { FOCUSES, FORMATS, parseAnalyticsQuery, SPEC_TYPES } from '@spanhouse/query'
import { type Engine, readAnalytics, readTotals } from '@spanhouse/span-store'
import { json, jsonObject, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { filterSchema, flatParameters, windowingProperties } from '../../http/query-body.ts'

const tag = 'analytics'
const permission = 'view_spans'

const query = z.strictObject({
  ...flatParameters,
  specs: optional(json).meta({ description: `A list of {type, path} as JSON text; types: ${SPEC_TYPES.join(' ')}.` }),
})
/** Flat, or nested as queries for spans have it. */
const body = optional(
  jsonObject.meta({
    type: 'object',
    description: 'Other members are rejected.',
    properties: {
      focus: { type: 'string', enum: [...FOCUSES] },
      format: { type: 'string', enum: [...FORMATS] },
      ...windowingProperties,
      filter: filterSchema,
      specs: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            type: { type: 'string', enum: [...SPEC_TYPES] },
            path: { type: 'string', description: 'A path in the attributes of the root span.' },
            bins: { type: 'integer', minimum: 1 },
            vmin: { type: 'number' },
            vmax: { type: 'number' },
            edge: { type: 'boolean' },
          },
        },
      },
      windowing: { type: 'object', properties: windowingProperties },
      filtering: filterSchema,
    },
    examples: [
      {
        oldest: '2026-02-01T00:00:00Z',
        interval: 60,
        specs: [{ type: 'numeric/continuous', path: 'attributes.ag.metrics.duration.cumulative' }],
      },
    ],
  }),
)

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

/** Statistics of trace attributes over time. */
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
        summary:
          'Computes statistics of trace attributes for each time bucket: percentiles, histograms and frequencies.',
        handle: async ({ principal, query, body, holder }) => {
          const asked = parseAnalyticsQuery(query as JsonObject, body)
          const { count, buckets } = await readAnalytics(
            engine,
            { project_id: principal.project_id, query: asked },
            holder,
          )
          return { count, buckets: new JsonList(buckets), ...asked.echo }
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
      summary: 'Counts traces or spans for each time bucket, with totals, and separately those with an exception.',
      handle: async ({ principal, query, body, holder }) => {
        const asked = parseAnalyticsQuery(query as JsonObject, body)
        const buckets = await readTotals(engine, { project_id: principal.project_id, query: asked }, holder)
        return { count: buckets.length, buckets }
      },
    })
  }
}
