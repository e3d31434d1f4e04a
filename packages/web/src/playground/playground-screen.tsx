import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Kind, revisionsQuery, type Workflow, workflowQuery } from '../api/registry/registry.ts'
import { visible } from '../format/format.ts'
import frame from '../frame/frame.module.css'
import { useNameInTitle } from '../frame/title.ts'
import { Failure, Waiting } from '../parts/controls.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import { Grid } from './grid.tsx'
import styles from './playground.module.css'
import { kindIn, type PlaygroundSearch } from './search.ts'

/** An application or an evaluator: its variants beside each other, and what they make of testcases. */
export function PlaygroundScreen(): ReactNode {
  const { kind: plural, id } = useParams({ from: '/playground/$kind/$id' })
  const kind = kindIn(plural)
  if (kind === undefined) return <Unknown />
  return <Loaded key={id} kind={kind} id={id} />
}

function Loaded({ kind, id }: { kind: Kind; id: string }): ReactNode {
  const workflow = useQuery(workflowQuery(kind, id))
  const revisions = useQuery(revisionsQuery(kind, id, Boolean(workflow.data?.deleted_at)))
  const search = useSearch({ from: '/playground/$kind/$id' })
  const change = useChangeOf<PlaygroundSearch>()
  const error = workflow.error ?? revisions.error
  useNameInTitle(workflow.data?.name ?? workflow.data?.slug)
  if (error)
    return (
      <div className={frame.page}>
        <h1>{kind === 'evaluator' ? 'Evaluator' : 'Application'}</h1>
        <Failure what={`The ${kind} cannot be shown.`} error={error} />
      </div>
    )
  if (workflow.data === null) return <Unknown />
  return (
    <div className={styles.screen}>
      <Title kind={kind} workflow={workflow.data} />
      {!(workflow.data && revisions.data) && <Waiting />}
      {workflow.data && revisions.data?.length === 0 && (
        <p className={styles.note}>It has no revision with data yet.</p>
      )}
      {workflow.data && revisions.data && revisions.data.length > 0 && (
        <Grid workflow={workflow.data} kind={kind} revisions={revisions.data} search={search} change={change} />
      )}
    </div>
  )
}

const Title = ({ kind, workflow }: { kind: Kind; workflow: Workflow | undefined }): ReactNode => (
  <header className={styles.title}>
    <Link to="/playground" search={{ kind: kind === 'evaluator' ? 'evaluators' : undefined }}>
      {kind === 'evaluator' ? 'Evaluators' : 'Applications'}
    </Link>
    <h1>{workflow ? visible(workflow.name ?? workflow.slug) : '…'}</h1>
    {workflow && <code>{visible(workflow.slug)}</code>}
    {workflow?.deleted_at && <span>Archived</span>}
  </header>
)

const Unknown = (): ReactNode => (
  <div className={frame.page}>
    <h1>This project has no application or evaluator with this id</h1>
    <p>
      The address may be mistyped, or belong to another project. Go to the <Link to="/playground">playground</Link>.
    </p>
  </div>
)
