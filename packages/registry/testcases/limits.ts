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
