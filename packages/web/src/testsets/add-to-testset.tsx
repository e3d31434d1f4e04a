import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { appendTestcases, COMMITTED, testsetsQuery } from '../api/registry/testsets.ts'
import { useRefusal } from '../api/rights.ts'
import { formatNumberOf, visible } from '../format/format.ts'
import { Button, Failure } from '../parts/controls.tsx'
import { FindSelect } from '../parts/find-select.tsx'
import { FormModal } from '../parts/modal.tsx'
import { NewTestset } from './new-testset.tsx'
import { RowsPreview } from './rows-preview.tsx'
import styles from './testsets.module.css'

interface AddToTestsetProps {
  rows: readonly JsonObject[]
  onClose: () => void
  onAdded: (testset_id: string) => void
}

/** Adds rows to a testset that there is, or to a new one. */
export function AddToTestset({ rows, onClose, onAdded }: AddToTestsetProps): ReactNode {
  const { data: testsets, error } = useQuery(testsetsQuery)
  const [chosen, setChosen] = useState<string>()
  const id = chosen ?? testsets?.[0]?.id
  const refusal = useRefusal('edit_testsets')
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: () => appendTestcases(id ?? '', rows, `Added ${formatNumberOf(rows.length, 'row')}`),
    onSuccess: async () => {
      await Promise.all(COMMITTED.map(name => queryClient.invalidateQueries({ queryKey: [name] })))
      onAdded(id ?? '')
    },
  })
  if (chosen === '' || testsets?.length === 0)
    return <NewTestset rows={rows} onClose={onClose} onCreated={testset => onAdded(testset.id)} />
  return (
    <FormModal
      title="Add to a testset"
      isWide
      onClose={onClose}
      onSubmit={() => add.mutate()}
      submit="Add"
      isOff={!id || add.isPending || refusal !== undefined}
      refusal={refusal}
      more={<Button onClick={() => setChosen('')}>New testset …</Button>}
    >
      <div className={styles.field}>
        Testset
        <FindSelect
          label="Testset"
          value={id}
          options={(testsets ?? []).map(({ id, name, slug }) => ({ value: id, label: visible(name ?? slug) }))}
          onChange={setChosen}
        />
      </div>
      {refusal !== undefined && <p className={styles.soft}>{refusal}</p>}
      {(error ?? add.error) && <Failure what="The rows were not added." error={(error ?? add.error) as Error} />}
      <RowsPreview rows={rows} />
    </FormModal>
  )
}
