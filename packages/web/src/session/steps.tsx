import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatAmount, formatCost, formatDuration, spanName } from '../format/format.ts'
import { Failure } from '../parts/controls.tsx'
import { TypeIcon } from '../parts/type-icon.tsx'
import { msOf } from '../trace/trace-model.ts'
import { useTrace } from '../trace/use-trace.ts'
import styles from './session.module.css'

/** Spans that are shown; the trace has all of them. */
const STEPS_MAX = 200

/** The spans of a turn, each a link into its trace. */
export function Steps({ traceId }: { traceId: string }): ReactNode {
  const { trace, error } = useTrace(traceId)
  if (error) return <Failure what="The trace cannot be read." error={error} />
  if (!trace) return <div className={styles.waiting} />
  return (
    <ul className={styles.steps} aria-label="Steps">
      {[...trace.preorder.subarray(0, STEPS_MAX)].map(span => (
        <li key={span} style={{ paddingLeft: 8 + Math.min(12, trace.depths[span] ?? 0) * 14 }}>
          <TypeIcon type={trace.types[span] ?? ''} />
          <Link to="/traces/$traceId" params={{ traceId }} search={{ span: trace.ids[span] }}>
            {spanName(trace.names[span], 200)}
          </Link>
          {trace.isError[span] === 1 && <span className={styles.errors}>✕ error</span>}
          <span className={styles.space} />
          <span>{formatDuration(msOf(trace, span))}</span>
          <span>{formatAmount(trace.tokens[span])}</span>
          <span>{formatCost(trace.costs[span])}</span>
        </li>
      ))}
      {trace.total > STEPS_MAX && <li>… {formatAmount(trace.total - STEPS_MAX)} more in the trace</li>}
    </ul>
  )
}
