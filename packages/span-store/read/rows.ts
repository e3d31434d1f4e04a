import type { TraceId, Uuid } from '@spanhouse/model'
import {
  afterText,
  compileMeasured,
  compileRowsAt,
  compileSpanQuery,
  type ListRow,
  type MeasuredPosition,
  type MeasuredRow,
  nextWindowing,
  POSITION_COLUMNS,
  type Position,
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
    const positions = await positionsInTime(engine, asked)
    const windowing = nextWindowing(query, positions)
    return { rows: await rowsAt(engine, { ...asked, positions }, holder), ...(windowing && { windowing }) }
  }
  const found = await engine.rows<MeasuredRow>(printSql(compileMeasured({ project_id, query, by: order_by, after })))
  const positions = found.map(({ trace_id, span_id, time }) => ({ trace_id, span_id, time }))
  const rows = await rowsAt(engine, { ...asked, positions }, holder)
  const last = found.at(-1)
  const isFull = last && found.length >= (query.windowing.limit ?? Number.POSITIVE_INFINITY)
  return { rows, ...(isFull && { after: afterText(last) }) }
}

function positionsInTime(engine: Engine, { project_id, query }: RowsOf): Promise<Position[]> {
  if (query.focus === 'trace') return readTraceHeads(engine, { project_id, query: query as SpanQuery<'trace'> })
  const spans = query as SpanQuery<'span'>
  return engine.rows(printSql(compileSpanQuery({ project_id, columns: POSITION_COLUMNS, query: spans })))
}

type PlacedRows = Pick<RowsOf, 'project_id' | 'query' | 'attributes'> & { positions: readonly Position[] }

async function rowsAt(engine: Engine, placed: PlacedRows, holder: Holder | undefined): Promise<ListRow[]> {
  const { project_id, query, attributes, positions } = placed
  if (positions.length === 0) return []
  const isTrace = query.focus === 'trace'
  const places = isTrace ? positions.map(({ time, trace_id }) => ({ time, trace_id })) : positions
  // The filter of traces is not that of their heads.
  const filter = isTrace ? undefined : query.filter
  const statement = compileRowsAt(project_id, { positions: places, filter, attributes })
  const rows = await engine.rows<ListRow>(printSql(statement), holder)
  const keyOf = (row: { trace_id: string; span_id?: string }): string =>
    isTrace ? row.trace_id : row.trace_id + row.span_id
  const byKey = new Map(rows.map(row => [keyOf(row), row]))
  return positions.flatMap(position => byKey.get(keyOf(position as { trace_id: TraceId; span_id?: string })) ?? [])
}
