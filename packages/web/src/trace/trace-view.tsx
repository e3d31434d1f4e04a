import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { formatNumberOf, visible } from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { useNameInTitle } from '../frame/title.ts'
import { Contained } from '../parts/contained.tsx'
import { Button, Choices, Failure } from '../parts/controls.tsx'
import { familyOf } from '../parts/type-icon.tsx'
import type { ChangeTrace, TraceSearch, View } from '../traces/search.ts'
import { Conversation } from './conversation.tsx'
import { Detail } from './detail.tsx'
import { Flame } from './flame.tsx'
import { idleGaps, withoutGaps } from './idle-gaps.ts'
import { Minimap } from './minimap.tsx'
import styles from './trace.module.css'
import { TraceHeader } from './trace-header.tsx'
import { atLeast, NONE, rootOf, type Trace, type Zoom } from './trace-model.ts'
import { Tree } from './tree.tsx'
import { useTrace } from './use-trace.ts'

interface TraceViewProps {
  traceId: string
  search: TraceSearch
  change: ChangeTrace
  /** Buttons at the end of the header. */
  children?: ReactNode
}

/** A trace: its totals, all its spans, and one of them in detail. */
export function TraceView({ traceId, search, change, children }: TraceViewProps): ReactNode {
  const { trace, error, missing } = useTrace(traceId)
  useNameInTitle(trace?.names[rootOf(trace)])
  return (
    <div className={styles.view}>
      <TraceHeader traceId={traceId} trace={trace} span={search.span}>
        {children}
      </TraceHeader>
      {error && <Failure what="The trace cannot be read." error={error} />}
      {missing && (
        <p className={styles.missing} role="status">
          This project has no trace <code>{visible(traceId)}</code>.{' '}
          {missing === 'malformed'
            ? 'The id of a trace has 32 hexadecimal digits: the address may be mistyped.'
            : 'It may have been deleted, or it has not arrived yet: the page keeps looking.'}{' '}
          Go to the <Link to="/traces">list of traces</Link>.
        </p>
      )}
      {trace ? (
        <Contained what="The trace cannot be shown." of={trace}>
          <Body {...{ traceId, trace, search, change }} />
        </Contained>
      ) : (
        !missing && !error && <div className={styles.waiting} />
      )}
    </div>
  )
}

const VIEW_NAMES = [
  ['tree', 'Tree'],
  ['conversation', 'Conversation'],
  ['flame', 'Flame'],
] as const

interface BodyProps {
  traceId: string
  trace: Trace
  search: TraceSearch
  change: ChangeTrace
}

function Body({ traceId, trace, search, change }: BodyProps): ReactNode {
  const zoom = zoomIn(search.zoom)
  const setZoom = (next: Zoom | undefined): void => change({ zoom: next && zoomText(next) }, { replace: true })
  const gaps = useMemo(() => idleGaps(trace), [trace])
  const times = useMemo(() => (search.short ? withoutGaps(trace, gaps) : trace), [trace, gaps, search.short])
  const shorten = (): void => change({ short: search.short ? undefined : true, zoom: undefined }, { replace: true })
  const toggleCritical = (): void => change({ critical: search.critical ? undefined : true }, { replace: true })
  const view = search.view ?? defaultView(trace)
  // Where there is room for one of them, the detail is shown instead of the tree.
  const isSingle = trace.total === 1
  const isDetailed = isSingle || search.span !== undefined || search.tab !== undefined
  const selected = trace.indexOf.get(search.span ?? '') ?? rootOf(trace)
  const select = (span: number): void => change({ span: trace.ids[span] }, { replace: search.span !== undefined })
  const setView = (next: View): void => change({ view: next }, { replace: true })
  const errors = useMemo(() => trace.preorder.filter(span => trace.isError[span] === 1), [trace])
  const nextError = (): unknown => {
    const place = trace.ranks[selected] ?? 0
    const next = errors.find(span => (trace.ranks[span] as number) > place) ?? errors[0]
    return next === undefined ? false : select(next)
  }
  useKeys({
    e: nextError,
    z: () => setZoom(undefined),
    g: () => (gaps.length === 0 ? false : shorten()),
    c: toggleCritical,
    1: () => setView('tree'),
    2: () => setView('conversation'),
    3: () => setView('flame'),
  })
  const shown = { trace, times, selected, select, zoom }
  return (
    <>
      <Minimap trace={trace} times={times} selected={selected} zoom={zoom} onZoom={setZoom} />
      <div className={styles.body} data-detail={isDetailed || undefined}>
        <div className={styles.left}>
          <div className={styles.views}>
            <Choices label="View" value={view} choices={VIEW_NAMES} onChange={setView} />
            {errors.length > 0 && (
              <Button onClick={nextError} className={styles.faulty}>
                {atLeast(trace, formatNumberOf(errors.length, 'error'))}
              </Button>
            )}
            {gaps.length > 0 && (
              <Button
                aria-pressed={search.short ?? false}
                onClick={shorten}
                title="Shorten times in which nothing happens (g)"
              >
                Short gaps
              </Button>
            )}
            {view === 'tree' && (
              <Button
                aria-pressed={search.critical ?? false}
                onClick={toggleCritical}
                title="Only the spans that the duration depends on (c)"
              >
                Critical path
              </Button>
            )}
            {zoom && <Button onClick={() => setZoom(undefined)}>Whole time</Button>}
          </div>
          <Contained what="This view cannot be shown." of={view}>
            {view === 'tree' && (
              <Tree {...shown} isCritical={search.critical ?? false} metric={search.metric} change={change} />
            )}
            {view === 'conversation' && <Conversation traceId={traceId} {...shown} />}
            {view === 'flame' && <Flame {...shown} />}
          </Contained>
        </div>
        {selected !== NONE && (
          <Detail
            key={trace.ids[selected]}
            {...{ traceId, trace, selected, search, change }}
            onBack={isSingle ? undefined : () => change({ span: undefined, tab: undefined })}
          />
        )}
      </div>
    </>
  )
}

function zoomIn(text: string | undefined): Zoom | undefined {
  const [from = 0, to = 0] = text?.split('-').map(Number) ?? []
  return from < to ? { from, to } : undefined
}

const zoomText = ({ from, to }: Zoom): string => `${Number(from.toFixed(4))}-${Number(to.toFixed(4))}`

/** A trace of one agent or chat reads best as a conversation; anything else as a tree. */
function defaultView({ types, count }: Trace): View {
  const models = types.filter(type => familyOf(type) === 'model').length
  return models > 1 && count <= CONVERSATION_SPANS_MAX && types.some(type => type === 'agent') ? 'conversation' : 'tree'
}

const CONVERSATION_SPANS_MAX = 200
