import type { ReactNode } from 'react'
import type { Json } from '../api/registry/registry.ts'
import { CSV_START, csvLine } from '../format/csv.ts'
import { Button } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { saveFile } from '../parts/save-file.ts'
import { type Sheet, valueAt } from './sheet.ts'
import styles from './testsets.module.css'

interface ExportMenuProps {
  /** What is saved: also what is not committed yet. */
  sheet: Sheet
  /** Of the file, without its ending. */
  name: string
}

/** Saves the rows of a sheet as a file. */
export const ExportMenu = ({ sheet, name }: ExportMenuProps): ReactNode => (
  <PopoverButton label="Export">
    {close => {
      const save = (lines: string[], type: string, ending: string): void => {
        saveFile(new Blob(lines, { type }), `${name}.${ending}`)
        close()
      }
      return (
        <div className={styles.export}>
          <Button onClick={() => save(csvOf(sheet), 'text/csv', 'csv')}>CSV, for spreadsheets</Button>
          <Button onClick={() => save(jsonOf(sheet), 'application/json', 'json')}>JSON, with types</Button>
        </div>
      )
    }}
  </PopoverButton>
)

const csvOf = ({ columns, rows }: Sheet): string[] => [
  CSV_START,
  csvLine(columns),
  ...rows.map(row => csvLine(columns.map(column => valueAt(row, column)))),
]

/** A row on each line. */
function jsonOf({ columns, rows }: Sheet): string[] {
  const lines = rows.map(row => {
    const members = columns.map(column => [column, valueAt(row, column)] as [string, Json])
    return JSON.stringify(Object.fromEntries(members))
  })
  return ['[\n', lines.join(',\n'), '\n]\n']
}
