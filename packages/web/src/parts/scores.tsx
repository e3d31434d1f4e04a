import type { ReactNode } from 'react'
import type { Score } from '../api/scores.ts'
import { formatScore, visible } from '../format/format.ts'
import styles from './controls.module.css'

/** Scores side by side: a share on a scale from blue to orange, a verdict as a word. */
export const Scores = ({ scores }: { scores: readonly Score[] }): ReactNode =>
  scores.map(({ name, value }) => (
    <span
      key={name}
      className={styles.score}
      title={`${visible(name)}: ${value}`}
      style={{ borderColor: colourOf(value) }}
    >
      {visible(name)} <strong>{typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatScore(value)}</strong>
    </span>
  ))

function colourOf(value: number | boolean): string {
  const share = Math.min(1, Math.max(0, Number(value)))
  return `color-mix(in oklab, var(--worse), var(--better) ${share * 100}%)`
}
