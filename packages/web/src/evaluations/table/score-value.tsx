import type { ReactNode } from 'react'
import { formatScore, MISSING, visible } from '../../format/format.ts'
import styles from './table.module.css'

interface ScoreValueProps {
  /** The values of all repeats. */
  values: readonly (number | boolean | string)[]
}

/** The value of a score in a case; of several repeats their mean, or the share of true. */
export function ScoreValue({ values }: ScoreValueProps): ReactNode {
  const [first] = values
  if (first === undefined) return <span className={styles.none}>{MISSING}</span>
  if (values.every(value => typeof value === 'boolean')) {
    const passed = values.filter(Boolean).length
    const text = values.length === 1 ? String(first) : `${passed} of ${values.length}`
    return (
      <span className={passed === values.length ? styles.better : styles.worse}>
        <span aria-hidden="true">{passed === values.length ? '✓' : '✗'}</span> {text}
      </span>
    )
  }
  if (values.every(value => typeof value === 'number'))
    return (
      <span title={values.join(', ')}>{formatScore(values.reduce((sum, one) => sum + one, 0) / values.length)}</span>
    )
  return <span title={visible(values.join(', '))}>{visible(values.join(', '))}</span>
}
