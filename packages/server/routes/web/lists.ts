import type { ProjectPrincipal } from '@spanhouse/access'
import { invalid, type Json, microsToIso, parseSpanId, parseTraceId, type Uuid } from '@spanhouse/model'
import {
  AMOUNTS,
  bucketMicros,
  COUNT_BUCKETS_MAX,
  type CountRow,
  compileCount,
  compileGroups,
  FACET_ROWS_MAX,
  FACET_VALUES_MAX,
  FACETS,
  GROUP_ORDERS,
  GROUPED_BY,
  GROUPS_MAX,
  type GroupQuery,
  type GroupRow,
  type ListRow,
  type PreviewRow,
  parseGroupMembers,
  parseRowMembers,
  ROW_ORDERS,
  readFocus,
  type SpanQuery,
  VALUE_CHARACTERS_MAX,
} from '@spanhouse/query'
import {
  type Engine,
  type Holder,
  readAggregates,
  readFacets,
  readPreviews,
  readRowPage,
  type ShownRow,
} from '@spanhouse/span-store'
import { json, list, optional, time, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { type ReadParts, readSpanQuery } from '../tracing/saved-queries.ts'
import {
  facetCounts,
  previewList,
  type Row,
  type RowCount,
  type RowGroups,
  rowCount,
  rowGroups,
  rowPage,
} from './answers.ts'
import { previewOf } from './preview.ts'

const tag = 'spans'
const permission = 'view_spans'
const common = { bodyBytesMax: QUERY_BODY_BYTES_MAX, method: 'POST', tag, permission } as const

/** Rows of one page. */
const ROWS_DEFAULT = 50
const ROWS_MAX = 1_000

const described = 'A query as in POST /spans/query, with `focus` (trace, which is the default, or span)'

/** The members of each body beside those of a query. */
const COUNT_MEMBERS = { buckets: optional(z.int().min(1).max(COUNT_BUCKETS_MAX)) }
const ROW_MEMBERS = ['order_by', 'after', 'attributes', 'previews']
const GROUP_MEMBERS = {
  by: optional(z.string()).meta({
    description: `One of ${GROUPED_BY.join(', ')}, or the path of an attribute. Without it all rows are one group.`,
  }),
  buckets: optional(z.int().min(1).max(COUNT_BUCKETS_MAX)).meta({
    description: 'Into how many parts the window is divided; each that has rows is a group. Not together with `by`.',
  }),
  amounts: optional(z.enum(AMOUNTS)).meta({
    description:
      'total (the default): of each row with everything below it. own: of all spans of the traces that match, or of the spans that match, each its own usage, so that every use is counted once.',
  }),
  order_by: optional(z.enum(GROUP_ORDERS)).meta({ description: 'The highest first; count by default.' }),
  values: optional(z.int().min(1).max(GROUPS_MAX)).meta({ description: 'How many groups; 100 by default.' }),
  count_min: optional(z.int().min(1)).meta({ description: 'Groups of fewer rows are left out.' }),
}
const FACET_MEMBERS = {
  facets: optional(list(z.enum(FACETS))),
  values: optional(z.int().min(1).max(FACET_VALUES_MAX)),
}

const countBody = optional(z.looseObject(COUNT_MEMBERS)).meta({
  description: `${described}, and \`buckets\`: into how many parts the window is divided.`,
})
const rowsBody = optional(json).meta({
  description: `${described}, \`order_by\` (${ROW_ORDERS.join(', ')}; the highest first), \`after\` of the previous page, \`attributes\`: paths of attributes that each row shows in addition, and \`previews\`: if false, rows come sooner, without \`inputs\`, \`outputs\` and \`attributes\` (see POST /spans/previews).`,
})
const previewsBody = z.object({
  spans: list(
    z.looseObject({
      trace_id: z.string(),
      span_id: z.string(),
      parent_id: optional(z.string()),
      start_time: time,
    }),
    { max: ROWS_MAX },
  ).meta({ description: `Up to ${ROWS_MAX} rows as POST /spans/rows returned them.` }),
  attributes: optional(json).meta({ description: 'Paths of attributes that are shown in addition.' }),
})
const groupsBody = optional(z.looseObject(GROUP_MEMBERS)).meta({ description: `${described}.` })
const facetsBody = optional(z.looseObject(FACET_MEMBERS)).meta({
  description: `${described}, the \`facets\` (${FACETS.join(', ')}) and how many \`values\` of each.`,
})

/** What a list of traces or spans shows: rows, how many there are, and values to choose from. */
export function listRoutes(parts: ReadParts): (app: FastifyInstance) => void {
  return app => {
    addRows(app, parts)
    addCounts(app, parts)
    addFacets(app, parts)
  }
}

/** The query in a body that may have `more` members; undefined if nothing can match. See {@link readSpanQuery}. */
const queryIn = (
  { registry }: ReadParts,
  { principal, body }: { principal: ProjectPrincipal; body: unknown },
  more: readonly string[],
): Promise<SpanQuery | undefined> =>
  readSpanQuery(registry, principal, { body: body as Json | undefined, focus: readFocus(body), more })

function addRows(app: FastifyInstance, parts: ReadParts): void {
  const { engine } = parts
  addEndpoint(app, {
    ...common,
    path: '/spans/rows',
    body: rowsBody,
    answer: rowPage,
    summary: 'Lists traces or spans with their totals and short previews instead of their content.',
    handle: async call => {
      const { principal, body, holder } = call
      const { order_by, after, attributes, previews } = parseRowMembers(body)
      const asked = await queryIn(parts, call, ROW_MEMBERS)
      if (!asked) return { count: 0, rows: [] }
      const query = withLimit(asked)
      const { project_id } = principal
      const page = await readRowPage(engine, { project_id, query, order_by, after }, holder)
      const said = previews ? await readPreviews(engine, { project_id, rows: page.rows, attributes }, holder) : []
      const byName = new Map(said.map(one => [one.trace_id + one.span_id, toPreview(one, attributes)]))
      const rows = page.rows.map(row => ({ ...toRow(row), ...byName.get(row.trace_id + row.span_id) }))
      return { ...page, count: rows.length, rows }
    },
  })
  addEndpoint(app, {
    ...common,
    path: '/spans/previews',
    body: previewsBody,
    answer: previewList,
    summary: 'Returns short previews of the inputs and outputs of rows of a list.',
    handle: async ({ principal: { project_id }, body, holder }) => {
      const { attributes } = parseRowMembers({ attributes: body.attributes })
      const rows = body.spans.map(toPlace)
      const found = await readPreviews(engine, { project_id, rows, attributes }, holder)
      return { count: found.length, previews: found.map(one => toPreview(one, attributes)) }
    },
  })
}

function addCounts(app: FastifyInstance, parts: ReadParts): void {
  const { engine } = parts
  addEndpoint(app, {
    ...common,
    path: '/spans/count',
    body: countBody,
    answer: rowCount,
    summary: 'Counts the traces or spans that match, exactly.',
    handle: async call => {
      const { principal, body, holder } = call
      const query = await queryIn(parts, call, Object.keys(COUNT_MEMBERS))
      if (!query) return { count: 0, errors: 0 }
      return countRows({ engine, project_id: principal.project_id, query, buckets: body?.buckets }, holder)
    },
  })
  addEndpoint(app, {
    ...common,
    path: '/spans/groups',
    body: groupsBody,
    answer: rowGroups,
    summary: 'Adds up traces or spans by a column, an attribute or time: counts, errors, durations, tokens and costs.',
    handle: async call => {
      const { principal, body, holder } = call
      const asked = { ...parseGroupMembers(body), buckets: body?.buckets }
      const query = await queryIn(parts, call, Object.keys(GROUP_MEMBERS))
      if (!query) return { count: 0, groups: [] }
      return readGroups({ engine, project_id: principal.project_id, ...asked, query }, holder)
    },
  })
}

function addFacets(app: FastifyInstance, parts: ReadParts): void {
  addEndpoint(app, {
    ...common,
    path: '/spans/facets',
    body: facetsBody,
    answer: facetCounts,
    summary: 'Counts the most frequent values of some fields among the newest traces or spans that match.',
    handle: async call => {
      const { principal, body, holder } = call
      const facets = [...new Set(body?.facets ?? FACETS)]
      const query = await queryIn(parts, call, Object.keys(FACET_MEMBERS))
      const empty = { count: 0, facets: [], rows_max: FACET_ROWS_MAX }
      if (!query || facets.length === 0) return empty
      const { project_id } = principal
      const asked = { project_id, query, among: FACET_ROWS_MAX, facets, limit: body?.values ?? 10 }
      const rows = await readFacets(parts.engine, asked, holder)
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

interface Counted {
  engine: Engine
  project_id: Uuid
  query: SpanQuery
  buckets: number | undefined
}

async function countRows({ engine, project_id, query, buckets }: Counted, holder: Holder): Promise<RowCount> {
  const startOf = buckets === undefined ? undefined : bucketStarts(query, buckets)
  const rows = await readAggregates<CountRow>(engine, compileCount(project_id, query, buckets), holder)
  const sum = (of: 'count' | 'errors'): number => rows.reduce((total, row) => total + row[of], 0)
  const totals = { count: sum('count'), errors: sum('errors') }
  if (buckets === undefined || !startOf) return totals
  return {
    ...totals,
    buckets: rows.map(({ bucket, count, errors }) => ({ start: startOf(bucket), count, errors })),
    bucket_ms: bucketMicros(query, buckets) / 1000,
  }
}

interface Grouped extends GroupQuery {
  engine: Engine
  project_id: Uuid
}

async function readGroups({ engine, project_id, ...asked }: Grouped, holder: Holder): Promise<RowGroups> {
  const { query, buckets } = asked
  const startOf = buckets === undefined ? undefined : bucketStarts(query, buckets)
  const rows = await readAggregates<GroupRow>(engine, compileGroups(project_id, asked), holder)
  const groups = rows
    .filter(({ count }) => count > 0)
    .map(row => ({
      value: row.value || undefined,
      start: startOf?.(row.bucket),
      count: row.count,
      errors: row.errors || undefined,
      tokens: row.tokens || undefined,
      costs: row.costs || undefined,
      p50: row.p50 || undefined,
      p95: row.p95 || undefined,
      first: microsToIso(row.first),
      last: microsToIso(row.last),
      ended: microsToIso(row.ended),
    }))
  return {
    count: groups.length,
    groups,
    ...(buckets !== undefined && { bucket_ms: bucketMicros(query, buckets) / 1000 }),
  }
}

/** When the parts of a window begin, in milliseconds. Throws `invalid` (400) for a window without its bounds. */
function bucketStarts(query: SpanQuery, buckets: number): (bucket: number) => number {
  const { oldest, newest } = query.windowing
  if (oldest === undefined || newest === undefined) throw invalid('buckets: the windowing needs `oldest` and `newest`')
  const micros = bucketMicros(query, buckets)
  return bucket => Math.round((oldest + bucket * micros) / 1000)
}

function withLimit(query: SpanQuery): SpanQuery {
  const limit = query.windowing.limit ?? ROWS_DEFAULT
  if (limit > ROWS_MAX) throw invalid(`limit: at most ${ROWS_MAX} rows per page`)
  return { ...query, windowing: { ...query.windowing, limit } }
}

/** Throws `invalid` (400) for what is not the place of a row. */
function toPlace(row: z.output<typeof previewsBody>['spans'][number], at: number): ShownRow {
  const [trace_id, span_id] = [parseTraceId(row.trace_id), parseSpanId(row.span_id)]
  if (!trace_id || !span_id) throw invalid(`spans.${at}: not a row of a list`)
  return { trace_id, span_id, time: row.start_time, parent_id: row.parent_id ?? '' }
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
  duration: row.duration,
  errors: row.errors || undefined,
  tokens: row.tokens || undefined,
  costs: row.costs || undefined,
  session_id: row.session_id || undefined,
  user_id: row.user_id || undefined,
})

const toPreview = ({ trace_id, span_id, inputs, outputs, own }: PreviewRow, attributes: readonly string[]) => ({
  trace_id,
  span_id,
  inputs: previewOf(inputs),
  outputs: previewOf(outputs),
  ...(own && { attributes: valuesOf(own, attributes) }),
})

const valuesOf = (values: readonly string[], paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    paths
      .map((path, at) => [path, (values[at] ?? '').slice(0, VALUE_CHARACTERS_MAX).toWellFormed()])
      .filter(([, value]) => value),
  )
