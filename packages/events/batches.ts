import type { Uuid } from '@spanhouse/model'

/** A row of a list, and how long the text of what it holds is: what is stored may be compressed. */
export interface RowSize {
  id: Uuid
  bytes: number
}

/** Rows of which one statement reads so many, or so many bytes unless one row alone has more. */
const BATCH = { rows: 250, bytes: 4 * 1024 * 1024 }

/** The rows in parts that are read one after the other while a list is sent, so that they are not in memory at once. */
export function batchesOf(sizes: readonly RowSize[]): RowSize[][] {
  const batches: RowSize[][] = []
  let [batch, room]: [RowSize[], number] = [[], 0]
  for (const size of sizes) {
    if (batches.length === 0 || batch.length === BATCH.rows || size.bytes > room) {
      batch = []
      batches.push(batch)
      room = BATCH.bytes
    }
    batch.push(size)
    room -= size.bytes
  }
  return batches
}

/** Of the batch with the most. */
export const bytesMaxOf = (batches: readonly RowSize[][]): number =>
  Math.max(0, ...batches.map(batch => batch.reduce((sum, { bytes }) => sum + bytes, 0)))
