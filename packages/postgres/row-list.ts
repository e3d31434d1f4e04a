import type { JsonObject, Uuid } from '@spanhouse/model'

/** Bytes in memory per stored byte of a row on its way to the client: as JSON values, as text and as bytes. */
export const HELD_PER_BYTE = 3

/** Rows that one statement returns. Smaller batches bound the memory of a response and give other work a turn. */
const BATCH = { rows: 250, bytes: 4 * 1024 * 1024 }

/** The id of a row, and its uncompressed size in bytes: Postgres may store it in a hundredth of that. */
export interface RowSize {
  id: Uuid
  bytes: number
}

/**
 * The rows of a list, read in batches during iteration, so that a list without a limit takes no more memory than a
 * short one; and the windowing for the next page, if there is one.
 */
export interface RowList<T> {
  /** How many rows were found; fewer are read if some are deleted before it is their turn. */
  count: number
  /** The size of the largest batch. */
  bytesMax: number
  rows: AsyncIterable<T>
  windowing?: JsonObject
}

export interface ListOptions {
  windowing?: JsonObject
  /** The rows that one statement returns; fewer where they are large. */
  batchRows?: number
}

/**
 * The list of these rows, in this order; one may be in it twice. `read` returns those with some of the ids, in any
 * order, except those that were deleted meanwhile, which the list then lacks.
 */
export function listOf<T extends { id: Uuid }>(
  sizes: readonly RowSize[],
  read: (batch: readonly RowSize[]) => Promise<T[]>,
  { windowing, batchRows = BATCH.rows }: ListOptions = {},
): RowList<T> {
  const batches = [...batchesOf(sizes, { ...BATCH, rows: batchRows })]
  const bytesMax = Math.max(0, ...batches.map(batch => batch.reduce((sum, { bytes }) => sum + bytes, 0)))
  return { count: sizes.length, bytesMax, rows: rowsOf(batches, read), ...(windowing && { windowing }) }
}

async function* rowsOf<T extends { id: Uuid }>(
  batches: readonly RowSize[][],
  read: (batch: readonly RowSize[]) => Promise<T[]>,
): AsyncGenerator<T> {
  for (const batch of batches) {
    const rows = new Map((await read(batch)).map(row => [row.id, row]))
    for (const { id } of batch) {
      const row = rows.get(id)
      if (row) yield row
    }
  }
}

/** Rows in batches for one statement each, of at most these numbers of rows and bytes, or one row that is larger. */
export function* batchesOf<Row extends RowSize>(sizes: readonly Row[], most = BATCH): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const size of sizes) {
    if (batch.length === most.rows || (batch.length > 0 && bytes + size.bytes > most.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(size)
    bytes += size.bytes
  }
  if (batch.length > 0) yield batch
}
