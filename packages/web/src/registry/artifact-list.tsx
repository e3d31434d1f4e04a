import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import {
  type Artifact,
  archiveArtifact,
  archivedQuery,
  type Listed,
  renameArtifact,
  restoreArtifact,
} from '../api/registry/artifacts.ts'
import { formatFullTime, formatTime, visible } from '../format/format.ts'
import { Button, Failure } from '../parts/controls.tsx'
import { FindField } from '../parts/find-field.tsx'
import { hasWords } from '../parts/has-words.ts'
import lists from '../parts/list.module.css'
import { useChangeOf } from '../parts/use-change-of.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import type { FindSearch } from './search.ts'

const RenameDialog = lazy(() => import('./rename-dialog.tsx').then(module => ({ default: module.RenameDialog })))

interface ArtifactListProps<T extends Artifact> {
  kind: Listed
  /** Undefined until they are read. */
  artifacts: readonly T[] | undefined
  /** Why the caller may not change them. */
  refusal: string | undefined
  /** What a row says besides the name. */
  about: (artifact: T) => string
  empty: string
}

/**
 * The artifacts of a kind, each with a link to its screen, and what can be done with it; the archived ones on demand.
 */
export function ArtifactList<T extends Artifact>(props: ArtifactListProps<T>): ReactNode {
  const { kind, artifacts, refusal, about, empty } = props
  const { find = '' } = useSearch({ strict: false })
  const setFind = useChangeOf<FindSearch>({ replace: true })
  const isFound = ({ name = '', slug }: Artifact): boolean => hasWords(`${name} ${slug}`, find)
  const found = artifacts?.filter(isFound)
  const part = useKeptFocus<HTMLDivElement>()
  const [showsArchived, setShowsArchived] = useState(false)
  const [renamed, setRenamed] = useState<Artifact>()
  const archived = useQuery({ ...archivedQuery(kind), enabled: showsArchived })
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: () =>
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => LISTS.includes(String(queryKey[0])) }),
  })
  const error = change.error ?? archived.error
  return (
    <div ref={part}>
      {artifacts && (
        <FindField
          label={`Find ${kind === 'testset' ? 'a' : 'an'} ${kind}`}
          text={find}
          onChange={text => setFind({ find: text || undefined })}
          all={artifacts.length}
          found={found?.length ?? 0}
        />
      )}
      {error && <Failure what={`The ${kind}s cannot be changed or read.`} error={error} />}
      {artifacts?.length === 0 && <p className={lists.empty}>{empty}</p>}
      <ul className={lists.list}>
        {found?.map(artifact => (
          <Row key={artifact.id} kind={kind} artifact={artifact} about={about(artifact)}>
            <Button
              look="plain"
              aria-label={`Rename ${nameOf(artifact)}`}
              disabled={refusal !== undefined}
              title={refusal}
              onClick={() => setRenamed(artifact)}
            >
              Rename
            </Button>
            <Button
              look="plain"
              aria-label={`Archive ${nameOf(artifact)}`}
              disabled={refusal !== undefined || change.isPending}
              title={refusal ?? 'Hides it from lists. It can be restored, and its revisions stay readable.'}
              onClick={() => change.mutate(() => archiveArtifact(kind, artifact.id))}
            >
              Archive
            </Button>
          </Row>
        ))}
      </ul>
      <p className={lists.archived}>
        <Button look="plain" aria-expanded={showsArchived} onClick={() => setShowsArchived(!showsArchived)}>
          {showsArchived ? '▾' : '▸'} Archived {kind}s
        </Button>
      </p>
      {showsArchived && archived.data?.length === 0 && <p className={lists.empty}>No {kind} is archived.</p>}
      {showsArchived && (
        <ul className={lists.list}>
          {archived.data?.filter(isFound).map(artifact => (
            <Row key={artifact.id} kind={kind} artifact={artifact} about={artifact.slug}>
              <Button
                look="plain"
                aria-label={`Restore ${nameOf(artifact)}`}
                disabled={refusal !== undefined || change.isPending}
                title={refusal}
                onClick={() => change.mutate(() => restoreArtifact(kind, artifact.id))}
              >
                Restore
              </Button>
            </Row>
          ))}
        </ul>
      )}
      <Suspense>
        {renamed && (
          <RenameDialog
            kind={kind}
            name={renamed.name ?? renamed.slug}
            // References use it.
            note="Its slug stays as it is."
            onClose={() => setRenamed(undefined)}
            onRename={async name => {
              await change.mutateAsync(() => renameArtifact(kind, renamed.id, name))
              setRenamed(undefined)
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

/** What is asked for again after a change. */
const LISTS = ['workflows', 'workflow', 'testsets', 'testset', 'archived']

const nameOf = ({ name, slug }: Artifact): string => visible(name ?? slug)

interface RowProps {
  kind: Listed
  artifact: Artifact
  about: string
  children: ReactNode
}

function Row({ kind, artifact, about, children }: RowProps): ReactNode {
  const { id, created_at, updated_at = created_at } = artifact
  return (
    <li>
      {kind === 'testset' ? (
        <Link className={lists.name} to="/testsets/$id" params={{ id }}>
          {nameOf(artifact)}
        </Link>
      ) : (
        <Link className={lists.name} to="/playground/$kind/$id" params={{ kind: `${kind}s`, id }}>
          {nameOf(artifact)}
        </Link>
      )}
      <code title={visible(about)}>{visible(about)}</code>
      <time dateTime={updated_at} title={formatFullTime(updated_at)}>
        {formatTime(updated_at)}
      </time>
      <span className={lists.actions}>{children}</span>
    </li>
  )
}
