import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type MouseEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import {
  exact,
  formatAmount,
  formatCost,
  formatCount,
  formatDuration,
  formatNumberOf,
  spanName,
  spokenDuration,
} from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { controls } from '../parts/controls.tsx'
import { colourOf, TypeIcon } from '../parts/type-icon.tsx'
import type { ChangeTrace, Metric } from '../traces/search.ts'
import type { Times } from './idle-gaps.ts'
import styles from './trace.module.css'
import { atLeast, criticalPath, msOf, NONE, rowsOf, siblingsOf, type Trace, type Zoom } from './trace-model.ts'
import { useSpanKeys } from './use-span-keys.ts'

interface TreeProps {
  trace: Trace
  selected: number
  select: (span: number) => void
  zoom: Zoom | undefined
  /** Where the bars are drawn. */
  times: Times
  /** Whether only the critical path is shown. */
  isCritical: boolean
  metric: Metric | undefined
  change: ChangeTrace
}

const ROW_PX = 24
/** Rows above and below the visible ones, together. */
const OVERSCAN = 10
const WHOLE: Zoom = { from: 0, to: 1 }
/** Deeper spans stand at the same place, with their depth as a number: a tree of any depth fits. */
const INDENTS_MAX = 12
/** As many fit where the page is narrow. */
const INDENTS_NARROW = 3

/** How many rows are in the document while the tree is so high. */
const slotsOf = (height = 0): number => Math.ceil(height / ROW_PX) + 1 + OVERSCAN

/** The spans of a trace as a tree; only the visible rows are in the document. */
export function Tree({
  trace,
  times,
  selected,
  select,
  zoom = WHOLE,
  isCritical,
  metric,
  change,
}: TreeProps): ReactNode {
  'use no memo' // The virtualizer is one object, whose answers change.
  const scroller = useRef<HTMLDivElement>(null)
  // By their ids: a span that arrives late moves the others.
  const [collapsedIds, setCollapsedIds] = useState<ReadonlySet<string>>(new Set())
  const collapsed = useMemo(
    () => new Set([...collapsedIds].flatMap(id => trace.indexOf.get(id) ?? [])),
    [trace, collapsedIds],
  )
  const setCollapsed = (spans: ReadonlySet<number>): void =>
    setCollapsedIds(new Set([...spans].map(span => trace.ids[span] as string)))
  const critical = useMemo(() => criticalPath(trace), [trace])
  const rows = useMemo(() => {
    const all = rowsOf(trace, collapsed)
    return isCritical ? all.filter(span => critical[span] === 1) : all
  }, [trace, collapsed, critical, isCritical])
  const siblings = useMemo(() => siblingsOf(trace, isCritical ? critical : undefined), [trace, critical, isCritical])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    // Always as many rows: elements of those that leave are used again for those that come, without new ones.
    rangeExtractor: ({ startIndex, count }) => {
      const slots = slotsOf(virtual.scrollRect?.height)
      const first = Math.max(0, Math.min(startIndex - OVERSCAN / 2, count - slots))
      return Array.from({ length: Math.min(slots, count) }, (_, at) => first + at)
    },
  })
  const place = rows.indexOf(selected)
  useSpanKeys(trace, rows, selected, select)
  const toggle = (span: number, isCollapsed = !collapsed.has(span)): void => {
    const next = new Set(collapsed)
    if (isCollapsed) next.add(span)
    else next.delete(span)
    setCollapsed(next)
  }
  // One handler for all rows, so that a row depends on what it shows alone.
  const click = ({ target }: MouseEvent<HTMLElement>): void => {
    if (!(target instanceof Element)) return
    const row = target.closest('[role="treeitem"]')
    if (!row) return
    const span = Number(row.id.slice('span-'.length))
    if (!target.closest('[data-chevron]')) select(span)
    else if ((trace.sizes[span] as number) > 1) toggle(span)
  }
  useTreeKeys({ trace, selected, select, collapsed, toggle })
  useKeys({ m: () => change({ metric: metric ? undefined : 'cost' }, { replace: true }) })
  useRevealed({ trace, selected, collapsed, setCollapsed, place, reveal: index => virtual.scrollToIndex(index) })
  // While it scrolls, they stay where they are in the document: a moved one is laid out anew. At rest they are in
  // order.
  const slots = slotsOf(virtual.scrollRect?.height)
  const items = virtual.getVirtualItems()
  const restedAt = useRef(0)
  if (!virtual.isScrolling) restedAt.current = items[0]?.index ?? 0
  const turn = slots - (restedAt.current % slots)
  const shown = items.toSorted((one, other) => ((one.index + turn) % slots) - ((other.index + turn) % slots))
  return (
    <>
      <Find trace={trace} selected={selected} select={select} />
      <div className={styles.treeHead} aria-hidden="true">
        <span>Span</span>
        <span className={styles.axis}>
          <span>+{formatDuration((zoom.from * times.lastsMicros) / 1000)}</span>
          <span>+{formatDuration((zoom.to * times.lastsMicros) / 1000)}</span>
        </span>
        <span>Duration</span>
        <span>{metric ? 'Σ cost' : 'Σ tokens'}</span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys */}
      <div
        ref={scroller}
        className={styles.tree}
        role="tree"
        aria-label={formatNumberOf(trace.total, 'span')}
        tabIndex={0}
        aria-activedescendant={place >= 0 ? `span-${selected}` : undefined}
        onClick={click}
      >
        <div role="none" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start }) => {
            const span = rows[index] as number
            const isCollapsed = (trace.sizes[span] as number) > 1 ? collapsed.has(span) : undefined
            const isSelected = span === selected
            const isOnPath = critical[span] === 1
            const [place, count] = [siblings.places[span] as number, siblings.counts[span] as number]
            return (
              <TreeRow
                key={index % slots}
                {...{ trace, span, start, zoom, metric, isCollapsed, isSelected, isOnPath, times, place, count }}
              />
            )
          })}
        </div>
        {trace.count < trace.total && (
          <p className={styles.loading} role="status">
            {formatCount(trace.count)} of {formatCount(trace.total)} spans are here …
          </p>
        )}
      </div>
    </>
  )
}

interface TreeKeys {
  trace: Trace
  selected: number
  select: (span: number) => void
  collapsed: ReadonlySet<number>
  toggle: (span: number, isCollapsed: boolean) => void
}

/** As trees do: left collapses, then goes to the parent; right expands, then goes to the first child. */
function useTreeKeys({ trace, selected, select, collapsed, toggle }: TreeKeys): void {
  const hasChildren = (trace.sizes[selected] ?? 0) > 1
  useKeys({
    ArrowLeft: () => {
      const parent = trace.parents[selected] ?? NONE
      if (hasChildren && !collapsed.has(selected)) toggle(selected, true)
      else if (parent !== NONE) select(parent)
    },
    ArrowRight: () => {
      if (!hasChildren) return
      if (collapsed.has(selected)) toggle(selected, false)
      else select(trace.preorder[(trace.ranks[selected] ?? 0) + 1] as number)
    },
  })
}

interface Revealing {
  trace: Trace
  selected: number
  collapsed: ReadonlySet<number>
  setCollapsed: (collapsed: ReadonlySet<number>) => void
  place: number
  reveal: (index: number) => void
}

/** Whatever selects a span, its row is shown. */
function useRevealed({ trace, selected, collapsed, setCollapsed, place, reveal }: Revealing): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection scrolls
  useEffect(() => {
    if (place >= 0) return reveal(place)
    const next = new Set(collapsed)
    for (let span = trace.parents[selected] ?? NONE; span !== NONE; span = trace.parents[span] ?? NONE)
      next.delete(span)
    if (next.size < collapsed.size) setCollapsed(next)
  }, [selected, place >= 0])
}

interface TreeRowProps {
  trace: Trace
  span: number
  start: number
  zoom: Zoom
  metric: Metric | undefined
  /** Undefined for a span without children. */
  isCollapsed: boolean | undefined
  isSelected: boolean
  isOnPath: boolean
  times: Times
  /** Among the rows below the same one, from 1, and how many these are. */
  place: number
  count: number
}

const TreeRow = memo(function TreeRow({
  trace,
  span,
  start,
  zoom,
  metric,
  isCollapsed,
  isSelected,
  isOnPath,
  times,
  place,
  count,
}: TreeRowProps): ReactNode {
  const depth = trace.depths[span] as number
  const type = trace.types[span] ?? ''
  const isError = trace.isError[span] === 1
  const [tokens, costs] = [trace.tokens[span], trace.costs[span]]
  const isOrphan = trace.isOrphan[span] === 1
  return (
    <div
      id={`span-${span}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={place}
      aria-setsize={count}
      aria-expanded={isCollapsed === undefined ? undefined : !isCollapsed}
      aria-selected={isSelected}
      className={styles.treeRow}
      style={{ top: start }}
    >
      <span className={controls.hidden}>{spokenRow(trace, span, isCollapsed)}</span>
      <span
        aria-hidden="true"
        className={styles.treeName}
        data-marked={isError || isCollapsed || isOrphan || undefined}
        style={{ '--indents': Math.min(depth, INDENTS_MAX) } as CSSProperties}
      >
        {/* The keys do the same. */}
        <span className={styles.chevron} data-chevron="">
          {isCollapsed === undefined ? '' : isCollapsed ? '▸' : '▾'}
        </span>
        {depth > INDENTS_NARROW && (
          <span className={styles.depth} data-narrow={depth <= INDENTS_MAX || undefined}>
            {depth}
          </span>
        )}
        <TypeIcon type={type} />
        <span className={isError ? styles.red : undefined}>{spanName(trace.names[span], 300)}</span>
        {isError && <span className={styles.red}> ✕</span>}
        {isCollapsed && <span className={styles.soft}> +{formatCount((trace.sizes[span] as number) - 1)}</span>}
        {isOrphan && (
          <span className={styles.soft} title="Its parent has not arrived.">
            {' '}
            (parent missing)
          </span>
        )}
      </span>
      <span aria-hidden="true" className={styles.lane}>
        <span
          className={styles.laneBar}
          data-critical={isOnPath || undefined}
          style={barStyle(times, span, zoom, isError ? 'var(--error)' : colourOf(type))}
        />
      </span>
      <span aria-hidden="true" className={styles.figure}>
        {formatDuration(msOf(trace, span))}
      </span>
      <span aria-hidden="true" className={styles.figure} title={exact(metric ? costs : tokens)}>
        {metric ? formatCost(costs) : formatAmount(tokens)}
      </span>
    </div>
  )
})

/** What a row says to those who hear it. The tree itself says how deep it is, and whether it is open. */
function spokenRow(trace: Trace, span: number, isCollapsed: boolean | undefined): string {
  const [tokens = 0, costs = 0] = [trace.tokens[span], trace.costs[span]]
  return [
    spanName(trace.names[span], 300),
    trace.types[span],
    trace.isError[span] === 1 && 'error',
    spokenDuration(msOf(trace, span)),
    tokens > 0 && formatNumberOf(tokens, 'token'),
    costs > 0 && formatCost(costs),
    isCollapsed && `${formatNumberOf((trace.sizes[span] as number) - 1, 'span')} below`,
    trace.isOrphan[span] === 1 && 'parent missing',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Parameters, because all four are needed for one bar. */
function barStyle(
  { starts, ends, lastsMicros }: Times,
  span: number,
  { from, to }: Zoom,
  colour: string,
): CSSProperties {
  const share = (micros: number): number => Math.min(1, Math.max(0, (micros / lastsMicros - from) / (to - from)))
  const [left, right] = [share(starts[span] as number), share(ends[span] as number)]
  // The shortest bar is two pixels wide, also at the end.
  return {
    left: `min(${left * 100}%, 100% - 2px)`,
    width: `${(right - left) * 100}%`,
    '--bar': colour,
  } as CSSProperties
}

/** Finds spans by their name: Enter goes to the next one. */
function Find({ trace, selected, select }: Pick<TreeProps, 'trace' | 'selected' | 'select'>): ReactNode {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useKeys({ f: () => input.current?.focus() })
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return wanted === '' ? [] : [...trace.preorder].filter(span => trace.names[span]?.toLowerCase().includes(wanted))
  }, [trace, text])
  const next = (): void => {
    const place = trace.ranks[selected] ?? 0
    const span = found.find(one => (trace.ranks[one] as number) > place) ?? found[0]
    if (span !== undefined) select(span)
  }
  return (
    <div className={styles.find}>
      <input
        ref={input}
        className={controls.input}
        type="search"
        aria-label="Find a span by name"
        placeholder="Find a span (f)"
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={({ key, nativeEvent }) => {
          // Such keys choose among the characters that an input method proposes.
          if (nativeEvent.isComposing) return
          if (key === 'Enter') next()
          if (key === 'Escape') input.current?.blur()
        }}
      />
      <output>{text.trim() === '' ? '' : `${atLeast(trace, formatCount(found.length))} found`}</output>
    </div>
  )
}
