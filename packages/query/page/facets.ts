import type { Micros, Uuid } from '@spanhouse/model'
import type { Aggregation } from '../aggregation.ts'
import { aggregate, count, dateTime, identifier, int, join, type Sql, sql, text } from '../sql.ts'
import { COUNT, fromQuery } from './rows.ts'
import type { SpanQuery } from './span-query.ts'
import { SETTINGS } from './statements.ts'

/* The most frequent values of some columns of a list. */

/** The columns whose values can be counted. */
export const FACETS = [
  'span_type',
  'trace_type',
  'span_name',
  'status_code',
  'user_id',
  'session_id',
  'agent_id',
] as const
export type Facet = (typeof FACETS)[number]

/** Facets are counted among this many of the newest rows: enough to choose by, and no list waits for them. */
export const FACET_ROWS_MAX = 200_000
/** Values of one facet in a response. */
export const FACET_VALUES_MAX = 50

/** Which values are counted. */
export interface FacetQuery {
  readonly project_id: Uuid
  readonly query: SpanQuery
  /** Among how many of the newest rows: {@link FACET_ROWS_MAX}. */
  readonly among: number
  readonly facets: readonly Facet[]
  /** Values of each. */
  readonly limit: number
}

/** A row of {@link compileFacets}. */
export interface FacetRow {
  readonly facet: Facet
  readonly value: string
  readonly count: number
}

/** The engine would read the few rows of a user in the order of the key, one granule after the other. */
const FACET_SETTINGS = sql`${SETTINGS}, optimize_read_in_order = 0`

/** The most frequent values of each facet among the newest rows, of these only those that begin at `since` or later. */
export function compileFacets({ facets, limit, ...asked }: FacetQuery, since?: Micros): Aggregation {
  const values = join(facets.map(facet => sql`(${text(facet)}, toString(${identifier(facet)}))`))
  const newest = newestOf(asked, join(facets.map(identifier)), since)
  return {
    keys: [
      { name: sql`facet`, value: sql`pair.1` },
      { name: sql`value`, value: sql`pair.2` },
    ],
    columns: sql`${COUNT} AS count`,
    rows: sql`FROM (${newest}) ARRAY JOIN [${values}] AS pair WHERE value != ''`,
    order: sql`ORDER BY count DESC, value LIMIT ${count(limit)} BY facet`,
    settings: FACET_SETTINGS,
  }
}

/** When the last of the newest rows begins, among which facets are counted: one row of `since`; 0 if all rows are. */
export function compileFacetsSince(asked: NewestOf): Aggregation {
  // Integers are sorted by radix, other types by comparisons.
  const times = aggregate(sql`groupArray`, sql`toUnixTimestamp64Micro(start_time)`)
  return {
    keys: [{ name: sql`everything`, value: sql`0` }],
    columns: sql`arraySort(${times})[${int(-asked.among)}] AS since`,
    rows: sql`FROM (${newestOf(asked, sql`start_time`)})`,
    order: sql``,
    settings: FACET_SETTINGS,
  }
}

type NewestOf = Omit<FacetQuery, 'facets' | 'limit'>

function newestOf({ project_id, query, among }: NewestOf, columns: Sql, since?: Micros): Sql {
  const bound = since === undefined ? [] : [sql`start_time >= ${dateTime(since)}`]
  const rows = fromQuery(project_id, query, bound)
  return sql`SELECT ${columns} ${rows} ORDER BY start_time DESC LIMIT ${count(among)}`
}
