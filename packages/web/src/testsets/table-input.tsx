import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { controls, Failure } from '../parts/controls.tsx'
import { jsonRowsIn } from './json-rows.ts'
import { delimiterOf, rowsOf, tableIn, textOfFile } from './table-text.ts'
import styles from './testsets.module.css'

/** What was read: rows of JSON, or a table whose first line names the columns. */
type Read = { rows: JsonObject[] } | { table: string[][] }

const NOTHING: Read = { table: [] }

const rowsIn = (read: Read, recognises: boolean): JsonObject[] =>
  'rows' in read ? read.rows : rowsOf(read.table, recognises)

async function readIn(text: string): Promise<Read> {
  const rows = jsonRowsIn(text)
  return rows ? { rows } : { table: await tableIn(text, delimiterOf(text)) }
}

/** Reads rows: a CSV or JSON file, cells that were copied in a spreadsheet, or JSON that is pasted. */
export function TableInput({ onRead }: { onRead: (rows: JsonObject[]) => void }): ReactNode {
  const [read, setRead] = useState(NOTHING)
  const [recognises, setRecognises] = useState(true)
  const [error, setError] = useState<Error>()
  const take = async (given: string | Promise<string>): Promise<void> => {
    try {
      const next = await readIn(await given)
      setRead(next)
      setError(undefined)
      onRead(rowsIn(next, recognises))
    } catch (failure) {
      // Not the rows of what was read before: nobody would notice.
      setRead(NOTHING)
      onRead([])
      setError(failure as Error)
    }
  }
  return (
    <>
      <label className={styles.field}>
        CSV or JSON file
        <input
          type="file"
          accept=".csv,.json,.jsonl,.ndjson,text/csv,application/json"
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) void take(file.arrayBuffer().then(textOfFile))
          }}
        />
      </label>
      <label className={styles.field}>
        Or paste cells of a spreadsheet, whose first line names the columns, or JSON: objects in an array or on lines
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
          disabled={'rows' in read}
          title={'rows' in read ? 'JSON has its own types.' : undefined}
          onChange={({ target }) => {
            setRecognises(target.checked)
            onRead(rowsIn(read, target.checked))
          }}
        />
        Read numbers, true and false, and JSON as such
      </label>
      {error && <Failure what="The rows cannot be read." error={error} />}
    </>
  )
}
