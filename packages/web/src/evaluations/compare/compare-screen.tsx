import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { comparisonQuery, isGoingOn, type Run, runsByIdQuery, runsQuery } from '../../api/evaluations.ts'
import { formatTime } from '../../format/format.ts'
import { Failure, Waiting } from '../../parts/controls.tsx'
import { FindSelect } from '../../parts/find-select.tsx'
import { type ChangeOf, useChangeOf } from '../../parts/use-change-of.ts'
import { COMPARED_MAX, type CompareSearch, itemsOf } from '../search.ts'
import styles from './compare.module.css'
import { ComparedCases } from './compared-cases.tsx'
import { Configuration } from './configuration.tsx'
import { runName, ScoreTable } from './score-table.tsx'

/** A baseline and up to four runs: what differs in them, which scores differ, and the cases that got worse. */
export function CompareScreen(): ReactNode {
  const search = useSearch({ from: '/evaluations/compare' })
  const change = useChangeOf<CompareSearch>()
  const ids = itemsOf(search.runs).filter(id => id !== search.baseline)
  const all = [...(search.baseline ? [search.baseline] : []), ...ids]
  const { data, error, isLoading } = useQuery(runsByIdQuery(all))
  const found = data ?? []
  const byId = new Map(found.map(run => [run.id, run]))
  const baseline = byId.get(search.baseline ?? '')
  const runs = ids.flatMap(id => byId.get(id) ?? [])
  return (
    <div className={styles.screen} data-report>
      <header className={styles.header}>
        <h1>Compare runs</h1>
        <RunSelect
          label="Baseline"
          value={search.baseline}
          known={found}
          onChange={id => change({ baseline: id, case: undefined })}
        />
        {all.length < COMPARED_MAX && (
          <RunSelect
            label={ids.length === 0 ? 'Run' : 'Another run'}
            value={undefined}
            known={[]}
            except={all}
            onChange={id => change({ runs: [...ids, id].join() })}
          />
        )}
      </header>
      {error && <Failure what="The runs cannot be read." error={error} />}
      {isLoading && <Waiting />}
      {isLoading || error ? null : baseline === undefined || runs.length === 0 ? (
        <p className={styles.nothing}>
          {all.length > found.length && found.length > 0
            ? 'One of these runs does not exist any more.'
            : 'Choose a baseline and a run that evaluates the same testcases.'}
        </p>
      ) : (
        <Compared baseline={baseline} runs={runs} search={search} change={change} />
      )}
    </div>
  )
}

interface ComparedProps {
  baseline: Run
  runs: readonly Run[]
  search: CompareSearch
  change: ChangeOf<CompareSearch>
}

function Compared({ baseline, runs, search, change }: ComparedProps): ReactNode {
  const ids = runs.map(({ id }) => id)
  const run = runs.find(({ id }) => id === search.run) ?? (runs[0] as Run)
  const comparison = useInfiniteQuery(
    comparisonQuery(
      { baseline_run_id: baseline.id, run_ids: ids },
      { run_id: run.id, score: search.by },
      [baseline, ...runs].some(isGoingOn),
    ),
  )
  const [first] = comparison.data?.pages ?? []
  const makeBaseline = (id: string): void =>
    change({
      baseline: id,
      runs: [baseline.id, ...ids.filter(one => one !== id)].join(),
      run: undefined,
      case: undefined,
    })
  const remove = (id: string): void =>
    change({ runs: ids.filter(one => one !== id).join() || undefined, run: undefined })
  return (
    <>
      <Configuration runs={[baseline, ...runs]} />
      {comparison.error && <Failure what="The runs cannot be compared." error={comparison.error} />}
      {comparison.isPending && <Waiting />}
      {first && (
        <>
          <ScoreTable
            baseline={baseline}
            runs={runs}
            compared={first.runs}
            by={search.by ?? first.runs[0]?.scores[0]}
            onBy={by => change({ by })}
            onBaseline={makeBaseline}
            onRemove={remove}
          />
          <ComparedCases
            baseline={baseline}
            run={run}
            runs={runs}
            pages={comparison.data?.pages ?? []}
            search={search}
            change={change}
            more={
              comparison.hasNextPage && !comparison.isFetchingNextPage
                ? () => void comparison.fetchNextPage()
                : undefined
            }
            isStale={comparison.isPlaceholderData}
          />
        </>
      )}
    </>
  )
}

interface RunSelectProps {
  label: string
  value: string | undefined
  /** Runs that may be older than those that are offered. */
  known: readonly Run[]
  except?: readonly string[]
  onChange: (id: string) => void
}

/** The newest runs to choose from. */
function RunSelect({ label, value, known, except = [], onChange }: RunSelectProps): ReactNode {
  const { data } = useInfiniteQuery(runsQuery())
  const newest = data?.pages.flatMap(page => page.runs) ?? []
  const own = known.filter(({ id }) => id === value && !newest.some(run => run.id === id))
  const offered = [...own, ...newest].filter(({ id }) => !except.includes(id))
  return (
    <>
      {value !== undefined && <span aria-hidden="true">{label}</span>}
      <FindSelect
        className={styles.select}
        label={label}
        value={value ?? ''}
        options={[
          ...(value === undefined ? [{ value: '', label: `${label} …`, isKept: true }] : []),
          ...offered.map(run => ({ value: run.id, label: `${runName(run)} · ${formatTime(run.created_at)}` })),
        ]}
        onChange={id => id && onChange(id)}
      />
    </>
  )
}
