import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../api/registry.ts'
import { controls, Failure } from '../parts/controls.tsx'
import { delimiterOf, rowsOf, tableIn, textOfFile } from './table-text.ts'
import styles from './testsets.module.css'

/** Reads a table: a CSV file, or cells that were copied in a spreadsheet. The first line names the columns. */
export function TableInput({ onRead }: { onRead: (rows: JsonObject[]) => void }): ReactNode {
  const [table, setTable] = useState<string[][]>([])
  const [recognises, setRecognises] = useState(true)
  const [error, setError] = useState<Error>()
  const take = async (given: string | Promise<string>): Promise<void> => {
    try {
      const text = await given
      const next = await tableIn(text, delimiterOf(text))
      setTable(next)
      setError(undefined)
      onRead(rowsOf(next, recognises))
    } catch (failure) {
      // Not the rows of what was read before: nobody would notice.
      setTable([])
      onRead([])
      setError(failure as Error)
    }
  }
  return (
    <>
      <label className={styles.field}>
        CSV file
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) void take(file.arrayBuffer().then(textOfFile))
          }}
        />
      </label>
      <label className={styles.field}>
        Or paste cells of a spreadsheet; the first line names the columns
        <textarea
          className={`${controls.input} ${styles.paste}`}
          rows={3}
          onChange={({ target: { value } }) => void take(value)}
        />
      </label>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={recognises}
          onChange={({ target }) => {
            setRecognises(target.checked)
            onRead(rowsOf(table, target.checked))
          }}
        />
        Read numbers, true and false, and JSON as such
      </label>
      {error && <Failure what="The table cannot be read." error={error} />}
    </>
  )
}
