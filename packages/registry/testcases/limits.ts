import { invalid } from '@spanhouse/model'

/** Rows of a testset. */
export const ROWS_MAX = 10_000
/** A file with rows, and the rows of a testset as JSON. */
export const BYTES_MAX = 10 * 1024 * 1024

/** Throws a 400 that says by how much a testset is too large. */
export function requireWithinLimits({ rows, bytes = 0 }: { rows: number; bytes?: number }): void {
  if (rows > ROWS_MAX) throw invalid(`testcases: ${rows} rows, and a testset has at most ${ROWS_MAX}`)
  if (bytes > BYTES_MAX) throw invalid(`testcases: ${bytes} bytes of rows, and a testset has at most ${BYTES_MAX}`)
}

/** Columns of a CSV file: every row has them all. JSON has no such limit. */
export const CSV_COLUMNS_MAX = 10_000
/** Cells of a CSV file that is written, blank ones included. */
export const CSV_CELLS_MAX = 10_000_000

/** Names in each list of changes to columns: more columns than any row of a testset has. */
export const COLUMN_CHANGES_MAX = 10_000

/** Throws a 400 that says by how much rows are too many, or have too many columns, to be written as CSV. */
export function requireWritableAsCsv(rows: number, columns: number): void {
  const cells = rows * columns
  if (columns > CSV_COLUMNS_MAX)
    throw invalid(`file_type: the rows have more than ${CSV_COLUMNS_MAX} columns, the most that csv can have; use json`)
  if (cells > CSV_CELLS_MAX)
    throw invalid(
      `file_type: ${cells} cells (${rows} rows, ${columns} columns), and csv has at most ${CSV_CELLS_MAX}; use json`,
    )
}
