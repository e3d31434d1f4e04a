import { type ReactNode, useEffect, useRef } from 'react'
import { useKeys } from '../frame/keys.ts'
import { Button } from '../parts/controls.tsx'
import { readTraceSearch, type TracesSearch } from '../traces/search.ts'
import styles from './trace.module.css'
import { TraceView } from './trace-view.tsx'

interface TracePanelProps {
  traceId: string
  search: TracesSearch
  change: (changes: Partial<TracesSearch>, options?: { replace?: boolean }) => void
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}

/** A trace over the list that it was opened from. */
export function TracePanel({ traceId, search, change, onPrevious, onNext }: TracePanelProps): ReactNode {
  const panel = useRef<HTMLElement>(null)
  const close = (): void => change({ trace: undefined, ...readTraceSearch({}) })
  useKeys({ Escape: close })
  // The list takes it back when the trace is closed.
  useEffect(() => panel.current?.focus(), [])
  return (
    <section ref={panel} className={styles.panel} aria-label="Trace" tabIndex={-1}>
      <TraceView key={traceId} traceId={traceId} search={search} change={change}>
        <Button look="plain" onClick={onPrevious} disabled={!onPrevious} aria-label="Previous trace">
          ↑
        </Button>
        <Button look="plain" onClick={onNext} disabled={!onNext} aria-label="Next trace">
          ↓
        </Button>
        <Button look="plain" onClick={close} aria-label="Close the trace">
          ✕
        </Button>
      </TraceView>
    </section>
  )
}
