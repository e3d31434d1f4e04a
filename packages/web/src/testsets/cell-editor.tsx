import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Place } from './sheet.ts'
import styles from './testsets.module.css'

interface CellEditorProps {
  label: string
  text: string
  onWrite: (text: string, then: Partial<Place>) => void
  onCancel: () => void
}

/** Edits the text of a cell: `Enter` and `Tab` write it and go on, `Escape` leaves it as it was. */
export function CellEditor({ label, text, onWrite, onCancel }: CellEditorProps): ReactNode {
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
    // Such keys choose or leave the characters that an input method proposes.
    if (event.nativeEvent.isComposing) return
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
