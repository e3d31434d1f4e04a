import 'uplot/dist/uPlot.min.css'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import uPlot from 'uplot'
import styles from './dashboard.module.css'
import { scaleOf } from './scale.ts'

export interface Series {
  name: string
  /** A custom property. */
  colour: string
  values: readonly (number | null)[]
}

interface ChartProps {
  label: string
  /** Milliseconds: the beginning of each part of the window, and the window. */
  starts: readonly number[]
  oldest: number
  newest: number
  series: readonly Series[]
  look: 'bars' | 'lines'
  format: (value: number) => string
  /** What a part of the window says. */
  describe: (at: number) => string
  onZoom: (from: number, to: number) => void
  onOpen: (at: number) => void
}

const HEIGHT = 132
const FONT = '11px system-ui'
/** So that charts with short labels begin at the same place. */
const LABELS_MIN = 56

/**
 * Values over time. Dragging zooms, a click opens the rows of a part of the window; the arrow keys go from part to
 * part, and Enter opens its rows.
 */
export function Chart(props: ChartProps): ReactNode {
  const { label, starts, describe, onOpen } = props
  const [at, setAt] = useState<number>()
  const place = useRef<HTMLDivElement>(null)
  usePlot(place, props, setAt)
  const shown = at !== undefined && at < starts.length ? at : undefined
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    // Without its parts, which are on their way, the window has no last one to begin at.
    if (step !== undefined && starts.length > 0)
      setAt(Math.min(starts.length - 1, Math.max(0, (at ?? (step > 0 ? -1 : starts.length)) + step)))
    else if (event.key === 'Enter' && shown !== undefined) onOpen(shown)
    else return
    event.preventDefault()
  }
  return (
    <>
      <p className={styles.told} aria-hidden="true">
        {shown === undefined ? ' ' : describe(shown)}
      </p>
      <div
        ref={place}
        className={styles.chart}
        role="slider"
        tabIndex={0}
        aria-label={`${label} over time`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, starts.length - 1)}
        aria-valuenow={shown ?? 0}
        aria-valuetext={shown === undefined ? 'Arrow keys move through time' : describe(shown)}
        onKeyDown={onKeyDown}
      />
    </>
  )
}

function usePlot(
  place: React.RefObject<HTMLDivElement | null>,
  props: ChartProps,
  setAt: (at: number | undefined) => void,
): void {
  const { starts, series } = props
  const onSelect = useEffectEvent((plot: uPlot): void => {
    const { left, width } = plot.select
    if (width < 4) return
    props.onZoom(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000)
  })
  const onClick = useEffectEvent((at: number | null | undefined): void => {
    if (at !== null && at !== undefined) props.onOpen(at)
  })
  const options = useEffectEvent((width: number) => optionsOf(props, width, { onSelect, setAt }))
  useEffect(() => {
    const element = place.current
    if (!element) return
    let plot: uPlot
    const draw = (): void => {
      plot?.destroy()
      const data = [starts.map(start => start / 1000), ...series.map(({ values }) => [...values])]
      plot = new uPlot(options(element.clientWidth), data as uPlot.AlignedData, element)
      plot.over.addEventListener('click', () => plot.select.width < 4 && onClick(plot.cursor.idx))
    }
    draw()
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    size.observe(element)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    return () => {
      size.disconnect()
      theme.disconnect()
      dark.removeEventListener('change', draw)
      plot.destroy()
    }
  }, [starts, series, place])
}

interface Handlers {
  onSelect: (plot: uPlot) => void
  setAt: (at: number | undefined) => void
}

/** Parameters, because the handlers come from the component. */
function optionsOf(props: ChartProps, width: number, { onSelect, setAt }: Handlers): uPlot.Options {
  const { oldest, newest, series, look, format } = props
  const [text, line] = [colourOf('--text-soft'), colourOf('--line')]
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: FONT }
  const { max, steps, label } = scaleOf(
    series.flatMap(({ values }) => values),
    format,
  )
  return {
    width,
    height: HEIGHT,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: 'dashboard' },
      drag: { x: true, y: false, setScale: false },
      points: { show: false },
      y: false,
    },
    scales: {
      x: { time: true, range: [oldest / 1000, newest / 1000] },
      y: { range: [0, max] },
    },
    axes: [
      {
        ...axis,
        space: 80,
        size: 20,
        gap: 2,
        values: (_plot, times) => times.map(time => timeLabel(time, newest - oldest)),
      },
      {
        ...axis,
        space: 36,
        gap: 4,
        size: (_plot, labels) => Math.max(LABELS_MIN, ...(labels ?? []).map(label => widthOf(label) + 8)),
        ...(steps && { incrs: steps }),
        values: (_plot, values) => values.map(label),
      },
    ],
    series: [{}, ...series.map(one => seriesOf(one, look))],
    hooks: {
      setSelect: [onSelect],
      setCursor: [plot => setAt(plot.cursor.idx ?? undefined)],
    },
  }
}

const ruler = new OffscreenCanvas(1, 1).getContext('2d')

/** Of a label, in pixels. */
function widthOf(label: string): number {
  if (!ruler) return 0
  ruler.font = FONT
  return ruler.measureText(label).width
}

const DAY_MS = 86_400_000
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const minute = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const timeLabel = (seconds: number, windowMs: number): string =>
  (windowMs > 3 * DAY_MS ? day : minute).format(new Date(seconds * 1000))

function seriesOf({ name, colour, values }: Series, look: ChartProps['look']): uPlot.Series {
  const stroke = colourOf(colour)
  const common = { label: name, stroke }
  if (look === 'lines') {
    // There is no line through a single value.
    const isSingle = values.filter(value => value !== null).length === 1
    return { ...common, width: 1.5, spanGaps: true, points: { show: isSingle, size: 6, fill: stroke } }
  }
  return {
    ...common,
    points: { show: false },
    fill: stroke,
    width: 0,
    paths: uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }),
  }
}

/** The colour of a custom property in the current theme. */
function colourOf(property: string): string {
  document.body.style.setProperty('outline-color', `var(${property})`)
  const { outlineColor } = getComputedStyle(document.body)
  document.body.style.removeProperty('outline-color')
  return outlineColor
}
