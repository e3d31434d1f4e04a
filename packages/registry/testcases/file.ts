import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import {
  invalid,
  isJsonObject,
  type Json,
  JsonBoundError,
  type JsonBounds,
  type JsonObject,
  nextTurn,
  Problem,
  parseJsonInTurns,
  scanJson,
} from '@spanhouse/model'
import { readCsv, writeCsv } from './csv.ts'
import { type FileRow, type FlatRow, fromFlatRows, toFileRows, toFlatRow } from './flat-row.ts'
import { requireWithinLimits } from './limits.ts'
import type { TestcaseRow } from './table.ts'
import type { TestcaseBody } from './testcase.ts'

export const FILE_TYPES = ['csv', 'json'] as const
export type FileType = (typeof FILE_TYPES)[number]

interface Format {
  mediaType: string
  read(bytes: Buffer): JsonObject[] | Promise<JsonObject[]>
  write(rows: readonly FileRow[]): Promise<Readable>
}

/** One entry per file type. */
const FORMATS: Record<FileType, Format> = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    read: readCsv,
    write: async rows => Readable.from(await writeCsv(rows)),
  },
  json: {
    mediaType: 'application/json; charset=utf-8',
    read: readJsonRows,
    write: async rows => Readable.from(writeJson(rows)),
  },
}

/** The rows in a file. 400 that describes the error, with the row if it is known. */
export async function readTestcaseFile(bytes: Buffer, type: FileType): Promise<TestcaseBody[]> {
  requireWithinLimits({ rows: 0, bytes: bytes.length })
  if (!isUtf8(bytes)) throw invalid('file: not valid UTF-8')
  return fromFlatRows(await FORMATS[type].read(bytes))
}

export interface TestcaseFile {
  mediaType: string
  content: Readable
}

/**
 * Rows as a file that {@link readTestcaseFile} reads back; from CSV every value comes back as text. 400 for rows with
 * too many columns for CSV.
 */
export async function testcaseFile(rows: readonly TestcaseRow[], type: FileType): Promise<TestcaseFile> {
  const { mediaType, write } = FORMATS[type]
  return { mediaType, content: await write(toFileRows(rows)) }
}

/** One row after the other; together the same text as `JSON.stringify` writes. */
async function* writeJson(rows: readonly FileRow[]): AsyncGenerator<string> {
  if (rows.length === 0) yield '[]'
  for (const [index, row] of rows.entries()) {
    const end = index === rows.length - 1 ? ']' : ''
    yield `${index === 0 ? '[' : ','}${flatRowText(toFlatRow(row))}${end}`
    await nextTurn()
  }
}

const flatRowText = (row: FlatRow): string =>
  `{${Array.from(row, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`

/** As for a body of the same size. */
const JSON_BOUNDS: JsonBounds = { depthMax: 1_000, valuesMax: 1_000_000, membersMax: 100_000, digitsMax: 1_000 }
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** The objects in a JSON list; other elements are ignored. */
async function readJsonRows(bytes: Buffer): Promise<JsonObject[]> {
  const rows = await parsed(bytes.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes)
  if (!Array.isArray(rows)) throw invalid('file: must be a list of rows')
  return rows.filter(isJsonObject)
}

async function parsed(bytes: Buffer): Promise<Json> {
  try {
    await scanJson(bytes, JSON_BOUNDS)
    return await parseJsonInTurns(bytes)
  } catch (cause) {
    if (cause instanceof JsonBoundError) throw invalid(`file: ${cause.message}`)
    throw new Problem('invalid', `file: not valid JSON: ${(cause as Error).message}`, { cause })
  }
}
