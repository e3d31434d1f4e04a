import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { useRefusal } from '../api/rights.ts'
import { namedQuery, nameOf, replaceQuery, savedQueriesQuery, saveQuery } from '../api/saved-queries.ts'
import { visible } from '../format/format.ts'
import { Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { parseFilterText } from './filter-text.ts'
import type { TracesSearch } from './search.ts'
import styles from './traces.module.css'

/** Keeps the filter of the list under a name, of which there is one: a filter that has it can be replaced. */
export function SaveQueryDialog({ search, onClose }: { search: TracesSearch; onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const noteId = useId()
  const queryClient = useQueryClient()
  const refusal = useRefusal('edit_queries')
  const { data: saved = [] } = useQuery(savedQueriesQuery)
  const taken = namedQuery(saved, name)
  const save = useMutation({
    mutationFn: async (): Promise<boolean> => {
      const filter = { focus: search.focus ?? 'trace', filtering: parseFilterText(search.q ?? '') }
      // Another user may have saved one in the meantime: only what the dialog named is replaced.
      await queryClient.refetchQueries({ queryKey: savedQueriesQuery.queryKey }, { throwOnError: true })
      const now = namedQuery(queryClient.getQueryData(savedQueriesQuery.queryKey) ?? [], name)
      if (now?.id !== taken?.id) return false
      await (taken ? replaceQuery(taken.id, filter) : saveQuery({ name: name.trim(), ...filter }))
      return true
    },
    onSuccess: async isSaved => {
      if (!isSaved) return
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
      submit={taken ? 'Replace' : 'Save'}
      isOff={!isReady || save.isPending}
      refusal={refusal}
    >
      <code className={styles.filterText}>{visible(search.q ?? '')}</code>
      <TextField className={styles.field} label="Name" value={name} onChange={setName} aria-describedby={noteId} />
      <p id={noteId} className={styles.hint} role="status">
        {taken &&
          `There is a filter “${visible(nameOf(taken))}”. Replace it, or choose another name. Evaluations that use it keep the old one.`}
      </p>
      {refusal !== undefined && <p>{refusal}</p>}
      {save.error && <Failure what="The filter was not saved." error={save.error} />}
    </FormModal>
  )
}
