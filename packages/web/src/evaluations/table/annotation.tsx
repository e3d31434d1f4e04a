import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { CaseCell, Run } from '../../api/evaluations.ts'
import { visible } from '../../format/format.ts'
import { controls } from '../../parts/controls.tsx'
import { errorOf, stepsOf, titleOf } from './case-model.ts'
import { ScoreValue } from './score-value.tsx'
import styles from './table.module.css'

interface AnnotationProps {
  run: Run
  cell: CaseCell
}

/** What an evaluator says of a case, with its reasons and a link to its trace. */
export function Annotation({ run, cell }: AnnotationProps): ReactNode {
  const step = stepsOf(run).find(({ key }) => key === cell.step_key)
  const repeats = run.data?.repeats ?? 1
  const error = errorOf(cell)
  const scores = Object.entries(cell.scores ?? {})
  return (
    <section>
      <h3>
        {visible(step ? titleOf(step) : cell.step_key)}
        {repeats > 1 && ` · repeat ${cell.repeat_idx + 1}`}
        <TraceLink cell={cell}>Trace of the evaluator</TraceLink>
      </h3>
      {error !== undefined && <p className={`${controls.notice} ${controls.error}`}>{visible(error)}</p>}
      {error === undefined && scores.length === 0 && <p className={styles.soft}>{waitingFor(cell, step?.origin)}</p>}
      <dl className={styles.scores}>
        {scores.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{visible(name) || 'output'}</dt>
            <dd>{typeof value === 'string' ? visible(value) : <ScoreValue values={[value]} />}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const waitingFor = ({ status }: CaseCell, origin: string | undefined): string => {
  if (status === 'pending' && origin === 'human') return 'Waits for a person.'
  if (status === 'success') return 'It has no outputs, or its trace is not stored yet.'
  return `Status: ${status}.`
}

/** A link to the trace of a cell, if there is one. */
export const TraceLink = ({ cell, children }: { cell: CaseCell | undefined; children: ReactNode }): ReactNode =>
  cell?.trace_id && (
    <Link to="/traces/$traceId" params={{ traceId: cell.trace_id }}>
      {children}
    </Link>
  )
