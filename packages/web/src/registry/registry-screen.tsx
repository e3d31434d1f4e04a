import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { EDIT, type Kind, workflowsQuery } from '../api/registry/registry.ts'
import { useRefusal } from '../api/rights.ts'
import { Button, Choices, Failure, Waiting } from '../parts/controls.tsx'
import lists from '../parts/list.module.css'
import { Scroller } from '../parts/scroller.tsx'
import { ArtifactList } from './artifact-list.tsx'
import { CreateDialog } from './create-dialog.tsx'

const NAMES = { application: 'Applications', evaluator: 'Evaluators' } as const
/** All applications, or all evaluators, of the project: each opens in the playground. */
export function RegistryScreen(): ReactNode {
  const kind: Kind = useSearch({ from: '/playground' }).kind === 'evaluators' ? 'evaluator' : 'application'
  const navigate = useNavigate({ from: '/playground' })
  const { data, error } = useQuery(workflowsQuery(kind))
  const refusal = useRefusal(EDIT[kind])
  const [isNew, setIsNew] = useState(false)
  return (
    <Scroller className={lists.scroller} label={NAMES[kind]}>
      <header className={lists.header}>
        <h1>Playground</h1>
        <Choices
          label="Kind"
          value={kind}
          choices={[
            ['application', NAMES.application],
            ['evaluator', NAMES.evaluator],
          ]}
          onChange={next => void navigate({ search: { kind: next === 'evaluator' ? 'evaluators' : undefined } })}
        />
        <Button look="primary" disabled={refusal !== undefined} title={refusal} onClick={() => setIsNew(true)}>
          New {kind} …
        </Button>
      </header>
      {refusal !== undefined && <p className={lists.empty}>{refusal}</p>}
      {error && <Failure what={`The ${kind}s cannot be listed.`} error={error} />}
      {!data && !error && <Waiting />}
      <ArtifactList
        kind={kind}
        artifacts={data}
        refusal={refusal}
        about={({ data: own, slug }) => own?.uri?.split(':').slice(-2)[0] ?? slug}
        empty={`This project has no ${kind} yet. A new one starts from a template.`}
      />
      {isNew && (
        <CreateDialog
          key={kind}
          kind={kind}
          onClose={() => setIsNew(false)}
          onCreated={({ id }) => void navigate({ to: '/playground/$kind/$id', params: { kind: `${kind}s`, id } })}
        />
      )}
    </Scroller>
  )
}
