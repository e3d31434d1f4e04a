import { type MouseEvent, type ReactNode, useMemo } from 'react'
import { formatDuration, spanName } from '../format/format.ts'
import { Scroller } from '../parts/scroller.tsx'
import { type Brush, useDrawing } from './drawing.ts'
import type { Times } from './idle-gaps.ts'
import { lanesOf } from './lanes.ts'
import styles from './trace.module.css'
import { msOf, type Trace, type Zoom } from './trace-model.ts'
import { useSpanKeys } from './use-span-keys.ts'

interface FlameProps {
  trace: Trace
  times: Times
  selected: number
  select: (span: number) => void
  zoom: Zoom | undefined
}

const LANE_PX = 20
/** Browsers draw nothing on higher canvases, of which a pixel may be four: a very deep trace has lower lanes. */
const HEIGHT_MAX = 16_000
/** Lower lanes have no room for names, nor for a space between them. */
const NAMED_PX = 14

/** Spans as bars over time, each below its parent, and those that run at the same time below each other. */
export function Flame({ trace: whole, times, selected, select, zoom = { from: 0, to: 1 } }: FlameProps): ReactNode {
  const trace = { ...whole, ...times }
  const lanes = useMemo(() => lanesOf(whole), [whole])
  const count = lanes.reduce((most, lane) => Math.max(most, lane), 0) + 1
  const lanePx = Math.min(LANE_PX, HEIGHT_MAX / count)
  const canvas = useDrawing(brush => draw(brush, trace, { lanes, selected, zoom, lanePx }))
  useSpanKeys(trace, trace.preorder, selected, select)
  const choose = (event: MouseEvent<HTMLCanvasElement>): void => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect()
    const at = (zoom.from + ((event.clientX - left) / width) * (zoom.to - zoom.from)) * trace.lastsMicros
    const lane = Math.floor((event.clientY - top) / lanePx)
    const slack = ((zoom.to - zoom.from) * trace.lastsMicros * 2) / width
    const span = trace.preorder.findLast(
      one => lanes[one] === lane && (trace.starts[one] as number) <= at && (trace.ends[one] as number) + slack >= at,
    )
    if (span !== undefined) select(span)
  }
  return (
    <Scroller className={styles.flame} label="Flame graph" isList>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Selected: ${spanName(trace.names[selected])}, ${formatDuration(msOf(whole, selected))}`}
        style={{ height: count * lanePx }}
        onClick={choose}
      />
    </Scroller>
  )
}

interface Look {
  lanes: Int32Array
  selected: number
  zoom: Zoom
  lanePx: number
}

function draw(brush: Brush, trace: Trace, { lanes, selected, zoom, lanePx }: Look): void {
  const { context, width, colour, colourOfType } = brush
  const { preorder, starts, ends, types, names, isError, lastsMicros } = trace
  const scale = width / ((zoom.to - zoom.from) * lastsMicros)
  const from = zoom.from * lastsMicros
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`
  context.textBaseline = 'middle'
  for (const span of preorder) {
    const x = Math.max(0, ((starts[span] as number) - from) * scale)
    const w = Math.max(1, Math.min(width, ((ends[span] as number) - from) * scale) - x)
    if (x > width || x + w < 0) continue
    const y = (lanes[span] as number) * lanePx
    context.fillStyle = isError[span] ? colour('--error') : colourOfType(types[span] ?? '')
    if (lanePx < NAMED_PX) context.fillRect(x, y, w, lanePx)
    else context.fillRect(x, y + 1, w, lanePx - 2)
    if (span === selected) {
      context.strokeStyle = colour('--text')
      context.lineWidth = 2
      context.strokeRect(x + 1, y + 2, Math.max(1, w - 2), Math.max(1, lanePx - 4))
    }
    if (w > 40 && lanePx >= NAMED_PX)
      label(context, spanName(names[span]), { x, y, w, h: lanePx, fill: colour('--bg') })
  }
}

interface Place {
  x: number
  y: number
  w: number
  h: number
  fill: string
}

function label(context: CanvasRenderingContext2D, text: string, { x, y, w, h, fill }: Place): void {
  context.save()
  context.beginPath()
  context.rect(x, y, w - 4, h)
  context.clip()
  context.fillStyle = fill
  context.fillText(text.slice(0, 200), x + 5, y + h / 2)
  context.restore()
}
