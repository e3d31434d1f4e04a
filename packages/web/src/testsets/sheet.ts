import type { Json, JsonObject } from '../api/registry/registry.ts'
import type { Testcase } from '../api/registry/testsets.ts'
import { type ColumnType, memberOf, namesIn, typeOf, typeOfTexts, valueIn } from './table-text.ts'

/** A testset while it is edited: its columns in order, and its rows. */
export interface Sheet {
  columns: readonly string[]
  rows: readonly SheetRow[]
}

export interface SheetRow {
  /** Unique in the sheet. */
  key: string
  testcase: Testcase
}

/** Names the generated member by which the server recognises a row in the next revision. */
const HIDDEN = 'testcase_dedup_id'

export function sheetOf(testcases: readonly Testcase[]): Sheet {
  const columns = new Set<string>()
  for (const { data = {} } of testcases) for (const name of Object.keys(data)) if (name !== HIDDEN) columns.add(name)
  return { columns: [...columns], rows: testcases.map((testcase, index) => ({ key: `${index}`, testcase })) }
}

export const testcasesOf = (sheet: Sheet): Testcase[] => sheet.rows.map(({ testcase }) => testcase)

export const valueAt = ({ testcase: { data = {} } }: SheetRow, column: string): Json | undefined =>
  memberOf(data, column)

/** The values of a column decide; a text among numbers makes it one of texts. */
export const typesOf = ({ columns, rows }: Sheet): ColumnType[] =>
  columns.map(column => typeOf(rows.map(row => valueAt(row, column))))

/** The place of a cell. */
export interface Place {
  row: number
  column: number
}

/** Writes texts into cells from a place on, as a spreadsheet does: rows and columns that are missing are added. */
export function withTexts(sheet: Sheet, { row, column }: Place, texts: readonly (readonly string[])[]): Sheet {
  const known = typesOf(sheet)
  const typeAt = (offset: number): ColumnType =>
    known[column + offset] ?? typeOfTexts(texts.map(line => line[offset] ?? ''))
  const width = Math.max(0, ...texts.map(line => line.length))
  const columns = [...sheet.columns]
  while (columns.length < column + width) columns.push(freeName(columns))
  const rows = [...sheet.rows]
  texts.forEach((line, index) => {
    const at = row + index
    const old = rows[at] ?? emptyRow()
    const cells = line.map((text, offset) => [columns[column + offset] as string, valueIn(text, typeAt(offset))])
    rows[at] = withData(old, { ...old.testcase.data, ...Object.fromEntries(cells) })
  })
  return { columns, rows }
}

/** Pastes a table. In an empty sheet, its first line names the columns, as in a file. */
export const withPasted = (sheet: Sheet, place: Place, table: readonly string[][]): Sheet =>
  sheet.columns.length > 0
    ? withTexts(sheet, place, table)
    : withTexts({ columns: namesIn(table), rows: sheet.rows }, { row: 0, column: 0 }, table.slice(1))

export const withoutRow = ({ columns, rows }: Sheet, row: number): Sheet => ({
  columns,
  rows: rows.filter((_, at) => at !== row),
})

export const withRow = ({ columns, rows }: Sheet): Sheet => ({ columns, rows: [...rows, emptyRow()] })

export const withColumn = ({ columns, rows }: Sheet, name: string): Sheet => ({
  columns: columns.includes(name) ? columns : [...columns, name],
  rows,
})

export const withoutColumn = ({ columns, rows }: Sheet, name: string): Sheet => ({
  columns: columns.filter(one => one !== name),
  rows: rows.map(row => {
    const { [name]: _, ...data } = row.testcase.data ?? {}
    return withData(row, data)
  }),
})

/** Rows of a file, after or instead of those that are there. */
export function withImported(sheet: Sheet, imported: readonly JsonObject[], replaces: boolean): Sheet {
  const added = imported.map(data => withData(emptyRow(), data))
  const rows = replaces ? added : [...sheet.rows, ...added]
  const names = imported.flatMap(data => Object.keys(data))
  return { columns: [...new Set([...(replaces ? [] : sheet.columns), ...names])], rows }
}

let made = 0
const emptyRow = (): SheetRow => ({ key: `new-${Date.now()}-${made++}`, testcase: { data: {} } })

const withData = (row: SheetRow, data: JsonObject): SheetRow => ({ ...row, testcase: { ...row.testcase, data } })

function freeName(names: readonly string[]): string {
  for (let number = names.length + 1; ; number++) if (!names.includes(`column_${number}`)) return `column_${number}`
}

/** How a sheet differs from the revision that it began with. */
export interface SheetChanges {
  columnsAdded: string[]
  columnsRemoved: string[]
  rowsAdded: SheetRow[]
  rowsRemoved: SheetRow[]
  cells: { row: number; column: string; before: Json | undefined; after: Json | undefined }[]
}

export function changesOf(before: Sheet, after: Sheet): SheetChanges {
  const old = new Map(before.rows.map(row => [row.key, row]))
  const kept = new Set(after.rows.map(({ key }) => key))
  const shared = after.columns.filter(name => before.columns.includes(name))
  const added = after.columns.filter(name => !before.columns.includes(name))
  return {
    columnsAdded: added,
    columnsRemoved: before.columns.filter(name => !after.columns.includes(name)),
    rowsAdded: after.rows.filter(({ key }) => !old.has(key)),
    rowsRemoved: before.rows.filter(({ key }) => !kept.has(key)),
    cells: after.rows.flatMap((row, index) => {
      const one = old.get(row.key)
      if (one === undefined || one.testcase === row.testcase) return []
      return [...shared, ...added].flatMap(column => {
        const [from, to] = [valueAt(one, column), valueAt(row, column)]
        return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ row: index, column, before: from, after: to }]
      })
    }),
  }
}

export const isChanged = ({ columnsAdded, columnsRemoved, rowsAdded, rowsRemoved, cells }: SheetChanges): boolean =>
  columnsAdded.length + columnsRemoved.length + rowsAdded.length + rowsRemoved.length + cells.length > 0
