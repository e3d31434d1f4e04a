import type { Focus } from '../api/filtering.ts'
import type { OrderBy } from '../api/queries.ts'
import type { ChangeOf } from '../parts/use-change-of.ts'

/** What the address of the list says: everything that is not the default. */
export interface TracesSearch {
  /** The text of the filter line. */
  q?: string
  focus?: Focus
  order?: OrderBy
  /** The window: a name of {@link PERIODS}, or both bounds as ISO times. */
  since?: string
  from?: string
  to?: string
  live?: boolean
  /** Columns in addition: {@link SCORES} and paths of attributes, separated by commas. */
  columns?: string
  /** The trace that is open over the list, and what of it. */
  trace?: string
  span?: string
  view?: View
  tab?: Tab
  /** The part of the time that is shown, as two shares of it. */
  zoom?: string
  /** Whether times in which nothing happens are drawn short. */
  short?: boolean
  /** Whether the tree has only the critical path. */
  critical?: boolean
  /** What the tree shows beside the duration; tokens by default. */
  metric?: Metric
}

export const VIEWS = ['tree', 'conversation', 'flame'] as const
export type View = (typeof VIEWS)[number]
export const TABS = ['content', 'attributes', 'events', 'annotations', 'raw'] as const
export type Tab = (typeof TABS)[number]

/** What the tree shows beside the duration, other than tokens. */
export const METRICS = ['cost'] as const
export type Metric = (typeof METRICS)[number]

const HOUR = 3_600_000
export const PERIODS: Readonly<Record<string, { label: string; ms: number }>> = {
  '15m': { label: 'Last 15 minutes', ms: HOUR / 4 },
  '1h': { label: 'Last hour', ms: HOUR },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR },
  '1y': { label: 'Last year', ms: 365 * 24 * HOUR },
}
export const PERIOD_DEFAULT = '7d'

const ORDERS: readonly OrderBy[] = ['time', 'duration', 'tokens', 'costs']

/** The column of what people and evaluators said. */
export const SCORES = 'scores'

export const columnsIn = ({ columns }: TracesSearch): string[] => [...new Set(columns?.split(',').filter(Boolean))]

/** The paths among the columns; the server takes ten. */
export const attributesIn = (search: TracesSearch): string[] =>
  columnsIn(search)
    .filter(column => column !== SCORES)
    .slice(0, 10)

/** The part of an address that says which rows are looked at, on every screen of rows. */
export type WindowSearch = Pick<TracesSearch, 'since' | 'from' | 'to'>
export type FilterSearch = WindowSearch & Pick<TracesSearch, 'q'>

export function readFilterSearch(given: Record<string, unknown>): FilterSearch {
  const { q, since, from, to } = readSearch(given)
  return { q, since, from, to }
}

/** Reads an address; what is malformed counts as absent. */
export function readSearch(given: Record<string, unknown>): TracesSearch {
  const text = (name: string): string | undefined => {
    const value = given[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find(value => value === given[name])
  const [from, to] = [timeIn(text('from')), timeIn(text('to'))]
  const isRange = from !== undefined && to !== undefined && from < to
  return {
    q: text('q'),
    focus: oneOf('focus', ['span'] as const),
    order: oneOf('order', ORDERS.slice(1)),
    since: isRange ? undefined : oneOf('since', Object.keys(PERIODS)),
    from: isRange ? from : undefined,
    to: isRange ? to : undefined,
    live: given.live === true ? true : undefined,
    columns: text('columns'),
    trace: text('trace'),
    ...readTraceSearch(given),
  }
}

export type TraceSearch = Pick<TracesSearch, 'span' | 'view' | 'tab' | 'zoom' | 'short' | 'critical' | 'metric'>

export function readTraceSearch(given: Record<string, unknown>): TraceSearch {
  return {
    span: typeof given.span === 'string' ? given.span : undefined,
    view: VIEWS.find(view => view === given.view),
    tab: TABS.find(tab => tab === given.tab),
    zoom: typeof given.zoom === 'string' && /^0(\.\d{1,4})?-(1|0\.\d{1,4})$/.test(given.zoom) ? given.zoom : undefined,
    short: given.short === true ? true : undefined,
    critical: given.critical === true ? true : undefined,
    metric: METRICS.find(metric => metric === given.metric),
  }
}

const timeIn = (text: string | undefined): string | undefined => {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The bounds of a window as ISO times. */
export interface Window {
  oldest: string
  newest: string
}

/** The bounds of the window; those of a period move with time, in steps, so that requests for it can be shared. */
export function windowOf({ since, from, to }: WindowSearch, now: number): Window {
  if (from && to) return { oldest: from, newest: to }
  const { ms } = PERIODS[since ?? PERIOD_DEFAULT] ?? { ms: HOUR }
  return { oldest: new Date(now - ms).toISOString(), newest: new Date(now + CLOCK_AHEAD_MS).toISOString() }
}

/** Spans from a clock that is ahead of this one are shown all the same. */
const CLOCK_AHEAD_MS = 5 * 60_000

export type Change = ChangeOf<TracesSearch>
export type ChangeTrace = ChangeOf<TraceSearch>

/**
 * The address at which a row of a list is open, made from that of the list without one: the router takes ten times as
 * long.
 */
export function addressOf(list: string, ids: { trace: string; span?: string | undefined }): string {
  const members = Object.entries(ids).filter(([, id]) => id !== undefined)
  return `${list}${list.includes('?') ? '&' : '?'}${members.map(([name, id]) => `${name}=${id}`).join('&')}`
}

/** The row that is open: in a list of spans that of the span, if it is there, otherwise the first one of the trace. */
export function openRow(
  { focus, trace, span }: TracesSearch,
  rows: readonly { trace_id: string; span_id: string }[],
): number {
  const own = focus === 'span' ? rows.findIndex(row => row.trace_id === trace && row.span_id === span) : -1
  return own >= 0 ? own : rows.findIndex(row => row.trace_id === trace)
}

/** In a list of spans the span is opened, in one of traces the trace. */
export const spanOf = ({ focus }: TracesSearch, row: { span_id: string }): string | undefined =>
  focus === 'span' ? row.span_id : undefined
