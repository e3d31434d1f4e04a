import { type ReactNode, useState } from 'react'
import { parseExact } from '../api/exact-json.ts'
import type { Json } from '../api/registry/registry.ts'
import { Editor } from '../editor/editor.tsx'
import styles from './playground.module.css'

interface JsonFieldProps {
  label: string
  value: Json
  onChange: (value: Json) => void
  onRun?: () => void
}

interface Typed {
  text: string
  value: Json
  fault?: string
}

/** A value as JSON. While the text is not JSON, the value stays as it was, and the field says so. */
export function JsonField({ label, value, onChange, onRun }: JsonFieldProps): ReactNode {
  /** The text, the value that it has or had when it was JSON last, and why it is not JSON. */
  const [typed, setTyped] = useState<Typed>({ text: JSON.stringify(value, null, 2), value })
  // Another value has come from elsewhere: a draft is discarded.
  const isOld = typed.value !== value && JSON.stringify(typed.value) !== JSON.stringify(value)
  const { text, fault } = isOld ? { text: JSON.stringify(value, null, 2) } : typed
  const read = (next: string): void => {
    try {
      const parsed = parseExact<Json>(next)
      setTyped({ text: next, value: parsed })
      onChange(parsed)
    } catch (error) {
      setTyped({ text: next, value, fault: (error as Error).message })
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
