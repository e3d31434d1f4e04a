import type { ReactNode } from 'react'
import styles from './run/run.module.css'

const WORDS: Readonly<Record<string, string>> = {
  pending: '○ pending',
  queued: '○ queued',
  running: '◐ running',
  success: '● success',
  errors: '✕ errors',
  failure: '✕ failed',
  cancelled: '⊘ stopped',
  closed: '⊘ closed',
  live: '◉ live',
  paused: '○ paused',
  people: '○ waits for people',
  waiting: '○ waiting',
}

const HAS_FAILED = new Set(['errors', 'failure'])

/** The status of a run (see `stateOf`), a case or a queue, as a sign and a word. */
export const RunStatus = ({ status }: { status: string }): ReactNode => (
  <span className={`${styles.status} ${HAS_FAILED.has(status) ? styles.failed : ''}`}>{WORDS[status] ?? status}</span>
)

/** The sign alone, for rows of a table. */
export const StatusSign = ({ status }: { status: string }): ReactNode => {
  const [sign, ...words] = (WORDS[status] ?? status).split(' ')
  return (
    <span
      role="img"
      aria-label={words.join(' ')}
      title={words.join(' ')}
      style={HAS_FAILED.has(status) ? { color: 'var(--error)' } : undefined}
    >
      {sign}
    </span>
  )
}
