import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Run, type RunProgress, type Step, stopRun } from '../../api/evaluations.ts'
import { runQueueQuery } from '../../api/queues.ts'
import { useRefusal } from '../../api/rights.ts'
import { isGoingOn } from '../../api/run-progress.ts'
import { formatCost, formatCount, formatFullTime, formatNumberOf, formatTime, visible } from '../../format/format.ts'
import { Button, Failure } from '../../parts/controls.tsx'
import { Referred } from '../../trace/references.tsx'
import { RunStatus } from '../run-status.tsx'
import { artifactOf, revisionOf, stepsOf, titleOf } from '../table/case-model.ts'
import styles from './run.module.css'

interface RunHeaderProps {
  run: Run
  progress: RunProgress | undefined
  /** USD; undefined until they are read. */
  costs: number | undefined
}

/** What is evaluated, how far that is, and what can be done with it. */
export function RunHeader({ run, progress, costs }: RunHeaderProps): ReactNode {
  const refusal = useRefusal('edit_evaluation_runs')
  const stop = useMutation({ mutationFn: () => stopRun(run.id) })
  const hasHuman = stepsOf(run).some(({ origin, type }) => type === 'annotation' && origin === 'human')
  return (
    <>
      <header className={styles.header}>
        <h1>{visible(run.name ?? `Run ${run.id.slice(-6)}`)}</h1>
        <RunStatus status={progress?.status ?? run.status} />
        {progress && <Progress progress={progress} />}
        {costs !== undefined && <span className={styles.soft}>Cost {formatCost(costs)}</span>}
        <span className={styles.soft} title={formatFullTime(run.created_at)}>
          {formatTime(run.created_at)}
        </span>
        <span className={styles.space} />
        {hasHuman && <QueueLink runId={run.id} />}
        <Link to="/evaluations/compare" search={{ runs: run.id }}>
          Compare
        </Link>
        {isGoingOn(progress) && progress?.is_active && (
          <Button
            disabled={refusal !== undefined || stop.isPending}
            title={refusal ?? 'Calls that are under way are aborted.'}
            onClick={() => stop.mutate()}
          >
            Stop
          </Button>
        )}
      </header>
      {stop.error && <Failure what="The run could not be stopped." error={stop.error} />}
      <ul className={styles.pinned} aria-label="Pinned revisions">
        {stepsOf(run).map(step => (
          <Pinned key={step.key} step={step} />
        ))}
      </ul>
    </>
  )
}

const FINISHED = ['success', 'errors', 'failure', 'cancelled']

function Progress({ progress: { scenarios } }: { progress: RunProgress }): ReactNode {
  const done = FINISHED.reduce((sum, status) => sum + (scenarios.by_status[status] ?? 0), 0)
  return (
    <span className={styles.progress} title={JSON.stringify(scenarios.by_status)}>
      {done < scenarios.total && <progress aria-label="Finished cases" value={done} max={scenarios.total} />}
      {formatCount(done)} of {formatNumberOf(scenarios.total, 'case')}
    </span>
  )
}

const KINDS: Readonly<Record<Step['type'], string>> = {
  input: 'Input',
  invocation: 'Application',
  annotation: 'Evaluator',
}

function Pinned({ step }: { step: Step }): ReactNode {
  const revision = revisionOf(step)
  const [kind = '', artifact] = artifactOf(step) ?? []
  return (
    <li title={revision?.id}>
      {KINDS[step.type]} <Referred kind={kind} id={artifact?.id} name={visible(titleOf(step))} revision={revision} />
      {step.type === 'annotation' && step.origin !== 'auto' && ` (${step.origin})`}
    </li>
  )
}

function QueueLink({ runId }: { runId: string }): ReactNode {
  const { data: queue } = useQuery(runQueueQuery(runId))
  return (
    queue && (
      <Link to="/queues/$queueId" params={{ queueId: queue.id }}>
        Annotate
      </Link>
    )
  )
}
