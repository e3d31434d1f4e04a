import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react'
import { visible } from '../format/format.ts'
import { Button } from '../parts/controls.tsx'
import { CellEditor } from './cell-editor.tsx'
import { type Place, type Sheet, valueAt, withPasted, withTexts } from './sheet.ts'
import { type ColumnType, pastedIn, textOfValue } from './table-text.ts'
import styles from './testsets.module.css'

const ROW_PX = 28

interface SheetGridProps {
  sheet: Sheet
  types: readonly ColumnType[]
  /** The cells that differ from the revision, as `row/column`. */
  changed: ReadonlySet<string>
  place: Place
  onMove: (place: Place) => void
  onChange: (sheet: Sheet) => void
  onRemoveColumn: (name: string) => void
}

/** The cells of a sheet. One of them is active: keys move it, typing edits it, and pasting begins there. */
export function SheetGrid(props: SheetGridProps): ReactNode {
  'use no memo' // The virtualizer is one object, whose answers change.
  const { sheet, types, changed, place, onMove, onChange, onRemoveColumn } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const [editing, setEditing] = useState<string>()
  const { columns, rows } = sheet
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollPaddingStart: 40,
    // The active row stays in the document when it is scrolled away: what is typed in it must not be lost.
    rangeExtractor: range => {
      const shown = defaultRangeExtractor(range)
      return place.row < rows.length && !shown.includes(place.row)
        ? [...shown, place.row].sort((one, other) => one - other)
        : shown
    },
  })
  const text = textAt(sheet, place)
  const move = (by: Partial<Place>): void => {
    const row = clamp(place.row + (by.row ?? 0), rows.length)
    virtual.scrollToIndex(row)
    onMove({ row, column: clamp(place.column + (by.column ?? 0), columns.length) })
  }
  const close = (): void => {
    setEditing(undefined)
    scroller.current?.focus()
  }
  const write = (value: string, then: Partial<Place>): void => {
    if (value !== text) onChange(withTexts(sheet, place, [[value]]))
    move(then)
    close()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const step = STEPS[event.key]
    if (step) move(step)
    else if (text === undefined) return
    else if (event.key === 'Enter' || event.key === 'F2') setEditing(text)
    else if (event.key === 'Delete' || event.key === 'Backspace') onChange(withTexts(sheet, place, [['']]))
    else if (event.key.length === 1) setEditing(event.key)
    else return
    event.preventDefault()
  }
  usePaste(scroller, table => onChange(withPasted(sheet, place, table)))
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="grid"
      aria-label="Rows of the testset"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={text === undefined ? undefined : `${id}-active`}
      tabIndex={0}
      style={{ '--columns': columns.length }}
      onKeyDown={onKeyDown}
    >
      <Head columns={columns} types={types} onRemove={onRemoveColumn} />
      <div className={styles.body} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <Line
            key={rows[index]?.key}
            sheet={sheet}
            index={index}
            start={start}
            changed={changed}
            active={index === place.row ? place.column : undefined}
            activeId={`${id}-active`}
            editing={index === place.row ? editing : undefined}
            onMove={column => onMove({ row: index, column })}
            onEdit={setEditing}
            onWrite={write}
            onCancel={close}
          />
        ))}
      </div>
    </div>
  )
}

/** The text of the cell at a place; undefined if there is none. */
function textAt({ columns, rows }: Sheet, { row, column }: Place): string | undefined {
  const [line, name] = [rows[row], columns[column]]
  return line === undefined || name === undefined ? undefined : textOfValue(valueAt(line, name))
}

/**
 * Cells that are pasted while the grid has the focus. Browsers send the event to what is selected, which is not the
 * grid.
 */
function usePaste(grid: RefObject<HTMLElement | null>, take: (table: string[][]) => void): void {
  const onPaste = useEffectEvent(async (event: ClipboardEvent): Promise<void> => {
    if (document.activeElement !== grid.current) return
    event.preventDefault()
    take(await pastedIn(event.clipboardData?.getData('text/plain') ?? ''))
  })
  useEffect(() => {
    const listener = (event: ClipboardEvent): void => void onPaste(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}

interface HeadProps {
  columns: readonly string[]
  types: readonly ColumnType[]
  onRemove: (name: string) => void
}

const Head = ({ columns, types, onRemove }: HeadProps): ReactNode => (
  <div className={styles.head} role="row" aria-rowindex={1}>
    <div role="columnheader">#</div>
    {columns.map((name, index) => (
      <div key={name} role="columnheader">
        <b title={name}>{visible(name)}</b> <small>{types[index]}</small>
        <Button look="plain" aria-label={`Delete the column ${name}`} onClick={() => onRemove(name)}>
          ✕
        </Button>
      </div>
    ))}
  </div>
)

interface LineProps {
  sheet: Sheet
  index: number
  start: number
  changed: ReadonlySet<string>
  /** The active column, if the active cell is in this row. */
  active: number | undefined
  activeId: string
  /** The text that is being edited there. */
  editing: string | undefined
  onMove: (column: number) => void
  onEdit: (text: string) => void
  onWrite: (text: string, then: Partial<Place>) => void
  onCancel: () => void
}

function Line(props: LineProps): ReactNode {
  const { sheet, index, start, changed, active, activeId, editing, onMove, onEdit, onWrite, onCancel } = props
  const row = sheet.rows[index]
  if (row === undefined) return null
  return (
    <div className={styles.line} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${start}px)` }}>
      <div role="rowheader" className={styles.number}>
        {index + 1}
      </div>
      {sheet.columns.map((name, column) => {
        const isActive = column === active
        const isEditing = isActive && editing !== undefined
        const looks = [
          isActive && styles.active,
          isEditing && styles.editing,
          changed.has(`${index}/${name}`) && styles.changed,
        ]
        const shown = textOfValue(valueAt(row, name))
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the grid
          <div
            key={name}
            id={isActive ? activeId : undefined}
            role="gridcell"
            aria-selected={isActive}
            className={looks.filter(Boolean).join(' ')}
            title={shown.length > 20 ? visible(shown.slice(0, 2_000)) : undefined}
            onClick={() => onMove(column)}
            onDoubleClick={() => {
              onMove(column)
              onEdit(shown)
            }}
          >
            {isEditing ? (
              <CellEditor label={`${name} of row ${index + 1}`} text={editing} onWrite={onWrite} onCancel={onCancel} />
            ) : (
              visible(shown.slice(0, SHOWN_MAX))
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Characters of a value in its cell; all of it is there when it is edited. */
const SHOWN_MAX = 300

const STEPS: Readonly<Record<string, Partial<Place>>> = {
  ArrowUp: { row: -1 },
  ArrowDown: { row: 1 },
  ArrowLeft: { column: -1 },
  ArrowRight: { column: 1 },
  PageUp: { row: -20 },
  PageDown: { row: 20 },
  Home: { column: Number.NEGATIVE_INFINITY },
  End: { column: Number.POSITIVE_INFINITY },
}

const clamp = (index: number, count: number): number => Math.max(0, Math.min(index, count - 1))
