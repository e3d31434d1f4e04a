import type { Micros, SpanJson } from '@spanhouse/model'
import { NO_PARENT, type Position, printSql, SHOWN_COLUMNS, type SpanRow, type Sql } from '@spanhouse/query'
import { RowReader, RowSkipper } from '../bytes/row-reader.ts'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { readRow, toSpanJson } from './row.ts'

/**
 * A span as read: the fields that lists and trees need, and the bytes of the row, which are converted to JSON only when
 * sent. So a large trace takes the memory of its bytes and not ten times as much.
 */
export class StoredSpan {
  readonly trace_id: string
  readonly span_id: string
  /** Undefined for roots. */
  readonly parent_id: string | undefined
  readonly span_name: string
  readonly start_time: Micros
  readonly created_at: Micros
  readonly #row: Buffer

  /** Reads the next row, in the order of `SPAN_COLUMNS`. */
  constructor(row: RowReader) {
    const from = row.at
    const head = readHead(row)
    this.trace_id = head.trace_id
    this.span_id = head.span_id
    this.parent_id = head.parent_id === NO_PARENT ? undefined : head.parent_id
    this.span_name = head.span_name
    this.start_time = head.start_time
    this.created_at = head.created_at
    this.#row = row.bytesFrom(from)
  }

  get byteLength(): number {
    return this.#row.length
  }

  /** As the interface returns it; parsed anew each time. */
  toJSON(): SpanJson {
    return toSpanJson(readRow(new RowReader(this.#row)))
  }
}

const HEAD = ['trace_id', 'span_id', 'parent_id', 'span_name', 'start_time', 'created_at'] as const
type Head = Pick<SpanRow, (typeof HEAD)[number]>

const COLUMNS = SHOWN_COLUMNS.map(column => ({ column, isInHead: (HEAD as readonly string[]).includes(column.name) }))

/** Reads these columns of a row and skips the others. */
function readHead(row: RowReader): Head {
  const others = new RowSkipper(row)
  const values: Record<string, unknown> = {}
  for (const { column, isInHead } of COLUMNS) {
    if (isInHead) values[column.name] = column.read(row)
    else column.read(others)
  }
  return values as Head
}

/** The position of a span in the order of spans. */
export const positionOf = ({ start_time, trace_id, span_id }: StoredSpan): Position => ({
  time: start_time,
  trace_id,
  span_id,
})

/** The spans selected by a statement over `SPAN_COLUMNS`, in its order. `holder` counts their bytes as they arrive. */
export const readSpans = (engine: Engine, statement: Sql, holder?: Holder): Promise<StoredSpan[]> =>
  engine.binaryRows(printSql(statement), row => new StoredSpan(row), holder)
