import { type ReactNode, useState } from 'react'
import { controls } from './controls.tsx'
import { FindField } from './find-field.tsx'
import styles from './find-select.module.css'
import { hasWords } from './has-words.ts'

export interface Option {
  value: string
  label: string
  /** Whether it is there whatever is looked for. */
  isKept?: boolean
}

interface FindSelectProps {
  label: string
  value: string | undefined
  options: readonly Option[]
  onChange: (value: string) => void
  /** Of the select. */
  className?: string | undefined
}

/**
 * A select whose options are found by words when there are many: keys find them only by how they begin. What is chosen
 * stays among them.
 */
export function FindSelect({ label, value, options, onChange, className = '' }: FindSelectProps): ReactNode {
  const [words, setWords] = useState('')
  const sought = options.filter(({ isKept }) => !isKept)
  const found = new Set(sought.filter(one => hasWords(one.label, words)))
  const shown = options.filter(one => one.isKept || one.value === value || found.has(one))
  return (
    <div className={styles.both}>
      <FindField
        label={`Find in ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
        text={words}
        onChange={setWords}
        all={sought.length}
        found={found.size}
      />
      <select
        className={`${controls.select} ${className}`}
        aria-label={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {shown.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
