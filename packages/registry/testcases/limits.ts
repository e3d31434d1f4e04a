import { invalid } from '@spanhouse/model'

/** Rows in a testset. */
const ROWS_MAX = 10_000
/** Size of a file with rows, and of a testset's rows as JSON. */
export const BYTES_MAX = 10 * 1024 * 1024

/** Throws a 400 with the bound that a testset exceeds. */
export function requireWithinLimits({ rows, bytes = 0 }: { rows: number; bytes?: number }): void {
  if (rows > ROWS_MAX) throw invalid(`testcases: ${rows} rows; a testset may have at most ${ROWS_MAX}`)
  if (bytes > BYTES_MAX) throw invalid(`testcases: ${bytes} bytes of rows; a testset may have at most ${BYTES_MAX}`)
}

/** Columns of a CSV file, in which every row has all columns. JSON has no such limit. */
export const CSV_COLUMNS_MAX = 10_000
/** Cells of a CSV file to write, including blank ones. */
const CSV_CELLS_MAX = 10_000_000

/** Names in each list of column changes: more columns than any row of a testset has. */
export const COLUMN_CHANGES_MAX = 10_000

/** Throws a 400 with the bound if rows are too many, or have too many columns, for CSV. */
export function requireWritableAsCsv(rows: number, columns: number): void {
  const cells = rows * columns
  if (columns > CSV_COLUMNS_MAX)
    throw invalid(`file_type: the rows have more than ${CSV_COLUMNS_MAX} columns, the maximum for csv; use json`)
  if (cells > CSV_CELLS_MAX)
    throw invalid(
      `file_type: ${cells} cells (${rows} rows, ${columns} columns); csv may have at most ${CSV_CELLS_MAX}; use json`,
    )
}
