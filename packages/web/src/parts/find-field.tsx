import type { ReactNode } from 'react'
import { formatCount } from '../format/format.ts'
import { controls } from './controls.tsx'
import { useTyped } from './use-typed.ts'

/** So many are seen at a glance. */
const FEW = 10

interface FindFieldProps {
  label: string
  text: string
  onChange: (text: string) => void
  /** How many there are, and how many of them are found. */
  all: number
  found: number
}

/** Finds things of a list by words of their names; a short list has no such field. */
export function FindField({ label, text, onChange, all, found }: FindFieldProps): ReactNode {
  const typed = useTyped(text, onChange)
  if (all <= FEW && typed.value === '') return null
  return (
    <p className={controls.find}>
      <input
        className={controls.input}
        aria-label={label}
        placeholder={label}
        {...typed}
        // The form around it is not sent.
        onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
      />
      <output>{typed.value !== '' && `${formatCount(found)} of ${formatCount(all)}`}</output>
    </p>
  )
}
