import { COLUMNS, type Column } from '@spanhouse/query'
import type { RowBuffer } from './row-buffer.ts'
import { RowReader } from './row-reader.ts'

/** The columns of an INSERT, in the order in which a row's values are put. */
export const INSERT_COLUMNS: readonly string[] = COLUMNS.map(column => column.name)

export function putAll<Source>(row: RowBuffer, columns: readonly Column<Source>[], source: Source): void {
  for (const column of columns) column.put(row, source)
}

/** The values of a row or part of a row that was put with these columns. */
export function textsOf(bytes: Buffer, columns: readonly Column<never>[]): string[] {
  const row = new RowReader(bytes)
  return columns.map(column => column.text(row))
}
