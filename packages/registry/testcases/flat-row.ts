import {
  invalid,
  isJsonObject,
  type Json,
  type JsonBounds,
  type JsonObject,
  nextTurn,
  parseJson,
  scanShortJson,
  type Uuid,
} from '@spanhouse/model'
import { DEDUP_COLUMN, DEDUP_FILE_COLUMN } from './dedup.ts'
import { requireWithinLimits } from './limits.ts'
import type { TestcaseRow } from './table.ts'
import { METADATA, said, type TestcaseBody } from './testcase.ts'

/** In a file a row is one flat object: its columns, plus these. */
const ID_FILE_COLUMN = '__id__'
const METADATA_FILE_COLUMNS = METADATA.map(name => [name, `__${name}__`] as const)

/** The columns that hold metadata of rows. */
export const FILE_COLUMNS: ReadonlySet<string> = new Set([
  ID_FILE_COLUMN,
  DEDUP_FILE_COLUMN,
  ...METADATA_FILE_COLUMNS.map(([, column]) => column),
])

/** A row to be written to a file; null: without an id. */
export type FileRow = Pick<TestcaseRow, 'data' | 'flags' | 'tags' | 'meta'> & { id: Uuid | null }

/**
 * The rows of a testset, which may contain a row twice. Only the first names its id: a reader keeps one row of each id.
 */
export function toFileRows(rows: readonly TestcaseRow[]): FileRow[] {
  const ids = new Set<Uuid>()
  return rows.map(row => (ids.size === ids.add(row.id).size ? { ...row, id: null } : row))
}

/** A row as written to a file: values by column. No object, which would cost a hidden class for each column. */
export type FlatRow = ReadonlyMap<string, Json>

/** Columns of the data come first, then {@link FILE_COLUMNS}, which take the place of columns of their names. */
export function toFlatRow(row: FileRow): FlatRow {
  const flatRow = new Map<string, Json>()
  for (const name of Object.keys(row.data)) if (name !== DEDUP_COLUMN) flatRow.set(name, row.data[name] as Json)
  const dedupId = row.data[DEDUP_COLUMN] ?? row.data[DEDUP_FILE_COLUMN] ?? null
  flatRow.delete(DEDUP_FILE_COLUMN)
  flatRow.set(ID_FILE_COLUMN, row.id)
  flatRow.set(DEDUP_FILE_COLUMN, dedupId)
  for (const [name, column] of METADATA_FILE_COLUMNS) flatRow.set(column, row[name] ?? null)
  return flatRow
}

/** The rows in a file's content. Of rows with the same `__id__` the last one is used. 400 that names an invalid row. */
export async function fromFlatRows(flatRows: readonly JsonObject[]): Promise<TestcaseBody[]> {
  const rows = new Map<string | number, TestcaseBody>()
  for (const [index, flatRow] of flatRows.entries()) {
    const row = fromFlatRow(flatRow, index + 1)
    rows.set(row.id ?? index, row)
    requireWithinLimits({ rows: rows.size })
    await nextTurn()
  }
  return [...rows.values()]
}

/** The file's dedup id stays in the data and is later moved to its column, as for any other row. */
function fromFlatRow(flatRow: JsonObject, position: number): TestcaseBody {
  const columns = Object.entries(flatRow).filter(([name]) => !FILE_COLUMNS.has(name) || name === DEDUP_FILE_COLUMN)
  const id = flatRow[ID_FILE_COLUMN]
  const metadata = METADATA_FILE_COLUMNS.map(([name, column]) => [name, metadataIn(flatRow, column, position)])
  return {
    ...(typeof id === 'string' && id.trim() !== '' && { id }),
    data: Object.fromEntries(columns),
    ...said(Object.fromEntries(metadata)),
  }
}

/** An object, or the JSON text of one in CSV; blank text means none. */
function metadataIn(flatRow: JsonObject, column: string, position: number): JsonObject | undefined {
  const value = flatRow[column] ?? ''
  if (typeof value === 'string' && value.trim() === '') return undefined
  const object = typeof value === 'string' ? parsed(value) : value
  if (isJsonObject(object)) return object
  throw invalid(`file: row ${position}: ${column} is not a JSON object`)
}

/** Bounds for the JSON text in one cell. */
const CELL_BOUNDS: JsonBounds = { depthMax: 200, valuesMax: 10_000, membersMax: 10_000, digitsMax: 1_000 }

function parsed(text: string): Json | undefined {
  try {
    scanShortJson(text, CELL_BOUNDS)
    return parseJson(text)
  } catch {
    return undefined
  }
}
