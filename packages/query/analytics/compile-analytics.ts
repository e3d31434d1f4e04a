import type { Uuid } from '@spanhouse/model'
import type { Aggregation } from '../aggregation.ts'
import { compileFilters } from '../compile/compile-filter.ts'
import { attributePlace } from '../compile/place.ts'
import { readable } from '../compile/written-json.ts'
import { filterFor } from '../page/span-query.ts'
import { fromSpans, fromTraceHeads, INDEX_FIRST, SETTINGS } from '../page/statements.ts'
import type { Focus } from '../position.ts'
import { aggregate, join, type Sql, sql } from '../sql.ts'
import type { AnalyticsQuery } from './analytics-query.ts'
import type { Measure, Spec } from './analytics-spec.ts'
import { type Buckets, compileBucket, compileRange, windowingOf } from './buckets.ts'
import { compileMeasure, SharedNumbers } from './compile-measure.ts'

/** Analytics of the traces or spans of a project, and their time buckets. */
interface Asked {
  readonly project_id: Uuid
  readonly query: Pick<AnalyticsQuery, 'filter' | 'windowing'>
  readonly buckets: Buckets
}

/** Candidates for a spec of type `*`, in order of preference among equals. */
const INFERRED: readonly Measure[] = [
  'numeric/continuous',
  'categorical/single',
  'binary',
  'categorical/multiple',
  'json',
]

/** The measures of a spec. If there are several, the one with the most values is chosen. */
export function measuresOf({ type }: Spec): readonly Measure[] {
  if (type === '*') return INFERRED
  return type === 'none' ? [] : [type]
}

/**
 * Rows of `bucket` (an index) and `measures`: for each spec the list of its measures, see `MeasureRows`. The values are
 * those of each trace's head span, so that each trace counts once, at its time in lists.
 */
export function compileAnalytics(asked: Asked & { readonly specs: readonly Spec[] }): Aggregation {
  const shared = new SharedNumbers()
  const compile = (measure: Measure, spec: Spec): Sql =>
    measure === 'numeric/continuous' && spec.path && hasDefaultHistogram(spec)
      ? shared.add(spec.path)
      : compileMeasure(measure, spec.path, spec)
  const measures = asked.specs.map(spec => sql`tuple(${join(measuresOf(spec).map(one => compile(one, spec)))})`)
  const isLong = asked.buckets.count > 1
  return { ...byBucket(asked, 'trace', sql`tuple(${join(measures)}) AS measures`), prefix: shared.prefix, isLong }
}

const hasDefaultHistogram = ({ bins, vmin, vmax, edge }: Spec): boolean =>
  edge && bins === undefined && vmin === undefined && vmax === undefined

/** Metrics of the older form of analytics: of all traces or spans, and of those with an exception. */
const TOTALS: Record<Focus, readonly (readonly string[])[]> = {
  trace: totalsOf('cumulative'),
  span: totalsOf('incremental'),
}

function totalsOf(view: 'cumulative' | 'incremental'): string[][] {
  const keys = ['duration.cumulative', `costs.${view}.total`, `tokens.${view}.total`]
  return keys.map(key => `ag.metrics.${key}`.split('.'))
}

/** A count, then for each of duration, costs and tokens the number of values and their sum. */
export type TotalsRow = readonly [count: number, ...metrics: (readonly [count: number, sum: number])[]]

/** Rows of `bucket` (an index), `total` and `errors`, each a {@link TotalsRow}. */
export function compileTotals(asked: Asked & { readonly focus: Focus }): Aggregation {
  const { focus } = asked
  const columns = sql`${totals(focus, sql`true`)} AS total, ${totals(focus, HAS_EXCEPTION)} AS errors`
  return byBucket(asked, focus, columns)
}

const HAS_EXCEPTION = sql`(events != '' AND arrayExists(x -> JSONExtractString(${readable(sql`x`)}, 'name') = 'exception', JSONExtractArrayRaw(events)))`

function totals(focus: Focus, isMeant: Sql): Sql {
  const metrics = TOTALS[focus].map(path => {
    const { column, present } = attributePlace(path)
    const isCounted = sql`(${isMeant} AND ${present})`
    const sum = aggregate(sql`sumIf`, sql`${column?.column ?? sql`0`}, ${isCounted}`)
    return sql`tuple(${aggregate(sql`countIf`, isCounted)}, toFloat64(${sum}))`
  })
  return sql`tuple(${join([aggregate(sql`countIf`, isMeant), ...metrics])})`
}

function byBucket({ project_id, query, buckets }: Asked, focus: Focus, columns: Sql): Aggregation {
  const { windowing } = query
  const filter = filterFor(focus, query.filter)
  const rows =
    focus === 'trace'
      ? fromTraceHeads({ project_id, query: { focus, filter, windowing: windowingOf(buckets, windowing.rate) } })
      : fromSpans(project_id, [...compileRange(buckets, windowing.rate), ...(filter ? compileFilters([filter]) : [])])
  return {
    keys: [{ name: sql`bucket`, value: compileBucket(buckets) }],
    columns,
    rows,
    order: sql`ORDER BY bucket`,
    settings: sql`${SETTINGS}${INDEX_FIRST}`,
  }
}
