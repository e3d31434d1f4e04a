import { invalid, type Uuid } from '@spanhouse/model'
import type { Aggregation } from '../aggregation.ts'
import { attributeText } from '../compile/place.ts'
import { BODY, type Location, malformed, oneOf, optional, readObject, readText } from '../filter/shape.ts'
import { aggregate, allOf, anyOf, count, dateTime, identifier, type Sql, sql } from '../sql.ts'
import { FACETS } from './facets.ts'
import { bucketIn, COUNT, fromQuery, WITH_ERRORS } from './rows.ts'
import type { SpanQuery } from './span-query.ts'
import { fromSpans, fromTraceHeads, SETTINGS } from './statements.ts'

/*
 * Sums and percentiles over the rows of a list, for each value of a column or an attribute, for each part of a window,
 * or over all of them: what dashboards and lists of sessions show.
 */

/** Attributes that say the same in several conventions: the first one that a span has counts. */
const MEANINGS = {
  model: ['ag.meta.response.model', 'ag.meta.request.model'],
  application: ['ag.references.application.slug', 'resource.service.name'],
  environment: [
    'ag.references.environment.slug',
    'resource.deployment.environment.name',
    'resource.deployment.environment',
  ],
} as const satisfies Record<string, readonly string[]>
export type Meaning = keyof typeof MEANINGS

/** What a request may group by, besides the path of an attribute, which has a dot. */
export const GROUPED_BY = [...FACETS, ...(Object.keys(MEANINGS) as Meaning[])] as const

/** Orders of groups, each with the highest value first. */
export const GROUP_ORDERS = ['count', 'errors', 'tokens', 'costs', 'p50', 'p95', 'last'] as const
export type GroupOrder = (typeof GROUP_ORDERS)[number]

const ORDERED_BY: Record<GroupOrder, Sql> = {
  count: sql`count`,
  errors: sql`errors`,
  tokens: sql`tokens`,
  costs: sql`costs`,
  p50: sql`p50`,
  p95: sql`p95`,
  last: sql`last`,
}

/** Which amounts are added up: those of each row with everything below it, or each span's own. */
export const AMOUNTS = ['total', 'own'] as const
export type Amounts = (typeof AMOUNTS)[number]

/** Groups in one response. */
export const GROUPS_MAX = 1_000
const GROUPS_DEFAULT = 100

export interface GroupQuery {
  readonly query: SpanQuery
  /** One of {@link GROUPED_BY} or the path of an attribute; undefined: all rows are one group. */
  readonly by?: string
  /** Into how many parts the window is divided, which are the groups then. */
  readonly buckets?: number
  readonly amounts: Amounts
  readonly order_by: GroupOrder
  readonly values: number
  /** Groups of fewer rows are left out. */
  readonly count_min: number
}

/** Reads `by` of a request; throws `unprocessable` (422), naming what is known. */
function readGroupedBy(value: unknown, loc: Location): string {
  const by = readText(value, loc)
  if (by.length <= PATH_LENGTH_MAX && (by.includes('.') || GROUPED_BY.some(known => known === by))) return by
  throw malformed(
    ['value_error', `Input should be the path of an attribute, or one of ${GROUPED_BY.join(', ')}`],
    loc,
    value,
  )
}

const PATH_LENGTH_MAX = 500

/** Reads the members of a request for groups that a query for spans does not have. */
export function parseGroupMembers(body: unknown): Omit<GroupQuery, 'query' | 'buckets'> {
  const members = optional(body, BODY, readObject) ?? {}
  const by = optional(members.by, [...BODY, 'by'], readGroupedBy)
  const { values = GROUPS_DEFAULT, count_min = 1 } = members as { values?: number; count_min?: number }
  if (by !== undefined && members.buckets !== undefined)
    throw invalid('buckets: a request has either `by` or `buckets`')
  return {
    ...(by !== undefined && { by }),
    amounts: optional(members.amounts, [...BODY, 'amounts'], oneOf(AMOUNTS)) ?? 'total',
    order_by: optional(members.order_by, [...BODY, 'order_by'], oneOf(GROUP_ORDERS)) ?? 'count',
    values,
    count_min,
  }
}

/** Rows of {@link GroupRow}: parts of a window in the order of time, other groups in the order asked for. */
export function compileGroups(project_id: Uuid, asked: GroupQuery): Aggregation {
  const { query, by, buckets, amounts, order_by, values, count_min } = asked
  const { value, condition } = groupOf(by)
  const bucket = buckets === undefined ? sql`toInt64(0)` : bucketIn(query, buckets)
  const { tokens, costs } = SUMMED[amounts]
  const rows = amounts === 'own' ? fromOwn(project_id, query, condition) : fromQuery(project_id, query, condition)
  const order = buckets === undefined ? sql`${ORDERED_BY[order_by]} DESC, value` : sql`bucket`
  const limit = count(buckets ?? values)
  const durations = sql`duration_cumulative, duration_cumulative > 0`
  return {
    keys: [
      { name: sql`value`, value },
      { name: sql`bucket`, value: bucket },
    ],
    columns: sql`${COUNT} AS count, ${WITH_ERRORS} AS errors,
  toFloat64(${aggregate(sql`sum`, tokens)}) AS tokens, toFloat64(${aggregate(sql`sum`, costs)}) AS costs,
  arrayMap(one -> toFloat64(one), ${aggregate(sql`quantilesExactIf`, durations, sql`(0.5, 0.95)`)}) AS durations,
  durations[1] AS p50, durations[2] AS p95,
  toUnixTimestamp64Micro(${aggregate(sql`min`, sql`start_time`)}) AS first, toUnixTimestamp64Micro(${aggregate(sql`max`, sql`start_time`)}) AS last,
  ${aggregate(sql`max`, END)} AS ended
 `,
    rows,
    order: sql`HAVING count >= ${count(count_min)} ORDER BY ${order} LIMIT ${limit}`,
    settings: SETTINGS,
  }
}

/** Of a row, in microseconds: durations are milliseconds with three digits. */
const END = sql`toUnixTimestamp64Micro(start_time) + reinterpret(duration_cumulative, 'Int64')`

/** A row of {@link compileGroups}. Zero and an empty text: none. */
export interface GroupRow {
  /** Empty: the rows have no value. */
  readonly value: string
  /** The number of the part of the window. */
  readonly bucket: number
  readonly count: number
  /** Of the rows, how many failed, or have an exception in them or below them. */
  readonly errors: number
  readonly tokens: number
  /** USD. */
  readonly costs: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  /** Start of the first and of the last row, in microseconds. */
  readonly first: number
  readonly last: number
  /** The end of the row that ends last, in microseconds. */
  readonly ended: number
}

/** A span that says again what its children say does not use it twice. */
const SUMMED: Record<Amounts, { tokens: Sql; costs: Sql }> = {
  total: { tokens: sql`tokens_cumulative_total`, costs: sql`costs_cumulative_total` },
  own: {
    tokens: sql`if(restated IN ('tokens', 'tokens and costs'), 0, tokens_incremental_total)`,
    costs: sql`if(restated IN ('costs', 'tokens and costs'), 0, costs_incremental_total)`,
  },
}

/** Spans that have a model say which of these they are, or what they used. */
const USES_MODEL = anyOf([
  sql`tokens_incremental_total != 0`,
  sql`costs_incremental_total != 0`,
  sql`span_type IN ('llm', 'completion', 'chat', 'embedding', 'rerank')`,
])

function groupOf(by: string | undefined): { value: Sql; condition: readonly Sql[] } {
  if (by === undefined) return { value: sql`''`, condition: [] }
  if (isMeaning(by))
    return { value: firstOf(MEANINGS[by].map(attributeText)), condition: by === 'model' ? [USES_MODEL] : [] }
  if (by.includes('.')) return { value: attributeText(by), condition: [] }
  return { value: sql`toString(${identifier(by)})`, condition: [] }
}

const isMeaning = (by: string): by is Meaning => Object.hasOwn(MEANINGS, by)

const firstOf = (texts: readonly Sql[]): Sql =>
  texts.reduceRight((rest, one) => sql`if(${one} != '', ${one}, ${rest})`, sql`''`)

/**
 * The spans themselves. Of traces all of their spans: those that begin in the window's first day are looked for from a
 * day before, because clocks differ.
 */
function fromOwn(project_id: Uuid, query: SpanQuery, condition: readonly Sql[]): Sql {
  if (query.focus === 'span') return fromQuery(project_id, query, condition)
  const { oldest } = query.windowing
  const bounds = oldest === undefined ? [] : [sql`start_time >= ${dateTime(oldest - DAY)}`]
  const heads = fromTraceHeads({ project_id, query: query as SpanQuery<'trace'> })
  return fromSpans(project_id, [...bounds, allOf([sql`trace_id IN (SELECT trace_id ${heads})`, ...condition])])
}

const DAY = 86_400_000_000
