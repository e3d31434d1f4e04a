import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useRefusal } from '../api/rights.ts'
import { archiveQuery, nameOf, type SavedQuery, savedQueriesQuery } from '../api/saved-queries.ts'
import { visible } from '../format/format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, Failure } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { printFilter } from './filter-print.ts'
import type { Change, TracesSearch } from './search.ts'
import styles from './traces.module.css'

const SaveQueryDialog = lazy(() =>
  import('./save-query-dialog.tsx').then(module => ({ default: module.SaveQueryDialog })),
)

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
        {close => (
          <>
            <Kept
              onChoose={({ data }) => {
                change({
                  q: (data?.filtering && printFilter(data.filtering)) || undefined,
                  focus: data?.formatting?.focus === 'span' ? 'span' : undefined,
                })
                close()
              }}
            />
            <Button onClick={() => setIsSaving(true)} disabled={!search.q}>
              Save this filter …
            </Button>
          </>
        )}
      </PopoverButton>
      <Suspense>{isSaving && <SaveQueryDialog search={search} onClose={() => setIsSaving(false)} />}</Suspense>
    </>
  )
}

function Kept({ onChoose }: { onChoose: (query: SavedQuery) => void }): ReactNode {
  const { data, error } = useQuery(savedQueriesQuery)
  const refusal = useRefusal('view_queries')
  const mayNotEdit = useRefusal('edit_queries')
  const queryClient = useQueryClient()
  const archive = useMutation({
    mutationFn: archiveQuery,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: savedQueriesQuery.queryKey }),
  })
  if (refusal !== undefined) return <p className={styles.hint}>{refusal}</p>
  if (error) return <Failure what="The saved filters cannot be read." error={error} />
  if (data?.length === 0) return <p className={styles.hint}>No filter is saved yet.</p>
  return (
    <>
      {archive.error && <Failure what="The filter was not archived." error={archive.error} />}
      <ul className={styles.kept}>
        {data?.map(query => (
          <li key={query.id}>
            <button
              type="button"
              onClick={() => onChoose(query)}
              title={query.data?.filtering && printFilter(query.data.filtering)}
            >
              {visible(nameOf(query))}
            </button>
            <ConfirmButton
              look="plain"
              question="Archive it?"
              aria-label={`Archive ${visible(nameOf(query))}`}
              disabled={mayNotEdit !== undefined || archive.isPending}
              title={mayNotEdit ?? 'Hides it here. Evaluations that use it continue.'}
              onClick={() => archive.mutate(query.id)}
            >
              Archive
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </>
  )
}
