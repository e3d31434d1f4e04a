import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useRefusal } from '../api/rights.ts'
import { savedQueriesQuery, saveQuery } from '../api/saved-queries.ts'
import { visible } from '../format/format.ts'
import { Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { parseFilterText } from './filter-text.ts'
import type { TracesSearch } from './search.ts'
import styles from './traces.module.css'

/** Keeps the filter of the list under a name. */
export function SaveQueryDialog({ search, onClose }: { search: TracesSearch; onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const queryClient = useQueryClient()
  const refusal = useRefusal('edit_queries')
  const save = useMutation({
    mutationFn: () =>
      saveQuery({ name: name.trim(), focus: search.focus ?? 'trace', filtering: parseFilterText(search.q ?? '') }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: savedQueriesQuery.queryKey })
      onClose()
    },
  })
  const isReady = name.trim() !== '' && refusal === undefined
  return (
    <FormModal
      title="Save this filter"
      onClose={onClose}
      onSubmit={() => isReady && save.mutate()}
      submit="Save"
      isOff={!isReady || save.isPending}
      refusal={refusal}
    >
      <code className={styles.filterText}>{visible(search.q ?? '')}</code>
      <TextField className={styles.field} label="Name" value={name} onChange={setName} />
      {refusal !== undefined && <p>{refusal}</p>}
      {save.error && <Failure what="The filter was not saved." error={save.error} />}
    </FormModal>
  )
}
