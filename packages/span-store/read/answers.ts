import { nextTurn, parseRoundedJson } from '@spanhouse/model'
import { EndOfBytes, RowReader } from '../bytes/row-reader.ts'
import { unreachable } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'

/** The rows of a whole answer. One that was cut off in a row, or has other words in it, is none. */
export async function parseRows<Row>(text: string): Promise<Row[]> {
  const rows: Row[] = []
  try {
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from)
      if (end < 0) throw new Error('the answer has no end')
      rows.push(parseRoundedJson(text.slice(from, end)) as Row)
      from = end + 1
      const turn = nextTurn()
      if (turn) await turn
    }
  } catch (error) {
    throw unreachable(error as Error)
  }
  return rows
}

/** How much of an answer is gathered before its rows are read. */
const BLOCK_BYTES = 1024 * 1024

/**
 * The rows of an answer that comes in bytes, read as they come and with turns for others: no more than about a megabyte of
 * the answer is there twice. `holder` is told of bytes before they are kept, and may refuse them.
 */
export async function readRows<Row>(
  chunks: AsyncIterable<Buffer>,
  read: (row: RowReader) => Row,
  holder?: Holder,
): Promise<Row[]> {
  const rows: Row[] = []
  let waiting: Buffer[] = []
  let bytes = 0
  let enough = BLOCK_BYTES
  for await (const chunk of chunks) {
    holder?.hold(chunk.length)
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < enough) continue
    const rest = await readWhole(joined(waiting, bytes), read, rows)
    waiting = [rest]
    bytes = rest.length
    // A row that is longer than that is tried again when there is twice as much.
    enough = Math.max(BLOCK_BYTES, 2 * bytes)
  }
  const rest = await readWhole(joined(waiting, bytes), read, rows)
  if (rest.length > 0) throw unreachable(new Error('the answer ends within a row'))
  return rows
}

const joined = (buffers: Buffer[], bytes: number): Buffer =>
  buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers, bytes)

/** Reads the whole rows there are, and returns what is left. */
async function readWhole<Row>(bytes: Buffer, read: (row: RowReader) => Row, rows: Row[]): Promise<Buffer> {
  const reader = new RowReader(bytes)
  let end = 0
  try {
    while (!reader.isAtEnd) {
      rows.push(read(reader))
      end = reader.at
      const turn = nextTurn()
      if (turn) await turn
    }
  } catch (error) {
    if (!(error instanceof EndOfBytes)) throw unreachable(error as Error)
  }
  return bytes.subarray(end)
}
