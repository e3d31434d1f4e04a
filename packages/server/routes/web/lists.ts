import { invalid, type Json, microsToIso } from '@spanhouse/model'
import {
  bucketMicros,
  COUNT_BUCKETS_MAX,
  type CountRow,
  compileCount,
  compileFacets,
  FACET_ROWS_MAX,
  FACET_VALUES_MAX,
  FACETS,
  type ListRow,
  parseRowOrder,
  printSql,
  ROW_ORDERS,
  readFocus,
  type SpanQuery,
} from '@spanhouse/query'
import { type Engine, type Holder, readRowPage } from '@spanhouse/span-store'
import { json, list, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { type ReadParts, readSpanQuery } from '../tracing/saved-queries.ts'
import { facetCounts, type Row, type RowCount, rowCount, rowPage } from './answers.ts'
import { previewOf } from './preview.ts'

const tag = 'spans'
const permission = 'view_spans'
const common = { bodyBytesMax: QUERY_BODY_BYTES_MAX, method: 'POST', tag, permission } as const

/** Rows of one page. */
const ROWS_DEFAULT = 50
const ROWS_MAX = 1_000

const described = 'A query as of POST /spans/query, with `focus` (trace, which is the default, or span)'
const countBody = optional(z.looseObject({ buckets: optional(z.int().min(1).max(COUNT_BUCKETS_MAX)) })).meta({
  description: `${described}, and \`buckets\`: into how many parts the window is divided.`,
})
const rowsBody = optional(json).meta({
  description: `${described}, \`order_by\` (${ROW_ORDERS.join(', ')}; the highest first) and \`after\` of the previous page.`,
})
const facetsBody = optional(
  z.looseObject({
    facets: optional(list(z.enum(FACETS))),
    values: optional(z.int().min(1).max(FACET_VALUES_MAX)),
  }),
).meta({ description: `${described}, the \`facets\` (${FACETS.join(', ')}) and how many \`values\` of each.` })

/** What a list of traces or spans shows: rows, how many there are, and values to choose from. */
export function listRoutes({ engine, registry }: ReadParts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      ...common,
      path: '/spans/rows',
      body: rowsBody,
      answer: rowPage,
      summary: 'Lists traces or spans with their totals and short previews, without their content.',
      handle: async ({ principal, body, holder }) => {
        const { order_by, after } = parseRowOrder(body)
        const asked = await readSpanQuery(registry, principal, {
          body,
          focus: readFocus(body),
          more: ['order_by', 'after'],
        })
        if (!asked) return { count: 0, rows: [] }
        const query = withLimit(asked)
        const page = await readRowPage(engine, { project_id: principal.project_id, query, order_by, after }, holder)
        return { ...page, count: page.rows.length, rows: page.rows.map(toRow) }
      },
    })
    addEndpoint(app, {
      ...common,
      path: '/spans/count',
      body: countBody,
      answer: rowCount,
      summary: 'Counts the traces or spans that match, exactly.',
      handle: async ({ principal, body, holder }) => {
        const query = await readSpanQuery(registry, principal, {
          body: body as Json,
          focus: readFocus(body),
          more: ['buckets'],
        })
        if (!query) return { count: 0, errors: 0 }
        return countRows({ engine, project_id: principal.project_id, query, buckets: body?.buckets }, holder)
      },
    })
    addEndpoint(app, {
      ...common,
      path: '/spans/facets',
      body: facetsBody,
      answer: facetCounts,
      summary: 'Counts the most frequent values of some fields among the newest traces or spans that match.',
      handle: async ({ principal, body, holder }) => {
        const facets = [...new Set(body?.facets ?? FACETS)]
        const query = await readSpanQuery(registry, principal, {
          body: body as Json,
          focus: readFocus(body),
          more: ['facets', 'values'],
        })
        const empty = { count: 0, facets: [], rows_max: FACET_ROWS_MAX }
        if (!query || facets.length === 0) return empty
        const statement = compileFacets(principal.project_id, query, { facets, limit: body?.values ?? 10 })
        const rows = await engine.rows<{ facet: string; value: string; count: number }>(printSql(statement), holder)
        const byFacet = Map.groupBy(rows, ({ facet }) => facet)
        return {
          ...empty,
          count: facets.length,
          facets: facets.map(field => ({
            field,
            values: (byFacet.get(field) ?? []).map(({ value, count }) => ({ value, count })),
          })),
        }
      },
    })
  }
}

interface Counted {
  engine: Engine
  project_id: string
  query: SpanQuery
  buckets: number | undefined
}

async function countRows({ engine, project_id, query, buckets }: Counted, holder: Holder): Promise<RowCount> {
  const { oldest, newest } = query.windowing
  if (buckets !== undefined && (oldest === undefined || newest === undefined))
    throw invalid('buckets: the windowing needs `oldest` and `newest`')
  const rows = await engine.rows<CountRow>(printSql(compileCount(project_id, query, buckets)), holder)
  const sum = (of: 'count' | 'errors'): number => rows.reduce((total, row) => total + row[of], 0)
  const totals = { count: sum('count'), errors: sum('errors') }
  if (buckets === undefined) return totals
  const micros = bucketMicros(query, buckets)
  const startOf = (bucket: number): number => Math.round(((oldest ?? 0) + bucket * micros) / 1000)
  return {
    ...totals,
    buckets: rows.map(({ bucket, count, errors }) => ({ start: startOf(bucket), count, errors })),
    bucket_ms: micros / 1000,
  }
}

function withLimit(query: SpanQuery): SpanQuery {
  const limit = query.windowing.limit ?? ROWS_DEFAULT
  if (limit > ROWS_MAX) throw invalid(`limit: at most ${ROWS_MAX} rows per page`)
  return { ...query, windowing: { ...query.windowing, limit } }
}

const toRow = (row: ListRow): Row => ({
  trace_id: row.trace_id,
  span_id: row.span_id,
  parent_id: row.parent_id || undefined,
  span_name: row.span_name,
  span_type: row.span_type,
  trace_type: row.trace_type,
  status_code: row.status_code,
  status_message: row.status_message || undefined,
  start_time: microsToIso(row.time),
  duration: row.duration || undefined,
  errors: row.errors || undefined,
  tokens: row.tokens || undefined,
  costs: row.costs || undefined,
  session_id: row.session_id || undefined,
  user_id: row.user_id || undefined,
  inputs: previewOf(row.inputs),
  outputs: previewOf(row.outputs),
})
