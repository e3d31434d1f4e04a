import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { partsQuery } from '../api/queries.ts'
import {
  exact,
  formatAmount,
  formatCost,
  formatCount,
  formatDuration,
  formatFullTime,
  formatTime,
  spanName,
  visible,
} from '../format/format.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { TypeIcon } from '../parts/type-icon.tsx'
import { termOf } from '../traces/filter-text.ts'
import { Fact } from './fact.tsx'
import { References, referencesIn } from './references.tsx'
import styles from './trace.module.css'
import { atLeast, isWhole, msOf, rootOf, type Trace, topsOf } from './trace-model.ts'

interface TraceHeaderProps {
  traceId: string
  trace: Trace | undefined
  /** The selected one. */
  span: string | undefined
  children: ReactNode
}

/** The name of a trace and its totals: those of its root, or of all spans at the top of one without, or with several. */
export function TraceHeader({ traceId, trace, span, children }: TraceHeaderProps): ReactNode {
  return (
    <header className={styles.header}>
      <div className={styles.headline}>
        {trace && <TypeIcon type={trace.types[rootOf(trace)] ?? 'unknown'} />}
        <h2>{trace ? spanName(trace.names[rootOf(trace)]) : 'Trace'}</h2>
        <span className={styles.space} />
        <CopyButton
          look="plain"
          text={[`${location.origin}/t`, traceId, span].filter(Boolean).join('/')}
          title={traceId}
        >
          Copy link
        </CopyButton>
        {children}
      </div>
      {trace && <Totals traceId={traceId} trace={trace} />}
    </header>
  )
}

function Totals({ traceId, trace }: { traceId: string; trace: Trace }): ReactNode {
  const root = rootOf(trace)
  const tops = useMemo(() => topsOf(trace), [trace])
  const sumOf = (column: Float64Array): number => tops.reduce((sum, span) => sum + (column[span] ?? 0), 0)
  const [tokens, costs] = [sumOf(trace.tokens), sumOf(trace.costs)]
  const failed = useMemo(() => trace.isError.reduce((sum, one) => sum + one, 0), [trace])
  const exceptions = sumOf(trace.errors)
  const { data } = useQuery(partsQuery(traceId, trace.ids[root] ?? '', { ms: msOf(trace, root) }))
  const references = referencesIn(data?.parts.find(({ part }) => part === 'references')?.text)
  return (
    <dl className={styles.totals}>
      <Fact name="Started" title={formatFullTime(trace.beganAt)}>
        {formatTime(trace.beganAt)}
      </Fact>
      <Fact name="Duration">{formatDuration(tops.length === 1 ? msOf(trace, root) : trace.lastsMicros / 1000)}</Fact>
      <Fact name="Σ Tokens" title={exact(tokens)}>
        {formatAmount(tokens)}
      </Fact>
      <Fact name="Σ Cost" title={exact(costs)}>
        {formatCost(costs)}
      </Fact>
      <Fact name="Spans">{formatCount(trace.total)}</Fact>
      {failed > 0 && (
        <Fact name="Errors" title="Spans that failed">
          <span className={styles.red}>{atLeast(trace, formatCount(failed))}</span>
        </Fact>
      )}
      {exceptions > 0 && exceptions !== failed && isWhole(trace) && (
        <Fact name="Exceptions" title="Recorded in its spans, whether or not these failed">
          <span className={styles.red}>{formatCount(exceptions)}</span>
        </Fact>
      )}
      {trace.session && (
        <Fact name="Session">
          <Link to="/sessions/$sessionId" params={{ sessionId: trace.session }} search={{ turn: traceId }}>
            {visible(trace.session)}
          </Link>
        </Fact>
      )}
      <References references={references} />
      {trace.user && (
        <Fact name="User">
          <Link to="/traces" search={{ q: termOf('user_id', trace.user) }}>
            {visible(trace.user)}
          </Link>
        </Fact>
      )}
    </dl>
  )
}
