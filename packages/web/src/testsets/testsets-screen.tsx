import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { testsetsQuery } from '../api/registry/testsets.ts'
import { useRefusal } from '../api/rights.ts'
import { Button, Failure, Waiting } from '../parts/controls.tsx'
import lists from '../parts/list.module.css'
import { Scroller } from '../parts/scroller.tsx'
import { ArtifactList } from '../registry/artifact-list.tsx'
import { NewTestset } from './new-testset.tsx'

/** All testsets of the project. */
export function TestsetsScreen(): ReactNode {
  const { data, error } = useQuery(testsetsQuery)
  const refusal = useRefusal('edit_testsets')
  const [isNew, setIsNew] = useState(false)
  const navigate = useNavigate()
  return (
    <Scroller className={lists.scroller} label="Testsets">
      <header className={lists.header}>
        <h1>Testsets</h1>
        <Button look="primary" disabled={refusal !== undefined} title={refusal} onClick={() => setIsNew(true)}>
          New testset …
        </Button>
      </header>
      {refusal !== undefined && <p className={lists.empty}>{refusal}</p>}
      {error && <Failure what="The testsets cannot be listed." error={error} />}
      {!data && !error && <Waiting />}
      <ArtifactList
        kind="testset"
        artifacts={data}
        refusal={refusal}
        about={({ slug }) => slug}
        empty="This project has no testset yet. Create one from a CSV or JSON file or from cells of a spreadsheet, or add traces to one in the list of traces."
      />
      {isNew && (
        <NewTestset
          onClose={() => setIsNew(false)}
          onCreated={({ id }) => void navigate({ to: '/testsets/$id', params: { id } })}
        />
      )}
    </Scroller>
  )
}
