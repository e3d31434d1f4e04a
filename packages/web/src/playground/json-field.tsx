import { type ReactNode, useState } from 'react'
import type { Json } from '../api/registry.ts'
import { Editor } from '../editor/editor.tsx'
import styles from './playground.module.css'

interface JsonFieldProps {
  label: string
  value: Json
  onChange: (value: Json) => void
  onRun?: () => void
}

/** A value as JSON. While the text is not JSON, the value stays as it was, and the field says so. */
export function JsonField({ label, value, onChange, onRun }: JsonFieldProps): ReactNode {
  const [typed, setTyped] = useState({ text: JSON.stringify(value, null, 2), value })
  const [fault, setFault] = useState<string>()
  // Another value has come from elsewhere.
  const isOld = fault === undefined && typed.value !== value && JSON.stringify(typed.value) !== JSON.stringify(value)
  const text = isOld ? JSON.stringify(value, null, 2) : typed.text
  const read = (next: string): void => {
    try {
      const parsed = JSON.parse(next) as Json
      setTyped({ text: next, value: parsed })
      setFault(undefined)
      onChange(parsed)
    } catch (error) {
      setTyped({ text: next, value })
      setFault((error as Error).message)
    }
  }
  return (
    <>
      <Editor label={label} value={text} onChange={read} onRun={onRun} />
      {fault !== undefined && (
        <p role="alert" className={styles.fault}>
          This is not JSON, so it is not used: {fault}
        </p>
      )}
    </>
  )
}
