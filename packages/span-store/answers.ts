import { unreachable } from './failures.ts'
import { RowReader } from './row-reader.ts'

/** The rows of a whole answer. One that was cut off in a row, or has other words in it, is none. */
export function parseRows<Row>(text: string): Row[] {
  const rows: Row[] = []
  try {
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from)
      if (end < 0) throw new Error('the answer has no end')
      rows.push(JSON.parse(text.slice(from, end)))
      from = end + 1
    }
  } catch (error) {
    throw unreachable(error as Error)
  }
  return rows
}

/** The same for an answer in bytes. */
export function readRows<Row>(bytes: Buffer, read: (row: RowReader) => Row): Row[] {
  const reader = new RowReader(bytes)
  const rows: Row[] = []
  try {
    while (!reader.isAtEnd) rows.push(read(reader))
  } catch (error) {
    throw unreachable(error as Error)
  }
  return rows
}
