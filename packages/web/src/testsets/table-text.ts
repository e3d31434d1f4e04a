import { isExactInteger, parseExact } from '../api/exact-json.ts'
import type { Json, JsonObject } from '../api/registry/registry.ts'
import { unguarded } from '../format/csv.ts'

/** The type of a column: how its cells are read when they are typed. */
const TYPES = ['text', 'number', 'boolean', 'json'] as const
export type ColumnType = (typeof TYPES)[number]

/** The type that all values of a column have; texts if they differ, or if there is none. */
export function typeOf(values: readonly (Json | undefined)[]): ColumnType {
  const types = new Set(values.filter(value => value !== undefined && value !== null && value !== '').map(one))
  const [type, ...others] = types
  return others.length > 0 ? (types.has('json') ? 'json' : 'text') : (type ?? 'text')
}

const one = (value: Json | undefined): ColumnType =>
  typeof value === 'number' || isExactInteger(value)
    ? 'number'
    : typeof value === 'boolean'
      ? 'boolean'
      : typeof value === 'string'
        ? 'text'
        : 'json'

/** The value of a cell as it is typed; what does not fit the column stays a text. */
export function valueIn(text: string, type: ColumnType): Json {
  if (type === 'number' && text.trim() !== '' && isKept(text.trim())) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true'
  if (type !== 'json') return text
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

/** Whether a text is a number that has all its digits: an id of 19 digits would become another one. */
const isKept = (text: string): boolean =>
  Number.isFinite(Number(text)) && (text.replace(/\D/g, '').length <= 15 || String(Number(text)) === text)

/** The value of a column in a row; undefined if the row has none. */
export const memberOf = (data: JsonObject, column: string): Json | undefined =>
  Object.hasOwn(data, column) ? data[column] : undefined

export const textOfValue = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The text of a file in UTF-8. Throws for another encoding, whose characters would be lost. */
export function textOfFile(bytes: BufferSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('The file is not in UTF-8. Save a table as “CSV UTF-8”.')
  }
}

type Delimiter = ',' | ';' | '\t'

/**
 * What is between the names in the first line. Spreadsheets copy tabs, and the names may have commas; where numbers have
 * commas, files have semicolons, more of them than commas.
 */
export function delimiterOf(text: string): Delimiter {
  const [names = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  if (names.includes('\t')) return '\t'
  return names.split(';').length > names.split(',').length ? ';' : ','
}

/**
 * A table that was pasted from a spreadsheet, or a CSV file. An empty line of a spreadsheet is a row whose only cell is
 * empty. Throws an error that names the line.
 */
export async function tableIn(text: string, delimiter: Delimiter): Promise<string[][]> {
  const { parse } = await import('csv-parse/browser/esm/sync')
  const skip_empty_lines = delimiter !== '\t'
  return parse(text, { delimiter, bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines })
}

/** Cells that were pasted. Spreadsheets close every quote that they open; a text from elsewhere is taken as it is. */
export const pastedIn = (text: string): Promise<string[][]> =>
  tableIn(text, '\t').catch(() =>
    text
      .replace(/\r?\n$/, '')
      .split(/\r?\n/)
      .map(line => line.split('\t')),
  )

/**
 * Rows by the names in the first line of a table; numbers and switches are recognised if a whole column has only these.
 */
export function rowsOf(given: string[][], recognises: boolean): JsonObject[] {
  const table = given.map(line => line.map(unguarded))
  const [, ...lines] = table
  const columns = namesIn(table)
  const types = columns.map((_, index) => (recognises ? typeOfTexts(lines.map(line => line[index] ?? '')) : 'text'))
  return lines.map(line =>
    Object.fromEntries(columns.map((name, index) => [name, valueIn(line[index] ?? '', types[index] as ColumnType)])),
  )
}

/** The names of all columns of a table, by its first line; one without a name, or with that of another, gets one. */
export function namesIn(table: readonly (readonly string[])[]): string[] {
  const width = table.reduce((most, line) => Math.max(most, line.length), 0)
  const names = new Set<string>()
  for (let column = 0; column < width; column++) {
    const name = table[0]?.[column]?.trim() || `column_${column + 1}`
    let free = name
    for (let number = 2; names.has(free); number++) free = `${name}_${number}`
    names.add(free)
  }
  return [...names]
}

/** The type that all texts of a column can be read as. */
export function typeOfTexts(texts: readonly string[]): ColumnType {
  const filled = texts.filter(text => text !== '')
  if (filled.length === 0) return 'text'
  // Not 007, whose zeros mean something.
  if (filled.every(text => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && isKept(text))) return 'number'
  if (filled.every(text => /^(true|false)$/i.test(text))) return 'boolean'
  return filled.every(text => /^[[{]/.test(text)) ? 'json' : 'text'
}
