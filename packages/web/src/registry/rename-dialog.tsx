import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import styles from './registry.module.css'

interface RenameDialogProps {
  kind: string
  name: string
  /** What else there is to know. */
  note?: string
  onClose: () => void
  /** Closes the dialog when it is done. */
  onRename: (name: string) => Promise<unknown>
}

/** Asks for another name. */
export function RenameDialog({ kind, name: before, note, onClose, onRename }: RenameDialogProps): ReactNode {
  const [name, setName] = useState(before)
  const rename = useMutation({ mutationFn: () => onRename(name.trim()) })
  return (
    <FormModal
      title={`Rename the ${kind}`}
      onClose={onClose}
      onSubmit={() => rename.mutate()}
      submit="Rename"
      isOff={rename.isPending || name.trim() === '' || name.trim() === before}
    >
      <TextField className={styles.field} label="Name" value={name} onChange={setName} />
      {note !== undefined && <p className={styles.soft}>{note}</p>}
      {rename.error && <Failure what="It was not renamed." error={rename.error} />}
    </FormModal>
  )
}
