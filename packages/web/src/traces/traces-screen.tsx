import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import type { ListBody } from '../api/filtering.ts'
import { anySpanQuery, type Row, rowsQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { useKeys } from '../frame/keys.ts'
import { controls, Waiting } from '../parts/controls.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import { Facets } from './facets.tsx'
import { FilterLine } from './filter-line.tsx'
import { Histogram } from './histogram.tsx'
import { Onboarding } from './onboarding.tsx'
import { ROW_PX, Rows } from './rows.tsx'
import { type Change, openRow, spanOf, type TracesSearch } from './search.ts'
import { Toolbar } from './toolbar.tsx'
import styles from './traces.module.css'
import { useBody, windowNowOf } from './use-body.ts'
import { idOf, showArrived, useList } from './use-list.ts'

const TracePanel = lazy(() => import('../trace/trace-panel.tsx').then(module => ({ default: module.TracePanel })))

const SelectionBar = lazy(() =>
  import('./selection/selection-bar.tsx').then(module => ({ default: module.SelectionBar })),
)

/** How often a project without spans is asked whether it has one. */
const WAIT_MS = 500

/** The list of traces; a project without any span gets the lines to paste instead. */
export function TracesScreen(): ReactNode {
  const [isWaiting, setIsWaiting] = useState(false)
  const any = useQuery(anySpanQuery(isWaiting ? WAIT_MS : false))
  const isEmpty = any.data?.count === 0
  useEffect(() => {
    setIsWaiting(isEmpty)
    // What was read of the empty list must not be shown again when it has rows.
    if (isEmpty) queryClient.removeQueries({ queryKey: ['rows'] })
  }, [isEmpty])
  return isEmpty ? <Onboarding /> : <TraceList />
}

function TraceList(): ReactNode {
  const search = useSearch({ from: '/traces' })
  const change = useChangeOf<TracesSearch>()
  const { body, listed, error, listedFor } = useBody(search)
  // The server works while the page follows.
  const follow: Change = (changes, options) => {
    const next = listedFor({ ...search, ...changes })
    if (next)
      void queryClient.prefetchInfiniteQuery(
        rowsQuery(next, search.order ?? 'time', windowNowOf({ ...search, ...changes })),
      )
    change(changes, options)
  }
  return (
    <div className={styles.screen}>
      <h1 className={controls.hidden}>{search.focus === 'span' ? 'Spans' : 'Traces'}</h1>
      <FilterLine text={search.q ?? ''} error={error} change={follow} window={body?.windowing} />
      {body && listed && <Found body={body} listed={listed} search={search} change={change} />}
    </div>
  )
}

interface FoundProps {
  body: ListBody
  listed: ListBody
  search: TracesSearch
  change: Change
}

function Found({ body, listed, search, change }: FoundProps): ReactNode {
  const list = useList({ body, listed }, search)
  const { selected, toggle, clear } = useSelection(listed)
  const [showsFacets, setShowsFacets] = useState(() => matchMedia('(min-width: 900px)').matches)
  const open = openRow(search, list.rows)
  const step = (by: number) => () => {
    const next = list.rows[open + by]
    if (open >= 0 && next) change({ trace: next.trace_id, span: spanOf(search, next) }, { replace: true })
  }
  const scroller = useRef<HTMLDivElement>(null)
  // Rows that somebody has scrolled to must not move: further down, what arrives waits for its button.
  const [isAtTop, setIsAtTop] = useState(true)
  const isLive = search.live === true && isAtTop
  const showNew = (): void => {
    scroller.current?.scrollTo({ top: 0 })
    void showArrived()
  }
  useKeys({ ']': step(1), '[': step(-1), n: showNew })
  useEffect(() => {
    if (isLive && list.arrived > 0) void showArrived()
  }, [isLive, list.arrived])
  return (
    <>
      <Toolbar
        {...{ list, search, change, showsFacets, showNew, isLive }}
        onFacets={() => setShowsFacets(!showsFacets)}
      />
      <Histogram list={list} change={change} />
      <div className={styles.found}>
        {showsFacets && <Facets list={list} text={search.q ?? ''} change={change} />}
        <Rows {...{ scroller, list, search, change, selected, toggle }} onScroll={() => setIsAtTop(isTop(scroller))} />
      </div>
      <Suspense>{selected.size > 0 && <SelectionBar chosen={[...selected.values()]} onClear={clear} />}</Suspense>
      {search.trace !== undefined && (
        // Made with the panel: one that was there before would leave the list alone until the panel can be shown.
        <Suspense fallback={<Opening />}>
          <TracePanel
            traceId={search.trace}
            search={search}
            change={change}
            onPrevious={open > 0 ? step(-1) : undefined}
            onNext={open >= 0 && open < list.rows.length - 1 ? step(1) : undefined}
          />
        </Suspense>
      )}
    </>
  )
}

/** In place of the panel while its code is on its way. */
const Opening = (): ReactNode => (
  <div className={styles.opening} role="status" aria-label="The trace is being opened">
    <Waiting />
  </div>
)

const isTop = ({ current }: RefObject<HTMLElement | null>): boolean => (current?.scrollTop ?? 0) < ROW_PX

const NONE: ReadonlyMap<string, Row> = new Map()

/** The rows that are selected, of one list: what another filter or time does not show must not be acted on. */
function useSelection(listed: ListBody) {
  const list = JSON.stringify(listed)
  const [{ of, rows }, setSelection] = useState({ of: list, rows: NONE })
  const selected = of === list ? rows : NONE
  return {
    selected,
    toggle: (row: Row): void => {
      const next = new Map(selected)
      if (!next.delete(idOf(row))) next.set(idOf(row), row)
      setSelection({ of: list, rows: next })
    },
    clear: (): void => setSelection({ of: list, rows: NONE }),
  }
}
