import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { type Chosen, testcaseOf } from '../api/selected-traces.ts'
import { Contained } from '../parts/contained.tsx'
import { Button, controls, Failure } from '../parts/controls.tsx'
import { type Reference, revisionOf } from './references.tsx'
import styles from './trace.module.css'

const AddToTestset = lazy(() =>
  import('../testsets/add-to-testset.tsx').then(module => ({ default: module.AddToTestset })),
)

interface TraceActionsProps {
  span: Chosen
  references: readonly Reference[]
  onAnnotate: () => void
}

/** What can be done with the selected span. */
export function TraceActions({ span, references, onAnnotate }: TraceActionsProps): ReactNode {
  const [rows, setRows] = useState<readonly JsonObject[]>()
  const [testset, setTestset] = useState<string>()
  const read = useMutation({ mutationFn: () => testcaseOf(span), onSuccess: row => setRows([row]) })
  const application = references.find(({ key, id }) => key === 'application' && id !== undefined)
  return (
    <>
      {application?.id !== undefined && (
        <Link
          className={`${controls.button} ${styles.action}`}
          to="/playground/$kind/$id"
          params={{ kind: 'applications', id: application.id }}
          search={{ columns: revisionOf(references, 'application')?.id, trace: span.trace_id }}
        >
          Playground
        </Link>
      )}
      {/* Not disabled while it reads: it has the focus again when the dialog is closed. */}
      <Button onClick={() => read.isPending || read.mutate()}>Add to testset</Button>
      <Button onClick={onAnnotate}>Annotate</Button>
      {testset !== undefined && (
        <Link to="/testsets/$id" params={{ id: testset }}>
          Added: open the testset
        </Link>
      )}
      {read.error && <Failure what="The span was not read." error={read.error} />}
      <Contained what="The dialog cannot be shown." of={rows}>
        <Suspense>
          {rows && (
            <AddToTestset
              rows={rows}
              onClose={() => setRows(undefined)}
              onAdded={id => {
                setRows(undefined)
                setTestset(id)
              }}
            />
          )}
        </Suspense>
      </Contained>
    </>
  )
}
