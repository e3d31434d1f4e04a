import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { useKeys } from '../../frame/keys.ts'
import styles from './table.module.css'

interface CaseTableProps<Row> {
  /** What scrolls, for who wants to scroll it. */
  scroller?: RefObject<HTMLDivElement | null>
  label: string
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** The id of the row that is open beside the table. */
  open: string | undefined
  onOpen: (id: string | undefined) => void
  head: ReactNode
  cells: (row: Row) => ReactNode
  /** What a row is called by those who hear the page. */
  nameOf: (row: Row) => string
  more: (() => void) | undefined
  isStale: boolean
  children?: ReactNode
}

const ROW_PX = 28
/** The head stands over the rows: as high as one, and a line. */
const HEAD_PX = ROW_PX + 1
/** So many rows before the end the next page is read. */
const AHEAD = 30

/** Cases as rows of one line, of which only the visible ones are in the document; the open one is shown beside it. */
export function CaseTable<Row>(props: CaseTableProps<Row>): ReactNode {
  'use no memo' // The virtualizer is one object, whose answers change.
  const { label, rows, idOf, open, onOpen, head, cells, nameOf, more, isStale, children } = props
  const own = useRef<HTMLDivElement>(null)
  const { scroller = own } = props
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingEnd: HEAD_PX,
  })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (last > rows.length - AHEAD) more?.()
  }, [last, rows.length, more])
  const at = rows.findIndex(row => idOf(row) === open)
  const follow = useEffectEvent((id: string): void => virtual.scrollToIndex(rows.findIndex(row => idOf(row) === id)))
  const listed = at < 0 ? undefined : open
  // The next case may be opened without a look at the table: its row is shown, and the next page is read in time.
  useEffect(() => {
    if (listed !== undefined) follow(listed)
  }, [listed])
  const reveal = (index: number): void => {
    virtual.scrollToIndex(index)
    const focus = (): boolean => {
      const button = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] button`)
      button?.focus()
      return button != null
    }
    // A row that was not visible is there after the next frame.
    if (!focus()) requestAnimationFrame(focus)
  }
  /** While a case is open the next one is opened, otherwise focused. */
  const move = (by: number) => () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row
    const from = at >= 0 || focused === undefined ? at : Number(focused)
    const index = from < 0 ? 0 : from + by
    const row = rows[index]
    if (row === undefined) return
    if (open !== undefined) onOpen(idOf(row))
    reveal(index)
  }
  const step = (by: number) => () => {
    const row = rows[at + by]
    if (at >= 0 && row !== undefined) onOpen(idOf(row))
  }
  useKeys({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1), ']': step(1), '[': step(-1) })
  return (
    <div ref={scroller} className={styles.scroller} data-stale={isStale || undefined}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className={styles.head}>
          <div role="row" className={styles.row} aria-rowindex={1}>
            {head}
          </div>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start }) => {
            const row = rows[index] as Row
            const id = idOf(row)
            const toggle = (): void => onOpen(id === open ? undefined : id)
            const onClick = (event: MouseEvent): void => {
              if (!(event.target as Element).closest('a, button')) toggle()
            }
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the button in the row is for the keyboard
              <div
                key={id}
                role="row"
                aria-rowindex={index + 2}
                data-row={index}
                data-open={id === open || undefined}
                className={styles.row}
                style={{ position: 'absolute', top: start, insetInline: 0 }}
                onClick={onClick}
              >
                <span role="cell" className={styles.opener}>
                  <button type="button" aria-expanded={id === open} aria-label={nameOf(row)} onClick={toggle}>
                    <span aria-hidden="true">{id === open ? '▾' : '▸'}</span>
                  </button>
                </span>
                {cells(row)}
              </div>
            )
          })}
        </div>
      </div>
      {children}
    </div>
  )
}
