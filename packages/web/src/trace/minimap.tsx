import type { ReactNode } from 'react'
import { formatDuration, formatNumberOf } from '../format/format.ts'
import { useDrag } from '../parts/use-drag.ts'
import { type Brush, useDrawing } from './drawing.ts'
import type { Times } from './idle-gaps.ts'
import styles from './trace.module.css'
import type { Trace, Zoom } from './trace-model.ts'

interface MinimapProps {
  trace: Trace
  times: Times
  selected: number
  zoom: Zoom | undefined
  onZoom: (zoom: Zoom) => void
}

const HEIGHT = 44

/** All spans of a trace at once. Dragging shows a part of the time in the views below. */
export function Minimap({ trace, times, selected, zoom, onZoom }: MinimapProps): ReactNode {
  const canvas = useDrawing(brush => drawSpans(brush, { ...trace, ...times }, selected))
  const { drag, handlers } = useDrag((from, to) => onZoom({ from, to }))
  const marked = drag ?? zoom
  return (
    <div className={styles.minimap} {...handlers}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${formatNumberOf(trace.total, 'span')} in ${formatDuration(trace.lastsMicros / 1000)}`}
      />
      {marked && (
        <div
          className={styles.zoomed}
          style={{ left: `${marked.from * 100}%`, width: `${(marked.to - marked.from) * 100}%` }}
        />
      )}
    </div>
  )
}

function drawSpans({ context, width, colour, colourOfType }: Brush, trace: Trace, selected: number): void {
  const { preorder, depths, starts, ends, types, isError, lastsMicros } = trace
  let deepest = 0
  for (const depth of depths) if (depth > deepest) deepest = depth
  const step = Math.min(8, (HEIGHT - 4) / (deepest + 1))
  const bar = (span: number, fill: string): void => {
    const x = ((starts[span] as number) / lastsMicros) * width
    const w = Math.max(1, (((ends[span] as number) - (starts[span] as number)) / lastsMicros) * width)
    context.fillStyle = fill
    context.fillRect(x, 2 + (depths[span] as number) * step, w, Math.max(1, step - 1))
  }
  for (const span of preorder) if (!isError[span]) bar(span, colourOfType(types[span] ?? ''))
  for (const span of preorder) if (isError[span]) bar(span, colour('--error'))
  if (selected < 0) return
  const x = ((starts[selected] as number) / lastsMicros) * width
  const w = Math.max(3, (((ends[selected] as number) - (starts[selected] as number)) / lastsMicros) * width)
  context.strokeStyle = colour('--text')
  context.strokeRect(x + 0.5, 1.5 + (depths[selected] as number) * step, Math.min(w, width - x) - 1, Math.max(2, step))
}
