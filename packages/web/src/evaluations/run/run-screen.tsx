import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isGoingOn, type Run, type RunProgress, runAt, runQuery, scoresQuery } from '../../api/evaluations.ts'
import { queryClient } from '../../api/query-client.ts'
import { useRunProgress } from '../../api/run-progress.ts'
import frame from '../../frame/frame.module.css'
import { useNameInTitle } from '../../frame/title.ts'
import { Failure, Waiting } from '../../parts/controls.tsx'
import { useChangeOf } from '../../parts/use-change-of.ts'
import type { RunSearch } from '../search.ts'
import { columnsOf } from '../table/case-model.ts'
import { Failures } from './failures.tsx'
import styles from './run.module.css'
import { RunCases } from './run-cases.tsx'
import { RunHeader } from './run-header.tsx'
import { ScoreCards } from './score-cards.tsx'

/** How often the numbers of a run that goes on are read again. */
const REFRESH_MS = 2_000

/** An evaluation run: how far it is, its scores, and its cases. */
export function RunScreen(): ReactNode {
  const { runId } = useParams({ from: '/evaluations/$runId' })
  const { data: run, error } = useQuery(runQuery(runId))
  useNameInTitle(run?.name)
  if (run) return <Loaded key={run.id} run={run} />
  return (
    <div className={frame.page}>
      <h1>Evaluation run</h1>
      {error && <Failure what="The run cannot be shown." error={error} />}
      {run === undefined && !error && <Waiting />}
      {run === null && (
        <p>
          This project has no run with this id. It may have been deleted. Go to the{' '}
          <Link to="/evaluations">list of evaluations</Link>.
        </p>
      )}
    </div>
  )
}

function Loaded({ run: read }: { run: Run }): ReactNode {
  const search = useSearch({ from: '/evaluations/$runId' })
  const change = useChangeOf<RunSearch>()
  const progress = useRunProgress(read)
  const run = runAt(read, progress)
  const everyMs = isGoingOn(run) ? REFRESH_MS : false
  useRereadingAtTheEnd(run.id, progress)
  const { data, error } = useQuery(scoresQuery(run.id, everyMs))
  const scores = data?.scores ?? []
  const columns = columnsOf(run, scores)
  return (
    <div className={styles.screen} data-report>
      <RunHeader run={run} progress={progress} costs={data?.costs} />
      {error && <Failure what="The scores cannot be read." error={error} />}
      {scores.length > 0 && (
        <ScoreCards scores={scores} columns={columns} chosen={search.bin} onChoose={bin => change({ bin })} />
      )}
      <Failures
        run={run}
        failures={data?.failures ?? []}
        chosen={search.failure}
        onChoose={failure => change({ failure })}
      />
      <RunCases run={run} columns={columns} everyMs={everyMs} search={search} change={change} />
    </div>
  )
}

const READ = ['run', 'scores', 'cases', 'cases by id']

/** When a run has ended, everything that was read of it while it went on is read once more. */
function useRereadingAtTheEnd(runId: string, progress: RunProgress | undefined): void {
  const status = progress && `${progress.status} ${progress.is_active} ${progress.is_closed}`
  useEffect(() => {
    if (status === undefined) return
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [name, id] }) => id === runId && READ.includes(String(name)),
    })
  }, [runId, status])
}
