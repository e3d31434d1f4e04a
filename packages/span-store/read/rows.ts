import type { Micros, Uuid } from '@spanhouse/model'
import {
  afterText,
  compareSpans,
  compileMeasured,
  compilePreviews,
  compileRowPage,
  compileRows,
  compileRowsAt,
  isOfRoots,
  type ListRow,
  type MeasuredPosition,
  type MeasuredRow,
  nextWindowing,
  type Places,
  type PreviewRow,
  pageLimit,
  printSql,
  type RowOrder,
  type SpanQuery,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { readTraceHeads } from './row.ts'

/** A list of spans, or of traces, in some order. */
export interface RowsOf {
  readonly project_id: Uuid
  readonly query: SpanQuery
  readonly order_by: RowOrder
  readonly after?: MeasuredPosition
}

/** One page, and what to send for the next one: a windowing in the order of time, otherwise a text. */
export interface RowPage {
  readonly rows: ListRow[]
  readonly windowing?: object
  readonly after?: string
}

/**
 * One page of rows. Those of traces, and those in the order of a measure, are found first and then read: one that is
 * deleted in between is omitted.
 */
export async function readRowPage(engine: Engine, asked: RowsOf, holder?: Holder): Promise<RowPage> {
  const { project_id, query, order_by, after } = asked
  if (order_by !== 'time') {
    const found = await engine.rows<MeasuredRow>(printSql(compileMeasured({ project_id, query, by: order_by, after })))
    const positions = found.map(({ trace_id, span_id, time }) => ({ trace_id, span_id, time }))
    const places = { positions, areRoots: query.focus === 'span' && isOfRoots(query.filter) }
    const rows = await rowsAt(engine, { project_id, places }, holder)
    const last = found.at(-1)
    const isFull = last && found.length >= (query.windowing.limit ?? Number.POSITIVE_INFINITY)
    return { rows, ...(isFull && { after: afterText(last) }) }
  }
  if (query.focus === 'span') {
    const rows = await spanRows(engine, { project_id, query: query as SpanQuery<'span'> }, holder)
    return { rows, ...nextOf(query, rows) }
  }
  const positions = await readTraceHeads(engine, { project_id, query: query as SpanQuery<'trace'> })
  const rows = await rowsAt(engine, { project_id, places: { positions, areRoots: false } }, holder)
  return { rows, ...nextOf(query, positions) }
}

function nextOf(query: SpanQuery, page: Parameters<typeof nextWindowing>[1]): Pick<RowPage, 'windowing'> {
  const windowing = nextWindowing(query, page)
  return windowing ? { windowing } : {}
}

/** In one pass, unless the last row of the page and the next one have the same time. */
async function spanRows(
  engine: Engine,
  { project_id, query }: { project_id: Uuid; query: SpanQuery<'span'> },
  holder: Holder | undefined,
): Promise<ListRow[]> {
  const limit = pageLimit(query.windowing, 'span')
  const direction = query.windowing.order === 'descending' ? -1 : 1
  const rows = await engine.rows<ListRow>(printSql(compileRows(project_id, query)), holder)
  rows.sort((one, other) => direction * compareSpans(keyOf(one), keyOf(other)))
  if (rows.length <= limit) return rows
  if (rows[limit]?.time !== rows[limit - 1]?.time) return rows.slice(0, limit)
  return engine.rows<ListRow>(printSql(compileRowPage(project_id, query)), holder)
}

const keyOf = ({ trace_id, span_id, time }: ListRow): Parameters<typeof compareSpans>[0] => ({
  trace_id,
  span_id,
  start_time: time,
})

/** In the order of their positions. */
async function rowsAt(
  engine: Engine,
  { project_id, places }: { project_id: Uuid; places: Places },
  holder: Holder | undefined,
): Promise<ListRow[]> {
  const { positions } = places
  if (positions.length === 0) return []
  const rows = await engine.rows<ListRow>(printSql(compileRowsAt(project_id, places)), holder)
  const isOfHeads = positions[0]?.span_id === undefined
  const nameOf = (row: Place): string => (isOfHeads ? row.trace_id : row.trace_id + row.span_id)
  const byName = new Map(rows.map(row => [nameOf(row), row]))
  return positions.flatMap(position => byName.get(nameOf(position)) ?? [])
}

interface Place {
  readonly trace_id: string
  readonly span_id?: string
}

/** A row whose preview is read. */
export interface ShownRow {
  readonly trace_id: string
  readonly span_id: string
  readonly time: Micros
  /** Empty: a root. */
  readonly parent_id: string
}

/**
 * What some rows say, and their values of some attributes, in their order. This is apart from the rows, since it takes
 * longer than finding them. A row that is not there is omitted.
 */
export async function readPreviews(
  engine: Engine,
  asked: { project_id: Uuid; rows: readonly ShownRow[]; attributes: readonly string[] },
  holder?: Holder,
): Promise<PreviewRow[]> {
  const { project_id, rows, attributes } = asked
  if (rows.length === 0) return []
  const positions = rows.map(({ trace_id, span_id, time }) => ({ trace_id, span_id, time }))
  const places = { positions, areRoots: rows.every(row => row.parent_id === '') }
  const found = await engine.rows<PreviewRow>(printSql(compilePreviews(project_id, places, attributes)), holder)
  const byName = new Map(found.map(one => [one.trace_id + one.span_id, one]))
  return rows.flatMap(row => byName.get(row.trace_id + row.span_id) ?? [])
}
