import type { ReactNode } from 'react'
import type { Json } from '../api/registry/registry.ts'
import { CSV_START, csvLine } from '../format/csv.ts'
import { Button } from '../parts/controls.tsx'
import { FileParts } from '../parts/export/file-parts.ts'
import { saveFile } from '../parts/export/save-file.ts'
import { PopoverButton } from '../parts/popover.tsx'
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
      const save = (texts: Iterable<string>, type: string, ending: string): void => {
        const file = new FileParts()
        for (const text of texts) file.add(text)
        saveFile(file.whole(type), `${name}.${ending}`)
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

function* csvOf({ columns, rows }: Sheet): Generator<string> {
  yield CSV_START + csvLine(columns)
  for (const row of rows) yield csvLine(columns.map(column => valueAt(row, column)))
}

/** A row on each line. */
function* jsonOf({ columns, rows }: Sheet): Generator<string> {
  yield '['
  for (const [at, row] of rows.entries()) {
    const members = columns.map(column => [column, valueAt(row, column)] as [string, Json])
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(Object.fromEntries(members))}`
  }
  yield '\n]\n'
}
