import type { Micros, SpanId, TraceId, Uuid } from '@spanhouse/model'
import { SHOWN_COLUMNS } from '../columns.ts'
import { compileFilters } from '../compile/compile-filter.ts'
import type { Filter } from '../filter/filter.ts'
import { splitFilter } from '../filter/trace-level.ts'
import { compileSearchHints, hasTerms, isOfAllRoots, isOfFew, isOfRoots, isOfText } from '../hints/search-hints.ts'
import {
  allOf,
  anyOf,
  count,
  identifier,
  join,
  PAGE_COST_MAX,
  type Sql,
  sql,
  text,
  texts,
  uuid,
  withinCost,
} from '../sql.ts'
import { compileBounds, compileDirection, compileOrder } from './bounds.ts'
import type { SpanQuery } from './span-query.ts'
import { pageLimit } from './windowing.ts'

/*
 * The statements that find spans and traces, and the FROM and WHERE of those that add spans up. Each reads one project.
 *
 * Columns are given by the reader and may have aliases that are names of columns; conditions and orders always refer to
 * the columns. A statement that reads the table several times sees the same rows each time. The engine's own filter for
 * the first rows of an order is off: it replaces PREWHERE, and the columns of every row are read before any condition
 * is tested (a rare word in 100,000 outputs of 5 KB: 420 ms of processor time instead of 70). Conditions are tested on
 * up to 16 MB of columns at once, instead of one: the regular expressions of a search are compiled anew for each such
 * block that has a candidate, which takes 2 ms (a rare word in a million chats: 540 ms of processor time instead of
 * 770).
 */
export const SETTINGS = sql`SETTINGS prefer_column_name_to_alias = 1, enable_shared_storage_snapshot_in_query = 1, use_top_k_dynamic_filtering = 0, preferred_block_size_bytes = 16000000`

/**
 * For statements in which indexes select the granules: reads only as far as the page needs. By default the engine reads
 * ahead while it sorts, up to the last granule that may have a term, and in blocks of 64.
 */
const HINTED_SETTINGS = sql`${SETTINGS}, read_in_order_use_buffering = 0, max_block_size = 16384`

/**
 * Evaluates the index once for each part before anything is read, instead of granule by granule as threads reach them:
 * a fifth of the processor time less where many granules are tested. What is found early needs few of them, and the
 * index of all spans is large, so searches for an attribute of any span do without.
 */
export const INDEX_FIRST = sql`, use_skip_indexes_on_data_read = 0`

const hintedSettings = (filter: Filter | undefined): Sql =>
  isOfRoots(filter) || isOfFew(filter) || isOfText(filter) ? sql`${HINTED_SETTINGS}${INDEX_FIRST}` : HINTED_SETTINGS

/**
 * Settings that every statement needs: large filters exceed the engine's defaults for the size of a query. A filter
 * occurs in a statement up to five times with all its values; a list of 100,000 ids is 2 MB each time. `printSql`
 * bounds the cost of a statement before it runs.
 */
export const STATEMENT_SETTINGS = {
  max_query_size: '268435456',
  max_ast_elements: '100000',
  max_expanded_ast_elements: '200000',
} as const

const matching = (project_id: Uuid, conditions: readonly Sql[]): Sql =>
  join([sql`project_id = ${uuid(project_id)}`, ...conditions], sql` AND `)

/** The spans of a project that satisfy all conditions, as the FROM and WHERE of a statement. */
export const fromSpans = (project_id: Uuid, conditions: readonly Sql[] = []): Sql =>
  sql`FROM spans WHERE ${matching(project_id, conditions)}`

/** The same for few rows of many columns: other columns are read only for granules in which the conditions hold. */
const fromFewSpans = (project_id: Uuid, conditions: readonly Sql[]): Sql =>
  sql`FROM spans PREWHERE ${matching(project_id, conditions)}`

/** The root spans that stand for traces, one for each, that satisfy a condition. */
export const fromRoots = (project_id: Uuid, condition: Sql): Sql =>
  fromFewSpans(project_id, [sql`is_root`, sql`is_trace_head`, condition])

/**
 * The spans that also satisfy filters; `hints` are index conditions implied by these. The engine evaluates all
 * conditions of a WHERE in one step, which would parse the attributes of a whole granule for one span in it that has a
 * term. So the hints come first, on their own (at two million spans, by one of 10,000 values: 19 ms of processor time
 * instead of 28).
 */
const fromHinted = (
  project_id: Uuid,
  conditions: readonly Sql[],
  hints: readonly Sql[],
  filters: readonly Sql[],
): Sql =>
  hints.length === 0
    ? fromSpans(project_id, [...conditions, ...filters])
    : sql`${fromFewSpans(project_id, [...conditions, ...hints])} WHERE ${allOf(filters)}`

/**
 * All spans that satisfy a filter and other conditions, for what adds them up. A text that may be in several columns is
 * not looked up by an index: a span would be found in each.
 */
export function fromMatching(project_id: Uuid, filter: Filter | undefined, conditions: readonly Sql[]): Sql {
  const [hints = [], ...otherWays] = compileSearchHints(filter)
  return fromHinted(project_id, conditions, otherWays.length > 0 ? [] : hints, filtersOf(filter))
}

export interface ColumnsOf {
  readonly project_id: Uuid
  /** What to read of each span: expressions, optionally with aliases. */
  readonly columns: readonly Sql[]
}

export interface SpansOf {
  readonly project_id: Uuid
  readonly query: SpanQuery<'span'>
}

/**
 * The first spans that a query selects, ordered by time alone, and one more than its page: if that one has a different
 * time from the previous one, the others are the page. The engine reads them, with all their columns, in one pass.
 * Undefined if that would read too much: for spans of both parts of the key, with several alternatives of hints, or
 * without any hints, when all spans would be tested, and a granule of each part be read in vain.
 */
export function compileFirstSpans({ project_id, columns, query }: ColumnsOf & SpansOf): Sql | undefined {
  const { filter, windowing } = query
  const [hints = [], ...otherWays] = compileSearchHints(filter)
  if (hints.length === 0 || otherWays.length > 0 || !isOfRoots(filter)) return undefined
  const conditions = [ROOTS, ...compileBounds(windowing, 'span'), ...hints, ...filtersOf(filter)]
  const first = inTime(windowing, pageLimit(windowing, 'span') + 1)
  const statement = sql`SELECT ${join(columns)} ${fromFewSpans(project_id, conditions)} ${first} ${hintedSettings(filter)}`
  return withinCost(statement, PAGE_COST_MAX)
}

/**
 * One page of spans: first the start times of its rows, then the rows with one of these times. Start times alone come
 * in the order of the table's key, so the engine stops where the page ends; with the page's full order it would read to
 * the end (50 roots of a million spans: 40 ms instead of 8). Rows that share the last time are all among those of the
 * second step, which sorts them.
 */
export function compileSpanQuery(asked: ColumnsOf & SpansOf): Sql {
  return atTimes(asked, firstInTime(sql`start_time`, asked, pageLimit(asked.query.windowing, 'span')))
}

/**
 * The same where the filter has an id that few spans have: their start times are found in one pass over both parts of
 * the key, which the engine rejects if there are many. Undefined for any other filter.
 */
export function compileFewSpans(asked: ColumnsOf & SpansOf): Sql | undefined {
  const { project_id, query } = asked
  const { filter, windowing } = query
  if (!isOfFew(filter)) return undefined
  const rows = fromMatching(project_id, filter, compileBounds(windowing, 'span'))
  const times = sql`SELECT start_time ${rows} ${inTime(windowing, pageLimit(windowing, 'span'))}${RARE_SETTINGS}`
  return atTimes(asked, times)
}

/** The page of a query among the spans with these start times. */
function atTimes({ project_id, columns, query }: ColumnsOf & SpansOf, times: Sql): Sql {
  const { filter, windowing } = query
  const rows = fromFewSpans(project_id, [anyOf(partsOf(filter)), sql`start_time IN (${times})`])
  const conditions = allOf([...compileBounds(windowing, 'span'), ...filtersOf(filter)])
  const statement = sql`SELECT ${join(columns)} ${rows} WHERE ${conditions} ${page(query)} ${searchSettings(filter)}`
  return withinCost(statement, PAGE_COST_MAX)
}

/**
 * The first spans that a query selects, ordered by time alone, and one more than its page, as for
 * {@link compileFirstSpans}, but for any query: only for columns of few bytes, which may be read of rows in vain.
 * `shown` is made of the `columns` of the rows that are left.
 */
export function compileFirstRows({ project_id, columns, query, shown }: ColumnsOf & SpansOf & { shown: Sql }): Sql {
  const rows = firstInTime(join(columns), { project_id, query }, pageLimit(query.windowing, 'span') + 1)
  return withinCost(sql`SELECT ${shown} FROM (${rows}) ${searchSettings(query.filter)}`, PAGE_COST_MAX)
}

/** The first spans by time alone, in the order of the table's key. */
function firstInTime(columns: Sql, { project_id, query }: SpansOf, limit: number): Sql {
  const { filter, windowing } = query
  const bounds = compileBounds(windowing, 'span')
  const filters = filtersOf(filter)
  return first(columns, {
    from: waysOf(filter).map(({ part, hints }) => fromHinted(project_id, [part, ...bounds], hints, filters)),
    page: inTime(windowing, limit),
  })
}

const inTime = ({ order }: SpanQuery<'span'>['windowing'], limit: number): Sql =>
  sql`ORDER BY start_time ${compileDirection(order)} LIMIT ${count(limit)}`

function searchSettings(filter: Filter | undefined): Sql {
  if (isOfAllRoots(filter)) return ONE_THREAD
  return waysOf(filter).every(({ hints }) => hints.length > 0) ? hintedSettings(filter) : SETTINGS
}

/** Without a search, a second thread would read beyond the page. */
const ONE_THREAD = sql`${SETTINGS}, max_threads = 1`

/**
 * The page of a query for the newest spans, if its last span starts at `since` or later; otherwise fewer rows than the
 * page has. In one pass, so the engine rejects it if that would read more than such a page is worth.
 */
export function compileSpansSince({ project_id, columns, query, since }: ColumnsOf & SpansOf & { since: Micros }): Sql {
  const { filter, windowing } = query
  const oldest = Math.max(since, windowing.oldest ?? since)
  const [hints = [], ...otherWays] = compileSearchHints(filter)
  const bounds = compileBounds({ ...windowing, oldest }, 'span')
  const conditions = [anyOf(partsOf(filter)), ...bounds, ...(otherWays.length > 0 ? [] : hints)]
  const rows = sql`${fromFewSpans(project_id, conditions)} WHERE ${allOf(filtersOf(filter))}`
  return withinCost(sql`SELECT ${join(columns)} ${rows} ${page(query)} ${SINCE_SETTINGS}`, PAGE_COST_MAX)
}

/** Granules without a term do not count as read, because the index is evaluated first. */
const SINCE_SETTINGS = sql`${SETTINGS}${INDEX_FIRST}, max_rows_to_read = 32768, max_bytes_to_read = 67108864`

const filtersOf = (filter: Filter | undefined): Sql[] => (filter === undefined ? [] : compileFilters([filter]))

/** The parts of the primary key: each is in the order of time. */
const ROOTS = sql`is_root = true`
const OTHERS = sql`is_root = false`
const BOTH = [ROOTS, OTHERS]

const partsOf = (filter: Filter | undefined): readonly Sql[] => (isOfRoots(filter) ? [ROOTS] : BOTH)

/** The parts that have spans that satisfy a filter, and the alternatives of hints in each. */
const waysOf = (filter: Filter | undefined): { part: Sql; hints: readonly Sql[] }[] =>
  partsOf(filter).flatMap(part =>
    compileSearchHints(filter, part === ROOTS ? 'root' : 'other').map(hints => ({ part, hints })),
  )

interface First {
  /** The sources of rows: parts of the key, and alternatives of hints in each. */
  readonly from: readonly Sql[]
  /** An order by time and a limit. */
  readonly page: Sql
}

/**
 * The first rows in the order of time: the first of the first rows from each source. So each source is read only as far
 * as necessary. A row found by two alternatives occurs once.
 */
function first(columns: Sql, { from, page }: First): Sql {
  const ofEach = from.map(place => sql`SELECT ${columns} ${place} ${page}`)
  return ofEach.length === 1 ? join(ofEach) : sql`SELECT DISTINCT * FROM (${join(ofEach, sql` UNION ALL `)}) ${page}`
}

const page = ({ focus, windowing }: SpanQuery, limit = pageLimit(windowing, focus)): Sql =>
  sql`ORDER BY ${compileOrder(windowing.order, focus)} LIMIT ${count(limit)}`

export interface TracesOf {
  readonly project_id: Uuid
  readonly query: SpanQuery<'trace'>
}

/** How many times the traces of a page are tested before all traces are. */
const CANDIDATES_PER_TRACE = 10
const CANDIDATES_MAX = 10_000

/**
 * The number of candidates for a page of traces: instead of reading everything that satisfies the filter, only the
 * traces that come first in its order are tested. If these fill a page, it is the result. Undefined if that would not
 * be faster.
 */
export function candidatesOf({ filter, windowing }: SpanQuery<'trace'>): number | undefined {
  const candidates = pageLimit(windowing, 'trace') * CANDIDATES_PER_TRACE
  const isSearch = splitFilter(filter).ofSpan.length > 0 && !isOfFew(filter)
  return isSearch && candidates <= CANDIDATES_MAX ? candidates : undefined
}

/**
 * One page of traces: rows of `trace_id` (hex) and `sort_time` (microseconds, text or number depending on the format).
 * With `candidates`, only those among the first that many traces.
 */
export function compileTraceQuery(asked: TracesOf, candidates?: number): Sql {
  const rows = candidates === undefined ? fromTraces(asked) : fromCandidates(asked, candidates)
  const isSearch = splitFilter(asked.query.filter).ofSpan.length > 0
  return selectTraces(asked, rows, isSearch ? TRACE_SETTINGS : SETTINGS)
}

/**
 * The same, found by search terms alone, which the engine rejects if it would read many spans. Undefined without any
 * terms, and if these select so few that {@link compileTraceQuery} does the same.
 */
export function compileRareTraces(asked: TracesOf): Sql | undefined {
  const { filter } = asked.query
  if (!hasTerms(filter) || isOfFew(filter)) return undefined
  return selectTraces(asked, fromTraceHeads(asked, { isRare: true }), TRACE_SETTINGS)
}

const selectTraces = ({ query }: TracesOf, rows: Sql, settings: Sql): Sql =>
  withinCost(
    sql`SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(start_time) AS sort_time ${rows} ${page(query)} ${settings}`,
    PAGE_COST_MAX,
  )

/**
 * Comparing a set of ids with the filters of all granules takes longer than reading the ids, unless there are few: the
 * heads of a month, and three million spans, 190 ms of processor time instead of 100.
 */
const TRACE_SETTINGS = sql`${SETTINGS}${INDEX_FIRST}, use_index_for_in_with_subqueries_max_values = 1000`

/** Of a search for terms or ids. Granules without them do not count as read, because the index is evaluated first. */
const RARE_SETTINGS = sql` SETTINGS max_rows_to_read = 131072`

/** The heads of traces in the window of a query, restricted by the trace-level parts of its filter. */
const headsOf = ({ windowing, filter }: SpanQuery<'trace'>): Sql[] => [
  sql`is_trace_head`,
  ...compileBounds(windowing, 'trace'),
  ...compileFilters(splitFilter(filter).ofTrace),
]

/** The first of these in the order of the query. */
const firstHeads = ({ project_id, query }: TracesOf, limit: number): Sql =>
  first(sql`trace_id, start_time`, {
    from: BOTH.map(part => fromSpans(project_id, [part, ...headsOf(query)])),
    page: page(query, limit),
  })

/** Conditions on spans are evaluated once for both parts of the key. */
const fromTraces = (asked: TracesOf): Sql =>
  splitFilter(asked.query.filter).ofSpan.length === 0
    ? sql`FROM (${firstHeads(asked, pageLimit(asked.query.windowing, 'trace'))})`
    : fromTraceHeads(asked)

/** Like {@link fromTraceHeads}, but only among the first `candidates` traces. */
function fromCandidates({ project_id, query }: TracesOf, candidates: number): Sql {
  const heads = sql`FROM (${firstHeads({ project_id, query }, candidates)})`
  const ofThese = sql`trace_id IN (SELECT trace_id ${heads})`
  const qualifying = qualifyingTraces({ project_id, query }, { among: [ofThese] })
  return sql`${heads} WHERE trace_id IN (${qualifying})`
}

interface QualifyingOf {
  /** Conditions that are tested before any other column is read. */
  readonly among?: readonly Sql[]
  readonly conditions?: readonly Sql[]
  readonly settings?: Sql
}

/** The ids of the traces with a span that satisfies the filter and these conditions. */
function qualifyingTraces(
  { project_id, query }: TracesOf,
  { among = [], conditions = [], settings = sql`` }: QualifyingOf,
): Sql {
  const { filter } = query
  const filters = compileFilters(splitFilter(filter).ofSpan)
  const part = isOfRoots(filter) ? [ROOTS] : []
  const select = (hints: readonly Sql[]): Sql =>
    sql`SELECT trace_id ${fromHinted(project_id, [...part, ...conditions], [...among, ...hints], filters)}${settings}`
  return join(compileSearchHints(filter).map(select), sql` UNION ALL `)
}

/**
 * The heads of the traces that a query selects, one per trace, as the FROM and WHERE of a statement. A trace matches if
 * one of its spans satisfies the filter, wherever it is in time.
 */
export function fromTraceHeads(asked: TracesOf, { conditions = [], isRare = false }: HeadsOf = {}): Sql {
  const { project_id, query } = asked
  const { ofTrace, ofSpan } = splitFilter(query.filter)
  const heads = [...conditions, ...headsOf(query)]
  if (ofSpan.length === 0) return fromSpans(project_id, heads)
  // A window avoids reading the filter's columns for all other traces; without one there is nothing to avoid.
  const isAmongHeads = query.windowing.oldest !== undefined && !isRare && !isOfFew(query.filter)
  const qualifying = isAmongHeads
    ? qualifyingTraces(asked, { among: [sql`trace_id IN (SELECT trace_id ${fromSpans(project_id, heads)})`] })
    : qualifyingTraces(asked, { conditions: compileFilters(ofTrace), ...(isRare && { settings: RARE_SETTINGS }) })
  return fromSpans(project_id, [...heads, sql`trace_id IN (${qualifying})`])
}

interface HeadsOf {
  /** Of the heads. */
  readonly conditions?: readonly Sql[]
  /**
   * Few spans satisfy the filter, so all of them are searched, whether or not their trace is in the window. The engine
   * rejects the statement if too many have the terms.
   */
  readonly isRare?: boolean
}

/** A single trace is the most common case, and takes 2 ms less without a sub-query. */
const ofTraces = (ids: readonly TraceId[]): Sql =>
  ids.length === 1
    ? sql`trace_id = toFixedString(unhex(${text(ids[0] as TraceId)}), 16)`
    : sql`trace_id IN (SELECT toFixedString(unhex(arrayJoin(${texts(ids)})), 16))`

const BY_IDS = sql`${SETTINGS}${INDEX_FIRST}`

/** The heads of some traces, one per trace; none for traces whose root has not arrived. */
export function compileHeadsByIds({
  project_id,
  columns,
  trace_ids,
}: ColumnsOf & { trace_ids: readonly TraceId[] }): Sql {
  return sql`SELECT ${join(columns)} ${fromFewSpans(project_id, [ofTraces(trace_ids), sql`is_trace_head`])} ${BY_IDS}`
}

/** Spans of a project by the ids of their traces, of themselves, or both. One of the two is required. */
export interface SpanIds {
  readonly project_id: Uuid
  readonly trace_ids?: readonly TraceId[] | undefined
  readonly span_ids?: readonly SpanId[] | undefined
}

/** Spans by their ids, in the order of their start. Throws an Error without any ids. */
export const compileSpansByIds = (read: ColumnsOf & SpanIds): Sql => sql`${selectByIds(read)} ${BY_IDS}`

/** The same, but the engine rejects a result of more than 32 MiB. */
export const compileFewSpansByIds = (read: ColumnsOf & SpanIds): Sql =>
  sql`${selectByIds(read)} ${BY_IDS}, max_result_bytes = 33554432`

const selectByIds = ({ columns, ...ids }: ColumnsOf & SpanIds): Sql =>
  sql`SELECT ${join(columns)} ${fromIds(ids)} ORDER BY start_time, trace_id, span_id`

/** One row with the length of all texts of these spans as `bytes`, and their number as `spans`. */
export const compileSizeByIds = (ids: SpanIds): Sql =>
  sql`SELECT sum(${join(TEXT_LENGTHS, sql` + `)}) AS bytes, count() AS spans ${fromIds(ids)} ${BY_IDS}`

/** The length of all texts of each of these spans, by its ids. */
export const compileSizesByIds = (ids: SpanIds): Sql =>
  sql`SELECT lower(hex(trace_id)) AS trace_id, lower(hex(span_id)) AS span_id, ${join(TEXT_LENGTHS, sql` + `)} AS bytes ${fromIds(ids)} ${BY_IDS}`

const TEXT_LENGTHS = SHOWN_COLUMNS.filter(({ type }) => type.includes('String') && !type.startsWith('Fixed')).map(
  ({ name }) => sql`length(${identifier(name)})`,
)

function fromIds({ project_id, trace_ids, span_ids }: SpanIds): Sql {
  const conditions: Sql[] = []
  if (trace_ids !== undefined) conditions.push(ofTraces(trace_ids))
  if (span_ids !== undefined)
    conditions.push(sql`span_id IN (SELECT toFixedString(unhex(arrayJoin(${texts(span_ids)})), 8))`)
  if (conditions.length === 0) throw new Error('trace_ids or span_ids is required')
  return fromFewSpans(project_id, conditions)
}
