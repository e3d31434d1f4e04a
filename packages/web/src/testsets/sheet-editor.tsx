import { type ReactNode, useState } from 'react'
import { useRefusal } from '../api/rights.ts'
import type { TestsetRevision } from '../api/testsets.ts'
import { formatCount } from '../format/format.ts'
import { Button, controls } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { CommitDialog } from './commit-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import {
  changesOf,
  isChanged,
  type Place,
  type Sheet,
  sheetOf,
  withColumn,
  withImported,
  withoutColumn,
  withoutRow,
  withRow,
} from './sheet.ts'
import { SheetGrid } from './sheet-grid.tsx'
import styles from './testsets.module.css'

interface SheetEditorProps {
  revision: TestsetRevision
  onCommitted: () => void
}

/** The rows of a revision as a sheet, and what can be done with them. */
export function SheetEditor({ revision, onCommitted }: SheetEditorProps): ReactNode {
  const [base] = useState(() => sheetOf(revision.data?.testcases ?? []))
  const [sheet, setSheet] = useState(base)
  const [undone, setUndone] = useState<readonly Sheet[]>([])
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 })
  const [open, setOpen] = useState<'commit' | 'import'>()
  const refusal = useRefusal('edit_testsets')
  const changes = changesOf(base, sheet)
  const change = (next: Sheet): void => {
    setUndone([...undone.slice(-UNDO_MAX), sheet])
    setSheet(next)
  }
  const undo = (): void => {
    const before = undone.at(-1)
    if (before === undefined) return
    setUndone(undone.slice(0, -1))
    setSheet(before)
  }
  return (
    <>
      <div className={styles.toolbar}>
        <Button onClick={() => change(withRow(sheet))}>Add a row</Button>
        <PopoverButton label="Add a column">
          <NewColumn onAdd={name => change(withColumn(sheet, name))} />
        </PopoverButton>
        <Button disabled={sheet.rows.length === 0} onClick={() => change(withoutRow(sheet, place.row))}>
          Delete row {Math.min(place.row + 1, Math.max(1, sheet.rows.length))}
        </Button>
        <Button onClick={() => setOpen('import')}>Import CSV …</Button>
        <Button disabled={undone.length === 0} onClick={undo}>
          Undo
        </Button>
        <Button
          look="primary"
          disabled={!isChanged(changes) || refusal !== undefined}
          title={refusal}
          onClick={() => setOpen('commit')}
        >
          Save …
        </Button>
      </div>
      <SheetGrid
        sheet={sheet}
        changed={changes.cells}
        place={place}
        onMove={setPlace}
        onChange={change}
        onRemoveColumn={name => change(withoutColumn(sheet, name))}
      />
      <footer className={styles.foot}>
        <span>{formatCount(sheet.rows.length)} rows</span>
        <span role="status">{isChanged(changes) ? 'Not saved yet' : `As in v${revision.version}`}</span>
        {refusal !== undefined && <span>{refusal}</span>}
      </footer>
      {open === 'commit' && (
        <CommitDialog
          base={revision}
          sheet={sheet}
          changes={changes}
          onClose={() => setOpen(undefined)}
          onCommitted={onCommitted}
        />
      )}
      {open === 'import' && (
        <ImportDialog
          onClose={() => setOpen(undefined)}
          onImport={(rows, replaces) => {
            change(withImported(sheet, rows, replaces))
            setOpen(undefined)
          }}
        />
      )}
    </>
  )
}

const UNDO_MAX = 50

function NewColumn({ onAdd }: { onAdd: (name: string) => void }): ReactNode {
  const [name, setName] = useState('')
  return (
    <form
      className={styles.field}
      onSubmit={event => {
        event.preventDefault()
        if (name.trim() === '') return
        onAdd(name.trim())
        setName('')
      }}
    >
      <input
        className={controls.input}
        aria-label="Name of the column"
        placeholder="Name of the column"
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        Add
      </Button>
    </form>
  )
}
