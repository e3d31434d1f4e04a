import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  isCommitted,
  type TestsetRevision,
  testsetQuery,
  testsetRevisionQuery,
  testsetRevisionsQuery,
} from '../api/registry/testsets.ts'
import { formatTime, visible } from '../format/format.ts'
import frame from '../frame/frame.module.css'
import { useNameInTitle } from '../frame/title.ts'
import { Button, Failure, Waiting } from '../parts/controls.tsx'
import { FindSelect } from '../parts/find-select.tsx'
import { hasChanges, SheetEditor } from './sheet-editor.tsx'
import styles from './testsets.module.css'

/** A testset: the rows of one revision, which can be edited and committed as the next. */
export function TestsetScreen(): ReactNode {
  const { id } = useParams({ from: '/testsets/$id' })
  const { revision: chosen } = useSearch({ from: '/testsets/$id' })
  const navigate = useNavigate({ from: '/testsets/$id' })
  const testset = useQuery(testsetQuery(id))
  const revision = useQuery(testsetRevisionQuery(id, chosen))
  const error = testset.error ?? revision.error
  useNameInTitle(testset.data?.name ?? testset.data?.slug)
  const open = (revision_id: string | undefined): void => void navigate({ search: { revision: revision_id } })
  if (error)
    return (
      <div className={frame.page}>
        <h1>Testset</h1>
        <Failure what="The testset cannot be shown." error={error} />
      </div>
    )
  if (testset.data === null || revision.data === null)
    return (
      <div className={frame.page}>
        <h1>This project has no such testset</h1>
        <p>
          The address may be mistyped, or belong to another project. Go to the <Link to="/testsets">testsets</Link>.
        </p>
      </div>
    )
  return (
    <div className={styles.screen}>
      <header className={styles.title}>
        <Link to="/testsets">Testsets</Link>
        <h1>{testset.data ? visible(testset.data.name ?? testset.data.slug) : '…'}</h1>
        {testset.data?.deleted_at && <span>Archived</span>}
        {testset.data && revision.data && (
          <RevisionChoice id={id} isArchived={Boolean(testset.data.deleted_at)} shown={revision.data} onChoose={open} />
        )}
      </header>
      {!revision.data && <Waiting />}
      {revision.data && (
        <SheetEditor
          key={revision.data.id}
          revision={revision.data}
          onCommitted={() => {
            open(undefined)
          }}
        />
      )}
    </div>
  )
}

interface RevisionChoiceProps {
  id: string
  isArchived: boolean
  shown: TestsetRevision
  onChoose: (revision_id: string | undefined) => void
}

function RevisionChoice({ id, isArchived, shown, onChoose }: RevisionChoiceProps): ReactNode {
  const { data = [shown] } = useQuery(testsetRevisionsQuery(id, isArchived))
  const offered = data.filter(one => isCommitted(one) || one.id === shown.id)
  const drafts = data.filter(({ id }) => id !== shown.id && hasChanges(id))
  return (
    <>
      <FindSelect
        label="Revision"
        value={shown.id}
        options={offered.map(({ id, version, message, date }) => ({
          value: id,
          label: `v${version}${message ? `: ${visible(message).slice(0, 40)}` : ''} (${formatTime(date)})`,
        }))}
        onChange={onChoose}
      />
      {drafts.map(({ id, version }) => (
        <Button key={id} onClick={() => onChoose(id)}>
          Show your changes of v{version}
        </Button>
      ))}
    </>
  )
}
