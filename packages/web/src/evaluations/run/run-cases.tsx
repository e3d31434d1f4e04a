import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { type CaseRow, type CasesAsked, casesByIdQuery, casesQuery, type Run } from '../../api/evaluations.ts'
import { formatCount, formatNumberOf, visible } from '../../format/format.ts'
import { useKeys } from '../../frame/keys.ts'
import { Button, Failure, Kbd, Spoken, Waiting } from '../../parts/controls.tsx'
import type { ChangeOf } from '../../parts/use-change-of.ts'
import { useKeptFocus } from '../../parts/use-kept-focus.ts'
import { StatusSign } from '../run-status.tsx'
import type { RunSearch } from '../search.ts'
import { modelOf, modelsOf, type ScoreColumn, valuesOf } from '../table/case-model.ts'
import { CaseTable } from '../table/case-table.tsx'
import { DiffText } from '../table/diff-text.tsx'
import { useExpectedKeys } from '../table/expected-keys.ts'
import { ScoreValue } from '../table/score-value.tsx'
import table from '../table/table.module.css'
import { CasePanel } from './case-panel.tsx'
import { ExportCases } from './export-cases.tsx'
import styles from './run.module.css'

interface RunCasesProps {
  run: Run
  columns: readonly ScoreColumn[]
  everyMs: number | false
  search: RunSearch
  change: ChangeOf<RunSearch>
}

/** Scores that have a column; all of them are shown beside the table. */
const COLUMNS_MAX = 6

/** A live run shows the newest cases first. The cases of a testset stay in its order, also while they run. */
const askedOf = ({ flags }: Run, { bin, failure, errors, by }: RunSearch): CasesAsked => ({
  ...(flags?.is_live && !by && { is_newest_first: true }),
  ...(bin && { score: bin }),
  ...(failure && { failure }),
  ...(errors && { status: 'errors' }),
  ...(by && { order_by: by }),
})

/** The cases of a run as a table, and the one that is open beside it. */
export function RunCases({ run, columns, everyMs, search, change }: RunCasesProps): ReactNode {
  const asked = askedOf(run, search)
  const [reading, setReading] = useState(0)
  const cases = useInfiniteQuery(casesQuery(run.id, asked, { everyMs, reading }))
  const expectedKeys = useExpectedKeys(run)
  const rows = cases.data?.pages.flatMap(page => page.cases) ?? []
  const { total, newer = 0 } = cases.data?.pages[0] ?? {}
  const shown = columns.slice(0, COLUMNS_MAX)
  const listed = rows.find(({ scenario_id }) => scenario_id === search.case)
  // An address may open a case of a page that has not been read.
  const isElsewhere = search.case !== undefined && cases.data !== undefined && listed === undefined
  const elsewhere = useQuery({
    ...casesByIdQuery(run.id, isElsewhere ? [search.case ?? ''] : []),
    refetchInterval: everyMs,
  })
  const open = listed ?? elsewhere.data?.cases[0]
  const toggleDiff = (): void => change({ diff: search.diff ? undefined : true }, { replace: true })
  const clear = { bin: undefined, failure: undefined, errors: undefined }
  const isNarrowed = search.bin !== undefined || search.failure !== undefined || search.errors !== undefined
  const toolbar = useKeptFocus<HTMLDivElement>()
  const scroller = useRef<HTMLDivElement>(null)
  const showNew = (): void => {
    scroller.current?.scrollTo({ top: 0 })
    setReading(reading + 1)
  }
  useKeys({
    d: toggleDiff,
    x: isNarrowed ? () => change(clear) : undefined,
    n: newer > 0 ? showNew : undefined,
  })
  return (
    <>
      <div ref={toolbar} className={styles.toolbar}>
        <output className={styles.soft}>
          {total === undefined
            ? ''
            : isNarrowed
              ? `${formatCount(total + newer)} found`
              : formatNumberOf(total + newer, 'case')}
        </output>
        {newer > 0 && (
          <Button look="primary" onClick={showNew}>
            {formatCount(newer)} new <Kbd>n</Kbd>
          </Button>
        )}
        {isNarrowed && (
          <Button onClick={() => change(clear)}>
            Show all <Kbd>x</Kbd>
          </Button>
        )}
        <Button
          aria-pressed={search.errors ?? false}
          onClick={() => change({ errors: search.errors ? undefined : true })}
        >
          With errors
        </Button>
        <span className={styles.space} />
        <ExportCases run={run} asked={asked} expectedKeys={expectedKeys} />
        <Button aria-pressed={search.diff ?? false} onClick={toggleDiff}>
          Diff to expected <Kbd>d</Kbd>
        </Button>
      </div>
      {cases.error && <Failure what="The cases cannot be read." error={cases.error} />}
      <div className={styles.below}>
        <CaseTable
          scroller={scroller}
          label="Cases"
          rows={rows}
          idOf={({ scenario_id }) => scenario_id}
          nameOf={row => `Case ${row.scenario_id.slice(-6)}`}
          open={search.case}
          onOpen={id => change({ case: id }, { replace: search.case !== undefined })}
          head={<Head columns={shown} by={search.by} change={change} />}
          cells={row => (
            <Cells run={run} row={row} columns={shown} expectedKeys={expectedKeys} isDiff={search.diff ?? false} />
          )}
          more={cases.hasNextPage && !cases.isFetchingNextPage ? () => void cases.fetchNextPage() : undefined}
          isStale={cases.isPlaceholderData}
        >
          {cases.isPending && <Waiting />}
          {total === 0 && rows.length === 0 && (
            <p className={table.nothing}>{isNarrowed ? 'No case matches.' : 'There are no cases yet.'}</p>
          )}
        </CaseTable>
        {open && (
          <CasePanel
            run={run}
            row={open}
            models={modelsOf(run, open, expectedKeys)}
            isDiff={search.diff ?? false}
            onDiff={toggleDiff}
            onClose={() => change({ case: undefined })}
          />
        )}
      </div>
    </>
  )
}

interface HeadProps {
  columns: readonly ScoreColumn[]
  by: RunSearch['by']
  change: ChangeOf<RunSearch>
}

function Head({ columns, by, change }: HeadProps): ReactNode {
  return (
    <>
      <span role="columnheader">
        <Spoken>Open</Spoken>
      </span>
      <span role="columnheader">Input</span>
      <span role="columnheader" className={table.expected}>
        Expected
      </span>
      <span role="columnheader">Output</span>
      {columns.map(({ step_key, path, title }) => {
        const isBy = by?.step_key === step_key && by.path === path
        // The first click sorts from the lowest, the second from the highest, the third no longer.
        const next = !isBy ? { step_key, path } : by.is_descending ? undefined : { step_key, path, is_descending: true }
        const order = isBy ? (by.is_descending ? 'descending' : 'ascending') : 'none'
        return (
          <span key={`${step_key} ${path}`} role="columnheader" aria-sort={order} className={table.score}>
            <button type="button" className={table.sort} aria-pressed={isBy} onClick={() => change({ by: next })}>
              {visible(title)} {isBy && (by.is_descending ? '↓' : '↑')}
            </button>
          </span>
        )
      })}
    </>
  )
}

interface CellsProps {
  run: Run
  row: CaseRow
  columns: readonly ScoreColumn[]
  expectedKeys: readonly string[]
  isDiff: boolean
}

/** Characters of a text that a line can show. */
const LINE_MAX = 400

function Cells({ run, row, columns, expectedKeys, isDiff }: CellsProps): ReactNode {
  const { input, expected, output, error } = modelOf(run, row, expectedKeys)
  return (
    <>
      <span role="cell">
        {row.status !== 'success' && <StatusSign status={row.status} />}{' '}
        <bdi>{visible((input ?? '').slice(0, LINE_MAX))}</bdi>
      </span>
      <span role="cell" className={`${table.expected} ${table.soft}`}>
        <bdi>{visible((expected ?? '').slice(0, LINE_MAX))}</bdi>
      </span>
      <span role="cell" className={error === undefined ? '' : table.failed}>
        <bdi>
          {error !== undefined ? (
            visible(error.slice(0, LINE_MAX))
          ) : (
            <DiffText
              before={isDiff ? expected?.slice(0, LINE_MAX) : undefined}
              after={(output ?? '').slice(0, LINE_MAX)}
            />
          )}
        </bdi>
      </span>
      {columns.map(column => (
        <span key={`${column.step_key} ${column.path}`} role="cell" className={table.score}>
          <ScoreValue values={valuesOf(row.cells, column)} />
        </span>
      ))}
    </>
  )
}
