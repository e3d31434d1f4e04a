import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useRefusal } from '../api/rights.ts'
import { type SavedQuery, savedQueriesQuery, saveQuery } from '../api/saved-queries.ts'
import { visible } from '../format/format.ts'
import { Button, controls, Failure } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { printFilter } from './filter-print.ts'
import { parseFilterText } from './filter-text.ts'
import type { Change, TracesSearch } from './search.ts'
import styles from './traces.module.css'

interface SavedQueriesProps {
  search: TracesSearch
  change: Change
}

/** The filters that the project keeps; choosing one puts its text into the filter line. */
export function SavedQueries({ search, change }: SavedQueriesProps): ReactNode {
  const [isSaving, setIsSaving] = useState(false)
  return (
    <>
      <PopoverButton label="Saved">
        <Kept
          onChoose={({ data }) =>
            change({
              q: (data?.filtering && printFilter(data.filtering)) || undefined,
              focus: data?.formatting?.focus === 'span' ? 'span' : undefined,
            })
          }
        />
        <Button onClick={() => setIsSaving(true)} disabled={!search.q}>
          Save this filter …
        </Button>
      </PopoverButton>
      {isSaving && <SaveDialog search={search} onClose={() => setIsSaving(false)} />}
    </>
  )
}

function Kept({ onChoose }: { onChoose: (query: SavedQuery) => void }): ReactNode {
  const { data, error } = useQuery(savedQueriesQuery)
  const refusal = useRefusal('view_queries')
  if (refusal !== undefined) return <p className={styles.hint}>{refusal}</p>
  if (error) return <Failure what="The saved filters cannot be read." error={error} />
  if (data?.length === 0) return <p className={styles.hint}>No filter is saved yet.</p>
  return (
    <ul className={styles.kept}>
      {data?.map(query => (
        <li key={query.id}>
          <button
            type="button"
            onClick={() => onChoose(query)}
            title={query.data?.filtering && printFilter(query.data.filtering)}
          >
            {visible(query.name ?? query.slug)}
          </button>
        </li>
      ))}
    </ul>
  )
}

function SaveDialog({ search, onClose }: { search: TracesSearch; onClose: () => void }): ReactNode {
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
      actions={
        <>
          <Button type="submit" look="primary" disabled={!isReady || save.isPending} title={refusal}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <code className={styles.filterText}>{visible(search.q ?? '')}</code>
      <label className={styles.field}>
        Name
        <input className={controls.input} value={name} onChange={({ target }) => setName(target.value)} />
      </label>
      {refusal !== undefined && <p>{refusal}</p>}
      {save.error && <Failure what="The filter was not saved." error={save.error} />}
    </FormModal>
  )
}
