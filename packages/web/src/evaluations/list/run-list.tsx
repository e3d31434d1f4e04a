import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { metricsQuery, type Run, type RunMetrics, refreshOf, runsQuery, stateOf } from '../../api/evaluations.ts'
import { formatFullTime, formatScore, formatShare, formatTime, visible } from '../../format/format.ts'
import { Button, Failure, Waiting } from '../../parts/controls.tsx'
import { useBegan } from '../../parts/use-began.ts'
import { useKeptScroll } from '../../parts/use-kept-scroll.ts'
import { RunStatus } from '../run-status.tsx'
import { COMPARED_MAX } from '../search.ts'
import { nameIn, OUTPUTS, pinnedOf, stepsOf, titleOf } from '../table/case-model.ts'
import styles from './list.module.css'
import { useListKeys } from './use-list-keys.ts'

interface RunListProps {
  /** What their names contain. */
  find: string | undefined
  /** The ids of the runs that are chosen for a comparison. */
  chosen: readonly string[]
  choose: (ids: readonly string[]) => void
}

/** Evaluation runs, newest first, with what each is made of and the means of its scores. */
export function RunList({ find, chosen, choose }: RunListProps): ReactNode {
  const list = useInfiniteQuery({ ...runsQuery(find), refetchInterval: ({ state }) => refreshOf(state.data?.pages) })
  const runs = list.data?.pages.flatMap(page => page.runs) ?? []
  const { data: metrics = [] } = useQuery(metricsQuery(runs))
  const byRun = new Map(metrics.map(row => [row.run_id, row]))
  // One more would take the place of the first, the baseline.
  const isFull = chosen.length >= COMPARED_MAX
  const toggle = (id: string): void => {
    if (chosen.includes(id)) choose(chosen.filter(one => one !== id))
    else if (!isFull) choose([...chosen, id])
  }
  const place = useListKeys(id => toggle(id))
  const began = useBegan()
  useKeptScroll(place, runs.length > 0 ? `runs ${began}` : undefined)
  return (
    <div ref={place} className={styles.scroller}>
      {list.error && <Failure what="The evaluations cannot be read." error={list.error} />}
      {list.isPending && <Waiting />}
      {runs.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th>
                <span className={styles.hidden}>Compare</span>
              </th>
              <th>Name</th>
              <th>Status</th>
              <th className={styles.wide}>Application</th>
              <th className={styles.wide}>Testset</th>
              <th>Scores</th>
              <th className={styles.wide}>Created</th>
            </tr>
          </thead>
          <tbody>
            {runs.map(run => (
              <RunRow
                key={run.id}
                run={run}
                metrics={byRun.get(run.id)}
                isChosen={chosen.includes(run.id)}
                isOff={isFull && !chosen.includes(run.id)}
                onToggle={() => toggle(run.id)}
              />
            ))}
          </tbody>
        </table>
      )}
      {list.data && runs.length === 0 && (find === undefined ? <Nothing /> : <NothingFound find={find} />)}
      {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>Show more</Button>}
    </div>
  )
}

interface RunRowProps {
  run: Run
  metrics: RunMetrics | undefined
  isChosen: boolean
  /** Whether no more can be chosen. */
  isOff: boolean
  onToggle: () => void
}

function RunRow({ run, metrics, isChosen, isOff, onToggle }: RunRowProps): ReactNode {
  const name = visible(run.name ?? `Run ${run.id.slice(-6)}`)
  return (
    <tr data-id={run.id}>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare ${name}`}
          checked={isChosen}
          disabled={isOff}
          title={isOff ? `At most ${COMPARED_MAX} runs are compared.` : undefined}
          onChange={onToggle}
        />
      </td>
      <td>
        <Link to="/evaluations/$runId" params={{ runId: run.id }}>
          {name}
        </Link>
      </td>
      <td>
        <RunStatus status={stateOf(run)} />
      </td>
      <td className={styles.wide}>{revisionsOf(run, 'invocation')}</td>
      <td className={styles.wide}>{revisionsOf(run, 'input')}</td>
      <td>{metrics && <Means run={run} metrics={metrics} />}</td>
      <td className={styles.wide} title={formatFullTime(run.created_at)}>
        {formatTime(run.created_at)}
      </td>
    </tr>
  )
}

const revisionsOf = (run: Run, type: 'invocation' | 'input'): string =>
  stepsOf(run)
    .filter(step => step.type === type)
    .map(step => visible(pinnedOf(step)))
    .join(', ')

/** Scores of one run that are shown in a list. */
const MEANS_MAX = 4

function Means({ run, metrics: { data = {} } }: { run: Run; metrics: RunMetrics }): ReactNode {
  const means = stepsOf(run)
    .filter(({ type }) => type === 'annotation')
    .flatMap(step =>
      Object.entries(data[step.key] ?? {}).flatMap(([path, { type, mean, freq }]) => {
        if (!path.startsWith(OUTPUTS)) return []
        const name = nameIn(path) || titleOf(step)
        const passed = freq?.find(({ value }) => value === true)?.density
        if (type === 'binary' && passed !== undefined) return { name, text: formatShare(passed) }
        return mean === undefined ? [] : { name, text: formatScore(mean) }
      }),
    )
  return means.slice(0, MEANS_MAX).map(({ name, text }) => (
    <span key={name} className={styles.mean}>
      {visible(name)} <strong>{text}</strong>
    </span>
  ))
}

const NothingFound = ({ find }: { find: string }): ReactNode => (
  <p className={styles.nothing}>No run has “{visible(find)}” in its name.</p>
)

const Nothing = (): ReactNode => (
  <div className={styles.nothing}>
    <p>There are no evaluations yet.</p>
    <p>
      <Link to="/evaluations/new">Start one here</Link>, or from a terminal:
    </p>
    <pre>npm run spanhouse -- evaluate --testset capitals --application my-app --evaluator exact-match</pre>
  </div>
)
