import { type ReactNode, useState } from 'react'
import type { TestsetRevision } from '../api/registry/testsets.ts'
import { useRefusal } from '../api/rights.ts'
import { formatNumberOf } from '../format/format.ts'
import { Button } from '../parts/controls.tsx'
import { NameForm } from '../parts/name-form.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { isStored, useStored } from '../parts/use-stored.ts'
import { CommitDialog } from './commit-dialog.tsx'
import { ExportMenu } from './export-menu.tsx'
import { ImportDialog } from './import-dialog.tsx'
import {
  changesOf,
  isChanged,
  type Place,
  type Sheet,
  sheetOf,
  typesOf,
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

const storedAs = (revision_id: string): string => `sheet.${revision_id}`

/** Whether this browser has changes of a revision that are not saved. */
export const hasChanges = (revision_id: string): boolean => isStored(storedAs(revision_id))

/** The rows of a revision as a sheet, and what can be done with them. What is not saved yet is kept in this browser. */
export function SheetEditor({ revision, onCommitted }: SheetEditorProps): ReactNode {
  const [base] = useState(() => sheetOf(revision.data?.testcases ?? []))
  const [edited, setEdited] = useStored<Sheet>(storedAs(revision.id))
  const sheet = edited ?? base
  const [undone, setUndone] = useState<readonly Sheet[]>([])
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 })
  const [open, setOpen] = useState<'commit' | 'import'>()
  const refusal = useRefusal('edit_testsets')
  const changes = changesOf(base, sheet)
  const types = typesOf(sheet)
  const changed = new Set(changes.cells.map(({ row, column }) => `${row}/${column}`))
  const keep = (next: Sheet): void => setEdited(next === base ? undefined : next)
  const change = (next: Sheet): void => {
    setUndone([...undone.slice(-UNDO_MAX), sheet])
    keep(next)
  }
  const undo = (): void => {
    const before = undone.at(-1)
    if (before === undefined) return
    setUndone(undone.slice(0, -1))
    keep(before)
  }
  return (
    <>
      <div className={styles.toolbar}>
        <Button onClick={() => change(withRow(sheet))}>Add a row</Button>
        <PopoverButton label="Add a column">
          <NameForm
            label="Name of the column"
            isTaken={name => sheet.columns.includes(name)}
            onAdd={name => change(withColumn(sheet, name))}
          />
        </PopoverButton>
        <Button disabled={sheet.rows.length === 0} onClick={() => change(withoutRow(sheet, place.row))}>
          Delete row {Math.min(place.row + 1, Math.max(1, sheet.rows.length))}
        </Button>
        <Button onClick={() => setOpen('import')}>Import …</Button>
        <ExportMenu sheet={sheet} name={`${revision.testset_slug}-v${revision.version}${edited ? '-changed' : ''}`} />
        <Button disabled={undone.length === 0} onClick={undo}>
          Undo
        </Button>
        <Button disabled={!isChanged(changes)} onClick={() => change(base)}>
          Discard
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
        types={types}
        changed={changed}
        place={place}
        onMove={setPlace}
        onChange={change}
        onRemoveColumn={name => change(withoutColumn(sheet, name))}
      />
      <footer className={styles.foot}>
        <span>{formatNumberOf(sheet.rows.length, 'row')}</span>
        <span role="status">{isChanged(changes) ? 'Not saved yet' : `As in v${revision.version}`}</span>
        {refusal !== undefined && <span>{refusal}</span>}
      </footer>
      {open === 'commit' && (
        <CommitDialog
          base={revision}
          sheet={sheet}
          changes={changes}
          onClose={() => setOpen(undefined)}
          onCommitted={() => {
            setEdited(undefined)
            onCommitted()
          }}
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
