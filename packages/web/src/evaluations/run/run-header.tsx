import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  deleteRun,
  type Run,
  type RunProgress,
  renameRun,
  resumeRun,
  type Step,
  stateOf,
  stopRun,
} from '../../api/evaluations.ts'
import { runQueueQuery } from '../../api/queues.ts'
import { useRefusal } from '../../api/rights.ts'
import { queryRevisionQuery } from '../../api/saved-queries.ts'
import {
  formatCost,
  formatCount,
  formatFullTime,
  formatNumberOf,
  formatShare,
  formatTime,
  visible,
} from '../../format/format.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Button, Failure } from '../../parts/controls.tsx'
import { useKeptFocus } from '../../parts/use-kept-focus.ts'
import { RenameDialog } from '../../registry/rename-dialog.tsx'
import { Referred } from '../../trace/references.tsx'
import { printFilter } from '../../traces/filter-print.ts'
import { RunStatus } from '../run-status.tsx'
import { artifactOf, pinnedOf, revisionOf, startSearchOf, stepsOf, titleOf } from '../table/case-model.ts'
import styles from './run.module.css'

interface RunHeaderProps {
  run: Run
  progress: RunProgress | undefined
  /** USD; undefined until they are read. */
  costs: number | undefined
}

/** What is evaluated, how far that is, and what can be done with it. */
export function RunHeader({ run, progress, costs }: RunHeaderProps): ReactNode {
  const part = useKeptFocus<HTMLElement>()
  const hasHuman = stepsOf(run).some(({ origin, type }) => type === 'annotation' && origin === 'human')
  return (
    <>
      <header ref={part} className={styles.header}>
        <h1>{visible(run.name ?? `Run ${run.id.slice(-6)}`)}</h1>
        <RunStatus status={stateOf(run)} />
        {progress && <Progress run={run} scenarios={progress.scenarios} />}
        {costs !== undefined && <span className={styles.soft}>Cost {formatCost(costs)}</span>}
        <span className={styles.soft} title={formatFullTime(run.created_at)}>
          {formatTime(run.created_at)}
        </span>
        <span className={styles.space} />
        {hasHuman && <QueueLink runId={run.id} />}
        <AgainLink run={run} />
        <Link to="/evaluations/compare" search={{ runs: run.id }}>
          Compare
        </Link>
        <Activity run={run} />
        <Upkeep run={run} />
      </header>
      <ul className={styles.pinned} aria-label="Pinned revisions">
        {stepsOf(run).map(step => (
          <Pinned key={step.key} step={step} />
        ))}
      </ul>
    </>
  )
}

/** Leads to a new evaluation with what this one is made of, of which another revision can be chosen there. */
function AgainLink({ run }: { run: Run }): ReactNode {
  const refusal = useRefusal('edit_evaluation_runs')
  const search = startSearchOf(run)
  return (
    refusal === undefined &&
    search && (
      <Link to="/evaluations/new" search={search}>
        Run again …
      </Link>
    )
  )
}

/** Stops a run that is active, and has one that was stopped go on. */
function Activity({ run }: { run: Run }): ReactNode {
  const refusal = useRefusal('edit_evaluation_runs')
  const queryClient = useQueryClient()
  const { is_active: isActive = false, is_closed: isClosed, is_live: isLive } = run.flags ?? {}
  const turn = useMutation({
    mutationFn: () => (isActive ? stopRun(run.id) : resumeRun(run.id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['run', run.id] }),
  })
  const state = stateOf(run)
  const canResume = state === 'paused' || state === 'cancelled'
  if (isClosed || (!isActive && !canResume)) return null
  const stop = isLive
    ? { name: 'Pause', about: 'Traces that arrive in the meantime are not evaluated.' }
    : { name: 'Stop', about: 'Calls that are under way are aborted.' }
  const resume = isLive
    ? { name: 'Resume', about: 'Evaluates the traces that arrive from now on.' }
    : { name: 'Continue', about: 'Runs what is missing.' }
  const { name, about } = isActive ? stop : resume
  return (
    <>
      {turn.error && <Failure what={`${name} did not work.`} error={turn.error} />}
      <Button disabled={refusal !== undefined || turn.isPending} title={refusal ?? about} onClick={() => turn.mutate()}>
        {name}
      </Button>
    </>
  )
}

/** Gives a run another name, or deletes it. */
function Upkeep({ run }: { run: Run }): ReactNode {
  const refusal = useRefusal('edit_evaluation_runs')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isRenaming, setIsRenaming] = useState(false)
  const removal = useMutation({
    mutationFn: () => deleteRun(run.id),
    onSuccess: async () => {
      await navigate({ to: '/evaluations' })
      for (const gone of [['run', run.id], ['runs'], ['queues']]) void queryClient.invalidateQueries({ queryKey: gone })
    },
  })
  const locked = run.flags?.is_closed ? 'The run is closed: nothing of it can be changed.' : undefined
  return (
    <>
      {removal.error && <Failure what="The run was not deleted." error={removal.error} />}
      <Button
        look="plain"
        disabled={(refusal ?? locked) !== undefined}
        title={refusal ?? locked}
        onClick={() => setIsRenaming(true)}
      >
        Rename
      </Button>
      <ConfirmButton
        look="plain"
        question="Delete it with its cases and scores?"
        disabled={refusal !== undefined || removal.isPending}
        title={refusal ?? 'Its traces stay.'}
        onClick={() => removal.mutate()}
      >
        Delete
      </ConfirmButton>
      {isRenaming && (
        <RenameDialog
          kind="run"
          name={run.name ?? ''}
          onClose={() => setIsRenaming(false)}
          onRename={async name => {
            await renameRun(run.id, name)
            for (const list of [['run', run.id], ['runs']]) await queryClient.invalidateQueries({ queryKey: list })
            setIsRenaming(false)
          }}
        />
      )}
    </>
  )
}

const FINISHED = ['success', 'errors', 'failure', 'cancelled']

interface ProgressProps {
  run: Run
  scenarios: RunProgress['scenarios']
}

function Progress({ run: { flags = {} }, scenarios: { total, by_status } }: ProgressProps): ReactNode {
  const done = FINISHED.reduce((sum, status) => sum + (by_status[status] ?? 0), 0)
  const waiting = flags.is_closed ? 0 : (by_status.pending ?? 0)
  const finished = `${formatCount(done)} of ${formatNumberOf(total, 'case')}`
  return (
    <span className={styles.progress} title={JSON.stringify(by_status)}>
      {done < total && !flags.is_closed && !flags.is_live && (
        <progress aria-label="Finished cases" value={done} max={total} />
      )}
      {flags.is_live && done === total ? formatNumberOf(total, 'case') : finished}
      {waiting > 0 && `, ${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`}
      {waiting > 0 && flags.has_human && ' for people'}
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
  if (kind === 'query' && revision?.id !== undefined) return <PinnedFilter id={revision.id} name={pinnedOf(step)} />
  return (
    <li title={revision?.id}>
      {KINDS[step.type]} <Referred kind={kind} id={artifact?.id} name={visible(titleOf(step))} revision={revision} />
      {step.type === 'annotation' && step.origin !== 'auto' && ` (${step.origin})`}
    </li>
  )
}

/** A saved filter, with a link to what it finds. */
function PinnedFilter({ id, name }: { id: string; name: string }): ReactNode {
  const { data } = useQuery(queryRevisionQuery(id))
  const { filtering, windowing: { rate = 1 } = {} } = data ?? {}
  const text = filtering && printFilter(filtering)
  return (
    <li title={id}>
      Traces{' '}
      {text ? (
        <Link to="/traces" search={{ q: text }} title={visible(text)}>
          {visible(name)}
        </Link>
      ) : (
        visible(name)
      )}
      {rate < 1 && `, ${formatShare(rate)} of them`}
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
