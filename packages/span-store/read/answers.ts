import { nextTurn, parseRoundedJson } from '@spanhouse/model'
import { EndOfBytes, RowReader } from '../bytes/row-reader.ts'
import { unreachable } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'
import type { SentTable } from '../engine/http-client.ts'

/** The rows of a complete response. A response that was cut off within a row, or contains other text, is rejected. */
export async function parseRows<Row>(text: string): Promise<Row[]> {
  const rows: Row[] = []
  try {
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from)
      if (end < 0) throw new Error('the response is incomplete')
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

/** How many bytes of a response are gathered before their rows are read. */
const BLOCK_BYTES = 1024 * 1024

/**
 * The rows of a response in bytes, read as they arrive, yielding to other work in between: at most about a megabyte of
 * the response is in memory twice. `holder` is told of bytes before they are kept and may reject them.
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
    // A row longer than that is tried again once twice as much has arrived.
    enough = Math.max(BLOCK_BYTES, 2 * bytes)
  }
  const rest = await readWhole(joined(waiting, bytes), read, rows)
  if (rest.length > 0) throw unreachable(new Error('the response ends within a row'))
  return rows
}

const joined = (buffers: Buffer[], bytes: number): Buffer =>
  buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers, bytes)

/** Reads the complete rows and returns the remaining bytes. */
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

/** A response in RowBinaryWithNamesAndTypes format. `holder` is told of the bytes as they arrive. */
export async function readTable(chunks: AsyncIterable<Buffer>, holder?: Holder): Promise<Omit<SentTable, 'name'>> {
  const read: Buffer[] = []
  for await (const chunk of chunks) {
    holder?.hold(chunk.length)
    read.push(chunk)
  }
  const bytes = Buffer.concat(read)
  const header = new RowReader(bytes)
  try {
    const names = Array.from({ length: header.count() }, () => header.text())
    const structure = names.map(name => `${name} ${header.text()}`).join(', ')
    return { structure, rows: [bytes.subarray(header.at)] }
  } catch (error) {
    throw unreachable(error as Error)
  }
}
