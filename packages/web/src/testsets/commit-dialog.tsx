import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Json } from '../api/registry/registry.ts'
import { COMMITTED, commitTestset, type TestsetRevision } from '../api/registry/testsets.ts'
import { MISSING, visible } from '../format/format.ts'
import { Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { type Sheet, type SheetChanges, testcasesOf } from './sheet.ts'
import { textOfValue } from './table-text.ts'
import styles from './testsets.module.css'

interface CommitDialogProps {
  base: TestsetRevision
  sheet: Sheet
  changes: SheetChanges
  onClose: () => void
  onCommitted: () => void
}

/** More changes than one reads: the rest is a count. */
const SHOWN = 50

/** Shows what has changed, and commits it. */
export function CommitDialog({ base, sheet, changes, onClose, onCommitted }: CommitDialogProps): ReactNode {
  const [message, setMessage] = useState('')
  const queryClient = useQueryClient()
  const commit = useMutation({
    mutationFn: () => commitTestset({ base, testcases: testcasesOf(sheet), message }),
    onSuccess: async () => {
      onCommitted()
      await Promise.all(COMMITTED.map(name => queryClient.invalidateQueries({ queryKey: [name] })))
    },
  })
  const { columnsAdded, columnsRemoved, rowsAdded, rowsRemoved, cells } = changes
  return (
    <FormModal
      title={`Save changes to v${base.version}`}
      isWide
      onClose={onClose}
      onSubmit={() => commit.mutate()}
      submit="Commit"
      isOff={commit.isPending}
    >
      <TextField
        className={styles.field}
        label="Message"
        value={message}
        placeholder="What changed, and why"
        onChange={setMessage}
      />
      {commit.error && <Failure what="It was not saved." error={commit.error} />}
      <ul className={styles.changes} aria-label="Changes">
        {columnsAdded.length > 0 && <li>Columns added: {visible(columnsAdded.join(', '))}</li>}
        {columnsRemoved.length > 0 && <li>Columns deleted: {visible(columnsRemoved.join(', '))}</li>}
        {rowsAdded.length > 0 && <li>Rows added: {rowsAdded.length}</li>}
        {rowsRemoved.length > 0 && <li>Rows deleted: {rowsRemoved.length}</li>}
        {cells.slice(0, SHOWN).map(({ row, column, before, after }) => (
          <li key={`${row}/${column}`}>
            Row {row + 1}, {visible(column)}: <del>{short(before)}</del> → <ins>{short(after)}</ins>
          </li>
        ))}
        {cells.length > SHOWN && <li>… and {cells.length - SHOWN} more cells</li>}
      </ul>
    </FormModal>
  )
}

const short = (value: Json | undefined): string => visible(textOfValue(value).slice(0, 200)) || MISSING
