import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { JsonObject } from '../../api/registry/registry.ts'
import { useRefusal } from '../../api/rights.ts'
import { type Chosen, linesOfTraces, testcaseOf } from '../../api/selected-traces.ts'
import { formatCount } from '../../format/format.ts'
import { useKeys } from '../../frame/keys.ts'
import { Button, Failure } from '../../parts/controls.tsx'
import { ExportButton, type Exporting } from '../../parts/export/export-button.tsx'
import { AddToTestset } from '../../testsets/add-to-testset.tsx'
import { AddToQueue } from './add-to-queue.tsx'
import { EvaluateTraces } from './evaluate-traces.tsx'
import styles from './selection.module.css'

interface SelectionBarProps {
  chosen: readonly Chosen[]
  onClear: () => void
}

/** What was done with the selection, with a link to it. */
type Done = { what: string; to: string; params: Record<string, string> }

/** What can be done with the rows that are selected. */
export function SelectionBar({ chosen, onClear }: SelectionBarProps): ReactNode {
  const [open, setOpen] = useState<'queue' | 'evaluate'>()
  const [rows, setRows] = useState<readonly JsonObject[]>()
  const [done, setDone] = useState<Done>()
  const refusal = useRefusal('run_evaluations')
  const read = useMutation({ mutationFn: () => Promise.all(chosen.map(testcaseOf)), onSuccess: setRows })
  const traceIds = [...new Set(chosen.map(({ trace_id }) => trace_id))]
  useKeys({ Escape: () => (chosen.length === 0 ? false : onClear()) })
  const finish = (what: Done): void => {
    setOpen(undefined)
    setRows(undefined)
    setDone(what)
  }
  return (
    <section className={styles.bar} aria-label="Selection">
      <strong role="status">{formatCount(chosen.length)} selected</strong>
      {/* Not disabled while it reads: it has the focus again when the dialog is closed. */}
      <Button onClick={() => read.isPending || read.mutate()}>Add to testset</Button>
      <Button onClick={() => setOpen('queue')}>Add to queue</Button>
      <Button onClick={() => setOpen('evaluate')} disabled={refusal !== undefined} title={refusal}>
        Evaluate
      </Button>
      <ExportButton
        label="Export"
        title="As JSON lines, each a trace with all of its spans."
        name="traces.jsonl"
        type="application/x-ndjson"
        write={exporting => writeTraces(traceIds, exporting)}
        failure="The traces were not exported."
      />
      <Button look="plain" onClick={onClear}>
        Clear
      </Button>
      {done && (
        <span role="status">
          <Link to={done.to} params={done.params}>
            {done.what}
          </Link>
        </span>
      )}
      {read.error && <Failure what="The traces were not read." error={read.error} />}
      {rows && (
        <AddToTestset
          rows={rows}
          onClose={() => setRows(undefined)}
          onAdded={id => finish({ what: 'Added: open the testset', to: '/testsets/$id', params: { id } })}
        />
      )}
      {open === 'queue' && (
        <AddToQueue
          traceIds={traceIds}
          onClose={() => setOpen(undefined)}
          onAdded={queueId => finish({ what: 'Added: open the queue', to: '/queues/$queueId', params: { queueId } })}
        />
      )}
      {open === 'evaluate' && (
        <EvaluateTraces
          traceIds={traceIds}
          onClose={() => setOpen(undefined)}
          onStarted={runId =>
            finish({ what: 'Started: open the evaluation', to: '/evaluations/$runId', params: { runId } })
          }
        />
      )}
    </section>
  )
}

async function writeTraces(traceIds: readonly string[], { file, signal, tell }: Exporting): Promise<void> {
  let written = 0
  for await (const line of linesOfTraces(traceIds, signal)) {
    file.add(line)
    tell(`${formatCount(++written)} of ${formatCount(traceIds.length)}`)
  }
}
