import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { createTestset, type Testset } from '../api/registry/testsets.ts'
import { useRefusal } from '../api/rights.ts'
import { Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { RowsPreview } from './rows-preview.tsx'
import { TableInput } from './table-input.tsx'
import styles from './testsets.module.css'

interface NewTestsetProps {
  name?: string
  /** The rows, when they come from elsewhere on the page. */
  rows?: readonly JsonObject[]
  onClose: () => void
  onCreated: (testset: Testset) => void
}

/** Creates a testset from rows that are there, or from what is pasted or read from a file; all are shown first. */
export function NewTestset({ name: proposed = '', rows: given, onClose, onCreated }: NewTestsetProps): ReactNode {
  const [name, setName] = useState(proposed)
  const [read, setRead] = useState<readonly JsonObject[]>([])
  const rows = given ?? read
  const refusal = useRefusal('edit_testsets')
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: () => createTestset(name.trim(), rows),
    onSuccess: async testset => {
      await queryClient.invalidateQueries({ queryKey: ['testsets'] })
      onCreated(testset)
    },
  })
  return (
    <FormModal
      title="New testset"
      isWide
      onClose={onClose}
      onSubmit={() => create.mutate()}
      submit="Create"
      isOff={create.isPending || name.trim() === '' || refusal !== undefined}
      refusal={refusal}
    >
      <TextField className={styles.field} label="Name" value={name} onChange={setName} />
      {given === undefined && <TableInput onRead={setRead} />}
      {refusal !== undefined && <p className={styles.soft}>{refusal}</p>}
      {create.error && <Failure what="The testset was not created." error={create.error} />}
      <RowsPreview rows={rows} />
    </FormModal>
  )
}
