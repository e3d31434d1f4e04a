import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { visible } from '../format/format.ts'
import { Button } from '../parts/controls.tsx'
import { type Place, type Sheet, type SheetChanges, valueAt, withTexts } from './sheet.ts'
import { type ColumnType, tableIn, textOfValue } from './table-text.ts'
import styles from './testsets.module.css'

const ROW_PX = 28

interface SheetGridProps {
  sheet: Sheet
  types: readonly ColumnType[]
  changed: SheetChanges['cells']
  place: Place
  onMove: (place: Place) => void
  onChange: (sheet: Sheet) => void
  onRemoveColumn: (name: string) => void
}

/** The cells of a sheet. One of them is active: keys move it, typing edits it, and pasting begins there. */
export function SheetGrid({
  sheet,
  types,
  changed,
  place,
  onMove,
  onChange,
  onRemoveColumn,
}: SheetGridProps): ReactNode {
  'use no memo'
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
  })
  const marked = new Set(changed.map(({ row, column }) => `${row}/${column}`))
  const cell = rows[place.row] && columns[place.column]
  const text = cell === undefined ? '' : textOfValue(valueAt(rows[place.row] as Sheet['rows'][number], cell))
  const move = (by: Partial<Place>): void => {
    const row = clamp(place.row + (by.row ?? 0), rows.length)
    const column = clamp(place.column + (by.column ?? 0), columns.length)
    virtual.scrollToIndex(row)
    onMove({ row, column })
  }
  const write = (value: string, then: Partial<Place>): void => {
    setEditing(undefined)
    if (value !== text) onChange(withTexts(sheet, place, [[value]]))
    move(then)
    scroller.current?.focus()
  }
  const cancel = (): void => {
    setEditing(undefined)
    scroller.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const step = STEPS[event.key]
    if (step) move(step)
    else if (cell === undefined) return
    else if (event.key === 'Enter' || event.key === 'F2') setEditing(text)
    else if (event.key === 'Delete' || event.key === 'Backspace') onChange(withTexts(sheet, place, [['']]))
    else if (event.key.length === 1) setEditing(event.key)
    else return
    event.preventDefault()
  }
  const onPaste = useEffectEvent(async (event: ClipboardEvent): Promise<void> => {
    if (document.activeElement !== scroller.current) return
    event.preventDefault()
    const table = await tableIn(event.clipboardData?.getData('text/plain') ?? '', '\t')
    // Into an empty sheet, the first line names the columns, as in a file.
    if (columns.length === 0)
      onChange(withTexts({ columns: table[0] ?? [], rows }, { row: 0, column: 0 }, table.slice(1)))
    else onChange(withTexts(sheet, place, table))
  })
  // Browsers send it to what is selected, which is not the grid.
  useEffect(() => {
    const listener = (event: ClipboardEvent): void => void onPaste(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="grid"
      aria-label="Rows of the testset"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={cell === undefined ? undefined : `${id}-active`}
      tabIndex={0}
      style={{ '--columns': columns.length }}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head} role="row" aria-rowindex={1}>
        <div role="columnheader">#</div>
        {columns.map((name, index) => (
          <div key={name} role="columnheader">
            <b title={name}>{visible(name)}</b> <small>{types[index]}</small>
            <Button look="plain" aria-label={`Delete the column ${name}`} onClick={() => onRemoveColumn(name)}>
              ✕
            </Button>
          </div>
        ))}
      </div>
      <div className={styles.body} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={rows[index]?.key}
            className={styles.line}
            role="row"
            aria-rowindex={index + 2}
            style={{ transform: `translateY(${start}px)` }}
          >
            <div role="rowheader" className={styles.number}>
              {index + 1}
            </div>
            {columns.map((name, column) => {
              const isActive = index === place.row && column === place.column
              const isEditing = isActive && editing !== undefined
              const looks = [
                isActive && styles.active,
                isEditing && styles.editing,
                marked.has(`${index}/${name}`) && styles.changed,
              ]
              const shown = textOfValue(valueAt(rows[index] as Sheet['rows'][number], name))
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the grid
                <div
                  key={name}
                  id={isActive ? `${id}-active` : undefined}
                  role="gridcell"
                  aria-selected={isActive}
                  className={looks.filter(Boolean).join(' ')}
                  title={shown.length > 20 ? visible(shown.slice(0, 2_000)) : undefined}
                  onClick={() => onMove({ row: index, column })}
                  onDoubleClick={() => {
                    onMove({ row: index, column })
                    setEditing(shown)
                  }}
                >
                  {isEditing ? (
                    <CellEditor
                      label={`${name} of row ${index + 1}`}
                      text={editing}
                      onWrite={write}
                      onCancel={cancel}
                    />
                  ) : (
                    visible(shown.slice(0, SHOWN_MAX))
                  )}
                </div>
              )
            })}
          </div>
        ))}
      </div>
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

interface CellEditorProps {
  label: string
  text: string
  onWrite: (text: string, then: Partial<Place>) => void
  onCancel: () => void
}

function CellEditor({ label, text, onWrite, onCancel }: CellEditorProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const isDone = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(text.length, text.length)
  }, [text])
  const end = (then: Partial<Place>): void => {
    if (isDone.current) return
    isDone.current = true
    onWrite(field.current?.value ?? '', then)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      isDone.current = true
      onCancel()
    } else if (event.key === 'Enter' && !event.shiftKey) end({ row: 1 })
    else if (event.key === 'Tab') end({ column: event.shiftKey ? -1 : 1 })
    else return
    event.preventDefault()
  }
  return (
    <textarea
      ref={field}
      className={styles.edit}
      aria-label={label}
      defaultValue={text}
      onKeyDown={onKeyDown}
      onBlur={() => end({})}
    />
  )
}
