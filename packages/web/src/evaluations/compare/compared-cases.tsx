import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type ComparedCase,
  type ComparedScore,
  type Comparison,
  comparedScenarioQuery,
  type Run,
} from '../../api/evaluations.ts'
import { MISSING, visible } from '../../format/format.ts'
import { useKeys } from '../../frame/keys.ts'
import { Choices, controls, Spoken } from '../../parts/controls.tsx'
import type { ChangeOf } from '../../parts/use-change-of.ts'
import type { CompareSearch } from '../search.ts'
import { CaseTable } from '../table/case-table.tsx'
import { DiffText } from '../table/diff-text.tsx'
import table from '../table/table.module.css'
import styles from './compare.module.css'
import { ComparedPanel } from './compared-panel.tsx'
import { directionOf, formatCaseChange, formatMeasure, isSameScore, titlesOf } from './measures.ts'
import { runName } from './score-table.tsx'
import { comparedWith, type Sides, useSides } from './use-sides.ts'

interface ComparedCasesProps {
  baseline: Run
  /** The run whose cases are listed. */
  run: Run
  runs: readonly Run[]
  pages: readonly Comparison[]
  search: CompareSearch
  change: ChangeOf<CompareSearch>
  more: (() => void) | undefined
  isStale: boolean
}

/** Scores that have a column. */
const COLUMNS_MAX = 4
const LINE_MAX = 400

const idOf = ({ baseline, repeat_idx }: ComparedCase): string => `${baseline.scenario_id}:${repeat_idx}`

/** The cases of two runs, those first that got worse most by one score. */
export function ComparedCases(props: ComparedCasesProps): ReactNode {
  const { baseline, run, runs, pages, search, change, more, isStale } = props
  const rows = pages.flatMap(({ cases }) => cases)
  const listed = rows.find(row => idOf(row) === search.case)
  // An address may open a case of a page that has not been read.
  const elsewhere = useElsewhere(baseline, run, listed || isStale ? undefined : search.case)
  const sidesOf = useSides(baseline, run, elsewhere ? [...pages, { cases: [elsewhere] }] : pages)
  const all = pages[0]?.runs.find(({ run_id }) => run_id === run.id)?.scores ?? []
  const by = all.find(score => isSameScore(score, search.by)) ?? all[0]
  const columns = [...(by ? [by] : []), ...all.filter(score => score !== by)].slice(0, COLUMNS_MAX)
  const titles = new Map(titlesOf(baseline, all).map((title, index) => [all[index], title]))
  const open = listed ?? elsewhere
  const navigate = useNavigate()
  useTraceKeys(open)
  useKeys({
    d: () => change({ diff: DIFFS[(DIFFS.indexOf(search.diff) + 1) % DIFFS.length] }, { replace: true }),
    s: () => navigate({ to: '/evaluations/judge', search: { baseline: baseline.id, run: run.id } }),
  })
  return (
    <>
      <div className={styles.toolbar}>
        <span className={table.soft}>Worst first by {visible((by && titles.get(by)) ?? 'nothing')}</span>
        {runs.length > 1 && (
          <select
            className={`${controls.select} ${styles.select}`}
            aria-label="Cases of the run"
            value={run.id}
            onChange={({ target }) => change({ run: target.value, case: undefined })}
          >
            {runs.map(one => (
              <option key={one.id} value={one.id}>
                {runName(one)}
              </option>
            ))}
          </select>
        )}
        <span className={styles.space} />
        <Link to="/evaluations/judge" search={{ baseline: baseline.id, run: run.id }}>
          Judge side by side
        </Link>
        <Choices
          label="Diff of outputs"
          value={search.diff ?? 'none'}
          choices={[
            ['none', 'No diff'],
            ['baseline', 'To baseline'],
            ['expected', 'To expected'],
          ]}
          onChange={diff => change({ diff: diff === 'none' ? undefined : diff }, { replace: true })}
        />
      </div>
      <div className={styles.below}>
        <CaseTable
          label="Compared cases"
          rows={rows}
          idOf={idOf}
          nameOf={row => `Case ${row.baseline.scenario_id.slice(-6)}`}
          open={search.case}
          onOpen={id => change({ case: id }, { replace: search.case !== undefined })}
          head={<Head columns={columns} titles={titles} />}
          cells={row => <Cells row={row} sides={sidesOf(row)} columns={columns} diff={search.diff} />}
          more={more}
          isStale={isStale}
        >
          {rows.length === 0 && <p className={table.nothing}>The runs have no case in common.</p>}
        </CaseTable>
        {open && (
          <ComparedPanel
            baseline={baseline}
            run={run}
            row={open}
            sides={sidesOf(open)}
            diff={search.diff}
            onClose={() => change({ case: undefined })}
          />
        )}
      </div>
    </>
  )
}

/** A case by its id; undefined until it is read, or if the runs do not have it in common. */
function useElsewhere(baseline: Run, run: Run, id: string | undefined): ComparedCase | undefined {
  const { data } = useQuery(comparedScenarioQuery(baseline.id, run.id, id?.split(':')[0]))
  return data?.find(row => idOf(row) === id)
}

const DIFFS = [undefined, 'baseline', 'expected'] as const

/** `b` opens the trace of the baseline, `t` that of the run. */
function useTraceKeys(open: ComparedCase | undefined): void {
  const navigate = useNavigate()
  const go = (traceId: string | undefined) => (): unknown =>
    traceId === undefined ? false : navigate({ to: '/traces/$traceId', params: { traceId } })
  useKeys({ b: go(open?.baseline.trace_id), t: go(open?.candidate.trace_id) })
}

interface HeadProps {
  columns: readonly ComparedScore[]
  titles: ReadonlyMap<ComparedScore | undefined, string>
}

const Head = ({ columns, titles }: HeadProps): ReactNode => (
  <>
    <span role="columnheader">
      <Spoken>Open</Spoken>
    </span>
    <span role="columnheader">Input</span>
    <span role="columnheader" className={table.expected}>
      Output of the baseline
    </span>
    <span role="columnheader">Output</span>
    {columns.map(column => (
      <span key={`${column.step_key} ${column.path}`} role="columnheader" className={table.score}>
        {visible(titles.get(column) ?? '')}
      </span>
    ))}
  </>
)

interface CellsProps {
  row: ComparedCase
  sides: Sides
  columns: readonly ComparedScore[]
  diff: CompareSearch['diff']
}

function Cells({ row, sides, columns, diff }: CellsProps): ReactNode {
  const { baseline, candidate } = sides
  const line = (text: string | undefined): string => (text ?? '').slice(0, LINE_MAX)
  const before = comparedWith(sides, diff)
  return (
    <>
      <span role="cell">
        <bdi>{visible(line(candidate?.input ?? baseline?.input))}</bdi>
      </span>
      <span role="cell" className={`${table.expected} ${baseline?.error ? table.failed : table.soft}`}>
        <bdi>
          {diff === 'expected' && baseline?.error === undefined ? (
            <DiffText before={baseline?.expected && line(baseline.expected)} after={line(baseline?.output)} />
          ) : (
            visible(line(baseline?.error ?? baseline?.output))
          )}
        </bdi>
      </span>
      <span role="cell" className={candidate?.error === undefined ? '' : table.failed}>
        <bdi>
          {candidate?.error === undefined ? (
            <DiffText before={before === undefined ? undefined : line(before)} after={line(candidate?.output)} />
          ) : (
            visible(line(candidate.error))
          )}
        </bdi>
      </span>
      {columns.map(column => (
        <span key={`${column.step_key} ${column.path}`} role="cell" className={table.score}>
          <Difference row={row} score={column} />
        </span>
      ))}
    </>
  )
}

/** How much a score of a case changed, and from what to what. */
function Difference({ row, score }: { row: ComparedCase; score: ComparedScore }): ReactNode {
  const change = row.scores.find(one => isSameScore(one, score))
  if (change?.difference === undefined) return <span className={table.none}>{MISSING}</span>
  const { baseline, candidate, difference } = change
  const direction = directionOf(score, difference)
  const words = `${formatMeasure(score, baseline ?? 0)} → ${formatMeasure(score, candidate ?? 0)}`
  return (
    <span className={direction ? table[direction] : table.soft} title={words}>
      {formatCaseChange(score, change)}
    </span>
  )
}
