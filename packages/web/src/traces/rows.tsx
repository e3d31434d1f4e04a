import { useLinkProps } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
} from 'react'
import { isFailed, type Preview, type Row } from '../api/queries.ts'
import { type Annotation, scoresOf } from '../api/scores.ts'
import {
  exact,
  formatAmount,
  formatCost,
  formatDuration,
  formatFullTime,
  formatTime,
  MISSING,
  spanName,
  visible,
} from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { Failure, Spoken } from '../parts/controls.tsx'
import { topOf } from '../parts/left-lists.ts'
import { Scores } from '../parts/scores.tsx'
import { TypeIcon } from '../parts/type-icon.tsx'
import { useKeptScroll } from '../parts/use-kept-scroll.ts'
import { namedLike } from './filter-text.ts'
import {
  addressOf,
  attributesIn,
  type Change,
  columnsIn,
  openRow,
  SCORES,
  spanOf,
  type TracesSearch,
} from './search.ts'
import styles from './traces.module.css'
import { idOf, type List } from './use-list.ts'
import { usePreviews, useScores } from './use-row-contents.ts'

interface RowsProps {
  /** The part of the page that scrolls. */
  scroller: RefObject<HTMLDivElement | null>
  list: List
  search: TracesSearch
  change: Change
  /** By id. */
  selected: ReadonlyMap<string, Row>
  toggle: (row: Row) => void
  onScroll: () => void
}

export const ROW_PX = 28
/** The head stands over the rows: as high as one, and a line. */
const HEAD_PX = ROW_PX + 1
/** So many rows before the end the next page is read: the first page of a list has more than these and a window's. */
const AHEAD = 15

/** The table of a list; only the visible rows are in the document. */
export function Rows({ scroller, list, search, change, selected, toggle, onScroll }: RowsProps): ReactNode {
  'use no memo' // The virtualizer is one object, whose answers change.
  const { rows, shown, more } = list
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    initialOffset: () => (shown === undefined ? 0 : (topOf(shown) ?? 0)),
    scrollPaddingEnd: HEAD_PX,
  })
  const visibleRows = virtual.getVirtualItems()
  const lastVisible = visibleRows.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastVisible > rows.length - AHEAD) more?.()
  }, [lastVisible, rows.length, more])
  useKeptScroll(scroller, shown)
  useOpenRow(scroller, { rows, open: openRow(search, rows), reveal: index => virtual.scrollToIndex(index) })
  useRowKeys(scroller, rows.length, index => virtual.scrollToIndex(index))
  useKeys({
    x: () => {
      const row = rows[Number(focusedRow() ?? Number.NaN)]
      return row ? toggle(row) : false
    },
  })
  const columns = columnsIn(search)
  const scores = useScores(columns.includes(SCORES), rows, visibleRows[0]?.index ?? 0)
  const previews = usePreviews(rows, { first: visibleRows[0]?.index ?? 0, last: lastVisible }, attributesIn(search))
  const { href: address = '' } = useLinkProps({
    to: '/traces',
    search: { ...search, trace: undefined, span: undefined },
  })
  const longest = Math.max(1, ...rows.map(({ duration = 0 }) => duration))
  return (
    <div ref={scroller} className={styles.scroller} data-stale={list.isStale || undefined} onScroll={onScroll}>
      {list.error && <Failure what="The list cannot be read." error={list.error} />}
      {previews.error && <Failure what="Inputs and outputs cannot be read." error={previews.error} />}
      <div
        role="table"
        aria-label={search.focus === 'span' ? 'Spans' : 'Traces'}
        aria-rowcount={rows.length + 1}
        style={{ '--own': ' minmax(80px, 140px)'.repeat(columns.length) } as CSSProperties}
      >
        <Head columns={columns} />
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {list.isFirst && <Waiting />}
          {visibleRows.map(({ index, start }) => (
            <RowLine
              key={idOf(rows[index] as Row)}
              row={rows[index] as Row}
              {...{ index, start, longest, search, change, columns, scores, toggle, address }}
              preview={previews.byId.get(idOf(rows[index] as Row))}
              isSelected={selected.has(idOf(rows[index] as Row))}
            />
          ))}
        </div>
      </div>
      {!list.isFirst && rows.length === 0 && !list.error && <Nothing search={search} change={change} />}
    </div>
  )
}

/**
 * The next trace may be opened without a look at the list: its row is shown, and the next page is read in time. The row
 * of the last one has the focus when it is closed.
 */
function useOpenRow(
  scroller: RefObject<HTMLDivElement | null>,
  { rows, open, reveal }: { rows: readonly Row[]; open: number; reveal: (index: number) => void },
): void {
  const openId = open < 0 ? undefined : idOf(rows[open] as Row)
  const last = useRef(openId)
  const follow = useEffectEvent((id: string | undefined): void => {
    if (id !== undefined) reveal(open)
    else if (document.activeElement === document.body) {
      const index = rows.findIndex(row => idOf(row) === last.current)
      scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`)?.focus()
    }
    last.current = id
  })
  // Only when another row is open: rows that arrive scroll nothing.
  useEffect(() => follow(openId), [openId])
}

/** `j` and `k` move the focus from row to row. */
function useRowKeys(scroller: RefObject<HTMLDivElement | null>, count: number, reveal: (index: number) => void): void {
  const move = (by: number) => () => {
    const focused = focusedRow()
    const index = focused === undefined ? 0 : Number(focused) + by
    if (index < 0 || index >= count) return
    reveal(index)
    const focus = (): boolean => {
      const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`)
      link?.focus()
      return link != null
    }
    // At once, or a second key in the same frame would go to the same row; one that was not visible is there after it.
    if (!focus()) requestAnimationFrame(focus)
  }
  useKeys({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1) })
}

const focusedRow = (): string | undefined => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row

const Head = ({ columns }: { columns: readonly string[] }): ReactNode => (
  <div role="rowgroup" className={styles.head}>
    <div role="row" className={styles.row} aria-rowindex={1}>
      <span role="columnheader" className={styles.check}>
        <Spoken>Selected</Spoken>
      </span>
      <span role="columnheader" className={styles.time}>
        Time
      </span>
      <span role="columnheader" className={styles.name}>
        Name
      </span>
      <span role="columnheader" className={styles.preview}>
        Input → output
      </span>
      <span role="columnheader" className={styles.session}>
        Session
      </span>
      <span role="columnheader" className={styles.duration}>
        Duration
      </span>
      <span role="columnheader" className={styles.tokens}>
        Σ tokens
      </span>
      <span role="columnheader" className={styles.cost}>
        Σ cost
      </span>
      {columns.map(column => (
        <span key={column} role="columnheader" className={styles.own} title={column}>
          {column === SCORES ? 'Scores' : visible(column.split('.').slice(-2).join('.'))}
        </span>
      ))}
    </div>
  </div>
)

interface RowLineProps {
  row: Row
  index: number
  start: number
  longest: number
  search: TracesSearch
  change: Change
  columns: readonly string[]
  scores: ReadonlyMap<string, Annotation[]>
  /** Undefined until it is here. */
  preview: Preview | undefined
  /** Of the list. */
  address: string
  isSelected: boolean
  toggle: (row: Row) => void
}

function RowLine({
  row,
  index,
  start,
  longest,
  search,
  change,
  columns,
  scores,
  preview,
  address,
  isSelected,
  toggle,
}: RowLineProps): ReactNode {
  const isOpen = row.trace_id === search.trace && (search.focus !== 'span' || row.span_id === search.span)
  const open = { trace: row.trace_id, span: spanOf(search, row) }
  const onClick = (event: MouseEvent): void => {
    if (!(event.target as Element).closest('a, button, input') && getSelection()?.isCollapsed !== false) change(open)
  }
  // With a modifier the browser opens the address elsewhere.
  const onLink = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    change(open)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row is for the keyboard
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      data-open={isOpen || undefined}
      className={styles.row}
      style={{ position: 'absolute', top: start, insetInline: 0 }}
      onClick={onClick}
    >
      <span role="cell" className={styles.check}>
        <input
          type="checkbox"
          aria-label={`Select ${spanName(row.span_name)}`}
          checked={isSelected}
          onChange={() => toggle(row)}
        />
      </span>
      <span role="cell" className={styles.time} title={formatFullTime(row.start_time)}>
        {formatTime(row.start_time)}
      </span>
      <span role="cell" className={styles.name}>
        <TypeIcon type={row.span_type} />
        <a href={addressOf(address, open)} title={spanName(row.span_name)} onClick={onLink}>
          {spanName(row.span_name)}
        </a>
        {isFailed(row) && (
          <span className={styles.fault} title={row.status_message && visible(row.status_message)}>
            {row.errors}
            <Spoken>{row.errors ? (row.errors === 1 ? ' exception' : ' exceptions') : 'failed'}</Spoken> ✕
          </span>
        )}
      </span>
      <span role="cell" className={styles.preview}>
        <bdi>{preview?.inputs && visible(preview.inputs)}</bdi>
        {preview?.outputs && <span className={styles.arrow}> → </span>}
        <bdi>{preview?.outputs && visible(preview.outputs)}</bdi>
      </span>
      <span role="cell" className={styles.session}>
        {row.session_id && visible(row.session_id)}
      </span>
      <span
        role="cell"
        className={styles.duration}
        title={row.duration === undefined ? undefined : `${row.duration} ms`}
      >
        <span className={styles.bar} style={{ width: `${((row.duration ?? 0) / longest) * 100}%` }} />
        <span>{formatDuration(row.duration)}</span>
      </span>
      <span role="cell" className={styles.tokens} title={exact(row.tokens)}>
        {formatAmount(row.tokens)}
      </span>
      <span role="cell" className={styles.cost} title={exact(row.costs)}>
        {formatCost(row.costs)}
      </span>
      {columns.map(column => (
        <span key={column} role="cell" className={styles.own} title={preview?.attributes?.[column]}>
          {column === SCORES ? (
            <Scores scores={scoresOf(scores.get(row.trace_id) ?? [])} />
          ) : (
            preview && visible(preview.attributes?.[column] ?? MISSING)
          )}
        </span>
      ))}
    </div>
  )
}

/** As high as the first rows will be. */
const Waiting = (): ReactNode => <div aria-hidden="true" className={styles.waiting} style={{ height: 12 * ROW_PX }} />

function Nothing({ search, change }: { search: TracesSearch; change: Change }): ReactNode {
  const isNarrow = search.q !== undefined || search.from !== undefined
  const named = namedLike(search.q ?? '')
  return (
    <div className={styles.nothing}>
      <p>Nothing matches{search.q ? ' the filter' : ''} in this time.</p>
      {named !== undefined && (
        <p>
          Words are searched for in inputs and outputs. To search by name:{' '}
          <button type="button" className={styles.link} onClick={() => change({ q: named })}>
            {visible(named)}
          </button>
        </p>
      )}
      <p>
        {isNarrow && (
          <button
            type="button"
            className={styles.link}
            onClick={() => change({ q: undefined, from: undefined, to: undefined })}
          >
            Remove the filter
          </button>
        )}{' '}
        <button
          type="button"
          className={styles.link}
          onClick={() => change({ since: '1y', from: undefined, to: undefined })}
        >
          Search the last year
        </button>
      </p>
    </div>
  )
}
