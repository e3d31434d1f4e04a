import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { invalid, type JsonObject, nextTurn, Problem } from '@spanhouse/model'
import { type CsvError, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { FILE_COLUMNS, type FileRow, type FlatRow, toFlatRow } from './flat-row.ts'
import { CSV_COLUMNS_MAX, requireWithinLimits, requireWritableAsCsv } from './limits.ts'

/** Bytes read, and cells written, before other work gets a turn: a few milliseconds of work. */
const SLICE_BYTES = 128 * 1024
const SLICE_CELLS = 10_000

const LINE_ENDS = ['\r\n', '\n', '\r']

/** The rows of a CSV file (RFC 4180, any line ends) in UTF-8: texts by column. 400 that names the first invalid row. */
export async function readCsv(bytes: Buffer): Promise<JsonObject[]> {
  const records = Readable.from(slicesOf(bytes)).pipe(
    parse({ bom: true, skip_empty_lines: true, record_delimiter: LINE_ENDS }),
  )
  let columns: string[] | undefined
  const rows: JsonObject[] = []
  let length = 0
  try {
    for await (const record of records as AsyncIterable<string[]>) {
      if (columns === undefined) {
        columns = requireDistinct(record)
        continue
      }
      rows.push(Object.fromEntries(columns.map((name, index) => [name, record[index] as string])))
      length += lengthOf(columns, record)
      requireWithinLimits({ rows: rows.length, bytes: length })
    }
  } catch (error) {
    throw error instanceof Problem ? error : unreadable(error as CsvError)
  }
  return rows
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES)
    await setImmediate()
  }
}

/**
 * `"name":"value",`: the minimum size of a cell as JSON. A file of blank cells would grow to a hundred times its size.
 */
const CELL_LENGTH = 6

function lengthOf(columns: readonly string[], record: readonly string[]): number {
  let length = 0
  for (const [index, name] of columns.entries())
    if (!FILE_COLUMNS.has(name)) length += name.length + (record[index] as string).length + CELL_LENGTH
  return length
}

function requireDistinct(columns: string[]): string[] {
  if (columns.length > CSV_COLUMNS_MAX)
    throw invalid(`file: ${columns.length} columns; a CSV file may have at most ${CSV_COLUMNS_MAX}`)
  const seen = new Set<string>()
  const twice = columns.find(name => seen.size === seen.add(name).size)
  if (twice !== undefined) throw invalid(`file: the column ${JSON.stringify(twice)} occurs twice`)
  return columns
}

const LENGTH_CODE = 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'

/** The reader's position. The header counts as a record, so this is the number of the invalid row. */
function unreadable(error: CsvError & { lines?: number; records?: number }): Problem {
  const where = `file: row ${error.records} (line ${error.lines})`
  const why =
    error.code === LENGTH_CODE
      ? 'the number of values differs from the number of columns'
      : `not valid CSV: ${error.message}`
  return new Problem('invalid', `${where}: ${why}`, { cause: error })
}

/**
 * The rows as CSV, in parts; nothing for no rows. Columns are sorted; metadata columns without values are omitted.
 * Rejects with a 400 for rows that are too large for CSV, before the first part.
 */
export async function writeCsv(rows: readonly FileRow[]): Promise<AsyncGenerator<string>> {
  const columns = await columnsOf(rows)
  return partsOf(rows, columns)
}

async function* partsOf(rows: readonly FileRow[], columns: readonly string[]): AsyncGenerator<string> {
  const rowsAtOnce = Math.ceil(SLICE_CELLS / columns.length)
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const flatRows = rows.slice(at, at + rowsAtOnce).map(toFlatRow)
    const cells = flatRows.map(row => columns.map(name => cellOf(row, name)))
    // The library does not quote other line ends, at which every reader would end the row.
    yield stringify(at === 0 ? [[...columns], ...cells] : cells, { quoted_match: /\r/ })
    await nextTurn()
  }
}

async function columnsOf(rows: readonly FileRow[]): Promise<string[]> {
  const columns = new Set<string>()
  for (const row of rows) {
    for (const [name, value] of toFlatRow(row)) if (value !== null || !FILE_COLUMNS.has(name)) columns.add(name)
    requireWritableAsCsv(rows.length, columns.size)
    await nextTurn()
  }
  return [...columns].sort()
}

function cellOf(row: FlatRow, column: string): string {
  const value = row.get(column)
  if (value == null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
