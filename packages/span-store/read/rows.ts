import type { Uuid } from '@spanhouse/model'
import {
  afterText,
  compileMeasured,
  compileRowsAt,
  compileSpanQuery,
  inMeasuredOrder,
  inOrder,
  type ListRow,
  type MeasuredPosition,
  type MeasuredRow,
  nextWindowing,
  POSITION_COLUMNS,
  type Position,
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
  /** Paths of attributes that the rows show in addition. */
  readonly attributes?: readonly string[]
}

/** One page, and what to send for the next one: a windowing in the order of time, otherwise a text. */
export interface RowPage {
  readonly rows: ListRow[]
  readonly windowing?: object
  readonly after?: string
}

/**
 * Finds the places of the page's rows, then reads the columns of only these. A row that is deleted in between is
 * omitted.
 */
export async function readRowPage(engine: Engine, asked: RowsOf, holder?: Holder): Promise<RowPage> {
  const { project_id, query, order_by, after } = asked
  if (order_by === 'time') {
    const { focus, windowing } = query
    const found = await readPlaced(engine, asked, {
      find: shard => positionsInTime(shard, asked),
      compare: inOrder(focus, windowing.order),
      holder,
    })
    const next = nextWindowing(query, found.positions)
    return { rows: found.rows, ...(next && { windowing: next }) }
  }
  const measured = printSql(compileMeasured({ project_id, query, by: order_by, after }))
  const { positions, rows } = await readPlaced(engine, asked, {
    find: shard => shard.rows<MeasuredRow>(measured),
    compare: inMeasuredOrder,
    holder,
  })
  const last = positions.at(-1)
  const isFull = last && positions.length >= (query.windowing.limit ?? Number.POSITIVE_INFINITY)
  return { rows, ...(isFull && { after: afterText(last) }) }
}

interface Placing<P> {
  /** The first positions of a shard. */
  find(shard: Engine): Promise<P[]>
  compare(one: P, other: P): number
  holder: Holder | undefined
}

/** The first positions of all shards, and their rows in the same order, each from the shard that has it. */
async function readPlaced<P extends Position>(
  engine: Engine,
  asked: RowsOf,
  { find, compare, holder }: Placing<P>,
): Promise<{ positions: P[]; rows: ListRow[] }> {
  const { windowing, focus } = asked.query
  const shards = await readEachShard(engine, async shard => ({ shard, found: await find(shard) }))
  const limit = pageLimit(windowing, focus)
  const positions = firstOfShards(
    shards.map(({ found }) => found),
    { compare, limit },
  )
  const chosen = new Set(positions)
  const read = shards.map(({ shard, found }) =>
    rowsAt(shard, { ...asked, positions: found.filter(one => chosen.has(one)) }, holder),
  )
  const byPosition = new Map((await Promise.all(read)).flatMap(rows => [...rows]))
  return { positions, rows: positions.flatMap(position => byPosition.get(position) ?? []) }
}

function positionsInTime(engine: Engine, { project_id, query }: RowsOf): Promise<Position[]> {
  if (query.focus === 'trace') return readTraceHeads(engine, { project_id, query: query as SpanQuery<'trace'> })
  const spans = query as SpanQuery<'span'>
  return engine.rows(printSql(compileSpanQuery({ project_id, columns: POSITION_COLUMNS, query: spans })))
}

type PlacedRows = Pick<RowsOf, 'project_id' | 'query' | 'attributes'> & { positions: readonly Position[] }

async function rowsAt(
  engine: Engine,
  placed: PlacedRows,
  holder: Holder | undefined,
): Promise<ReadonlyMap<Position, ListRow>> {
  const { project_id, query, attributes, positions } = placed
  if (positions.length === 0) return new Map()
  const isTrace = query.focus === 'trace'
  const places = positions.map(({ time, trace_id, span_id }) => ({ time, trace_id, ...(!isTrace && { span_id }) }))
  // The filter of traces is not that of their heads.
  const filter = isTrace ? undefined : query.filter
  const statement = compileRowsAt(project_id, { positions: places, filter, attributes })
  const rows = await engine.rows<ListRow>(printSql(statement), holder)
  const keyOf = (row: { trace_id: string; span_id?: string }): string =>
    isTrace ? row.trace_id : row.trace_id + row.span_id
  const byKey = new Map(rows.map(row => [keyOf(row), row]))
  return new Map(
    positions.flatMap(position => {
      const row = byKey.get(keyOf(position))
      return row ? [[position, row] as const] : []
    }),
  )
}
