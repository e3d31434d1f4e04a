import type { Micros, Uuid } from '@spanhouse/model'
import {
  afterText,
  compileMeasured,
  compilePreviews,
  compileRowPage,
  compileRows,
  compileRowsAt,
  inMeasuredOrder,
  inOrder,
  isOfRoots,
  type ListRow,
  type MeasuredPosition,
  type MeasuredRow,
  nextWindowing,
  type Position,
  type PreviewRow,
  pageLimit,
  printSql,
  type RowOrder,
  type SpanQuery,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { firstOfShards, readEachShard } from './each-shard.ts'
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
  const { query, order_by } = asked
  if (order_by !== 'time') {
    const read = (shard: Engine): Promise<Placed<MeasuredRow>[]> => measuredRows(shard, asked, order_by, holder)
    const { positions, rows } = await firstOfAll(engine, query, { read, compare: inMeasuredOrder })
    const last = positions.at(-1)
    const isFull = last && positions.length >= (query.windowing.limit ?? Number.POSITIVE_INFINITY)
    return { rows, ...(isFull && { after: afterText(last) }) }
  }
  const read = (shard: Engine): Promise<Placed<Position>[]> =>
    query.focus === 'span' ? spanRows(shard, asked, holder) : traceRows(shard, asked, holder)
  const compare = inOrder(query.focus, query.windowing.order)
  const { positions, rows } = await firstOfAll(engine, query, { read, compare })
  const windowing = nextWindowing(query, positions)
  return { rows, ...(windowing && { windowing }) }
}

/** Where a row is, and the row if it is still there. */
interface Placed<P> {
  readonly position: P
  readonly row: ListRow | undefined
}

interface PlacedOf<P> {
  /** The first of a shard. */
  read(shard: Engine): Promise<Placed<P>[]>
  compare(one: P, other: P): number
}

async function firstOfAll<P>(
  engine: Engine,
  { windowing, focus }: SpanQuery,
  { read, compare }: PlacedOf<P>,
): Promise<{ positions: P[]; rows: ListRow[] }> {
  const placed = firstOfShards(await readEachShard(engine, read), {
    compare: (one, other) => compare(one.position, other.position),
    limit: pageLimit(windowing, focus),
  })
  return { positions: placed.map(({ position }) => position), rows: placed.flatMap(({ row }) => row ?? []) }
}

/** In one pass, unless the last row of the page and the next one have the same time. */
async function spanRows(engine: Engine, asked: RowsOf, holder: Holder | undefined): Promise<Placed<ListRow>[]> {
  const query = asked.query as SpanQuery<'span'>
  const limit = pageLimit(query.windowing, 'span')
  const found = await engine.rows<ListRow>(printSql(compileRows(asked.project_id, query)), holder)
  found.sort(inOrder('span', query.windowing.order))
  const isCut = found.length > limit && found[limit]?.time === found[limit - 1]?.time
  const rows = isCut
    ? await engine.rows<ListRow>(printSql(compileRowPage(asked.project_id, query)), holder)
    : found.slice(0, limit)
  return rows.map(row => ({ position: row, row }))
}

async function traceRows(engine: Engine, asked: RowsOf, holder: Holder | undefined): Promise<Placed<Position>[]> {
  const { project_id, query } = asked
  const positions = await readTraceHeads(engine, { project_id, query: query as SpanQuery<'trace'> })
  return rowsAt(engine, { project_id, positions, areRoots: false }, holder)
}

async function measuredRows(
  engine: Engine,
  { project_id, query, after }: RowsOf,
  by: Exclude<RowOrder, 'time'>,
  holder: Holder | undefined,
): Promise<Placed<MeasuredRow>[]> {
  const positions = await engine.rows<MeasuredRow>(printSql(compileMeasured({ project_id, query, by, after })))
  const areRoots = query.focus === 'span' && isOfRoots(query.filter)
  return rowsAt(engine, { project_id, positions, areRoots }, holder)
}

interface PlacesOf<P> {
  readonly project_id: Uuid
  readonly positions: readonly P[]
  readonly areRoots: boolean
}

/** In the order of their positions. */
async function rowsAt<P extends Position>(
  engine: Engine,
  { project_id, positions, areRoots }: PlacesOf<P>,
  holder: Holder | undefined,
): Promise<Placed<P>[]> {
  if (positions.length === 0) return []
  const rows = await engine.rows<ListRow>(printSql(compileRowsAt(project_id, { positions, areRoots })), holder)
  const areHeads = positions[0]?.span_id === undefined
  const nameOf = (row: Place): string => (areHeads ? row.trace_id : row.trace_id + row.span_id)
  const byName = new Map(rows.map(row => [nameOf(row), row]))
  return positions.map(position => ({ position, row: byName.get(nameOf(position)) }))
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
  const statement = printSql(compilePreviews(project_id, places, attributes))
  const found = await readEachShard(engine, shard => shard.rows<PreviewRow>(statement, holder))
  const byName = new Map(found.flat().map(one => [one.trace_id + one.span_id, one]))
  return rows.flatMap(row => byName.get(row.trace_id + row.span_id) ?? [])
}
