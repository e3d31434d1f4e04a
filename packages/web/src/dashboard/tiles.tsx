import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { type Group, groupsQuery, type RowGroups } from '../api/queries.ts'
import { exact, formatAmount, formatCost, formatCount, formatDuration, formatTime, MISSING } from '../format/format.ts'
import { Failure } from '../parts/controls.tsx'
import { allOf, WITH_ERRORS } from '../traces/filter-text.ts'
import type { TracesSearch } from '../traces/search.ts'
import { Chart, type Series } from './chart.tsx'
import styles from './dashboard.module.css'
import type { Shown } from './shown.ts'

/** Into how many parts the window is divided. */
export const BUCKETS = 60

export interface Tile {
  title: string
  look: 'bars' | 'lines'
  /** The figure for the whole window, and the rows behind it. */
  figure: (total: Group) => string
  title2?: (total: Group) => string | undefined
  opens: Partial<TracesSearch>
  /** A term that the rows behind it satisfy in addition. */
  term?: string
  format: (value: number) => string
  series: readonly { name: string; colour: string; of: (group: Group) => number | undefined }[]
}

const TILES: readonly Tile[] = [
  {
    title: 'Traces',
    look: 'bars',
    figure: ({ count }) => formatCount(count),
    opens: {},
    format: formatCount,
    series: [{ name: 'traces', colour: '--bar', of: ({ count }) => count }],
  },
  {
    title: 'With errors',
    look: 'bars',
    figure: ({ errors = 0, count }) => `${formatCount(errors)} · ${percent(errors, count)}`,
    opens: {},
    term: WITH_ERRORS,
    format: formatCount,
    series: [{ name: 'with errors', colour: '--error', of: ({ errors }) => errors ?? 0 }],
  },
  {
    title: 'Duration',
    look: 'lines',
    figure: ({ p50, p95 }) => `${formatDuration(p50)} · ${formatDuration(p95)}`,
    opens: { order: 'duration' },
    format: value => (value === 0 ? '0' : formatDuration(value)),
    series: [
      { name: 'p50', colour: '--type-flow', of: ({ p50 }) => p50 },
      { name: 'p95', colour: '--type-model', of: ({ p95 }) => p95 },
    ],
  },
  {
    title: 'Tokens',
    look: 'bars',
    figure: ({ tokens }) => formatAmount(tokens),
    title2: ({ tokens }) => exact(tokens),
    opens: { order: 'tokens' },
    format: formatCount,
    series: [{ name: 'tokens', colour: '--type-retrieval', of: ({ tokens }) => tokens ?? 0 }],
  },
  {
    title: 'Cost',
    look: 'bars',
    figure: ({ costs }) => formatCost(costs),
    title2: ({ costs }) => exact(costs),
    opens: { order: 'costs' },
    format: value => (value === 0 ? '0' : formatCost(value)),
    series: [{ name: 'cost', colour: '--type-agent', of: ({ costs }) => costs ?? 0 }],
  },
]

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Number(((part / whole) * 100).toPrecision(2))} %`

const NOTHING: Group = { count: 0 }

/** One tile for each figure; all have the same window and the same filter. Others follow as children. */
export function Tiles({ children, ...shown }: Shown & { children: ReactNode }): ReactNode {
  const total = useQuery(groupsQuery(shown.body, {}))
  const parts = useQuery(groupsQuery(shown.body, { buckets: BUCKETS }))
  const error = total.error ?? parts.error
  return (
    <div className={styles.tiles} data-stale={total.isPlaceholderData || parts.isPlaceholderData || undefined}>
      {error && <Failure what="The figures cannot be read." error={error} />}
      {TILES.map(tile => (
        <TileView key={tile.title} tile={tile} total={total.data} parts={parts.data} shown={shown} />
      ))}
      {children}
    </div>
  )
}

interface TileProps {
  tile: Tile
  total: RowGroups | undefined
  parts: RowGroups | undefined
  shown: Shown
  /** At the end of the heading. */
  children?: ReactNode
}

export function TileView({ tile, total, parts, shown: { body, search, change }, children }: TileProps): ReactNode {
  const navigate = useNavigate()
  const { title, figure, title2, opens, term, look, format } = tile
  const [oldest, newest] = [Date.parse(body.windowing.oldest), Date.parse(body.windowing.newest)]
  const { starts, values } = useMemo(() => columnsOf(tile, parts, { oldest, newest }), [tile, parts, oldest, newest])
  const q = allOf([search.q, term]) || undefined
  const rows = { q, since: search.since, from: search.from, to: search.to, ...opens }
  const group = total && (total.groups[0] ?? NOTHING)
  const formatKnown = (value: number | null | undefined): string => (value == null ? MISSING : format(value))
  const isoAt = (ms: number): string => new Date(ms).toISOString()
  return (
    <section className={styles.tile}>
      <header>
        <h2 title={title}>{title}</h2>
        {tile.series.length > 1 &&
          tile.series.map(({ name, colour }) => (
            <span key={name} className={styles.key}>
              <span style={{ background: `var(${colour})` }} />
              {name}
            </span>
          ))}
        {group && (
          <Link to="/traces" search={rows} className={styles.figure} title={title2?.(group)}>
            {figure(group)}
          </Link>
        )}
        {children}
      </header>
      <Chart
        label={title}
        starts={starts}
        oldest={oldest}
        newest={newest}
        series={values}
        look={look}
        format={format}
        describe={at =>
          `${formatTime(isoAt(starts[at] ?? 0))}: ${values.map(one => `${formatKnown(one.values[at])} ${one.name}`).join(', ')}`
        }
        onZoom={(from, to) => change({ from: isoAt(from), to: isoAt(to), since: undefined })}
        onOpen={at => {
          const start = starts[at] ?? oldest
          const end = start + (parts?.bucket_ms ?? 0)
          void navigate({ to: '/traces', search: { ...rows, from: isoAt(start), to: isoAt(end), since: undefined } })
        }}
      />
    </section>
  )
}

interface Columns {
  starts: number[]
  values: Series[]
}

/** A value for each part of the window, also for those without rows. */
function columnsOf(tile: Tile, parts: RowGroups | undefined, { oldest }: { oldest: number; newest: number }): Columns {
  const width = parts?.bucket_ms ?? 1
  const byPart = new Map(parts?.groups.map(group => [Math.round(((group.start ?? 0) - oldest) / width), group]))
  const places = parts ? Array.from({ length: BUCKETS }, (_, place) => place) : []
  const missing = tile.look === 'lines' ? null : 0
  return {
    starts: places.map(place => Math.round(oldest + place * width)),
    values: tile.series.map(({ name, colour, of }) => ({
      name,
      colour,
      values: places.map(place => {
        const group = byPart.get(place)
        return (group && of(group)) ?? missing
      }),
    })),
  }
}
