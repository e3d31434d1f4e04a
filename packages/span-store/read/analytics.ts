import { type JsonObject, microsNow, microsToIso, nextTurn, type Uuid } from '@spanhouse/model'
import {
  type AnalyticsQuery,
  type Buckets,
  bucketStart,
  bucketsOf,
  compileAnalytics,
  compileTotals,
  type Measure,
  measuresOf,
  type Spec,
  type TotalsRow,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { countOf, statisticsOf } from '../engine/statistics.ts'
import { readAggregates } from './aggregates.ts'

interface Asked {
  readonly project_id: Uuid
  readonly query: AnalyticsQuery
}

/** One part of the requested range, with its measurements by attribute path. */
export interface AnalyticsBucket {
  timestamp: string
  /** In minutes. */
  interval: number
  metrics: { [key: string]: JsonObject }
}

/** The parts of the requested range in which there are values; those without are omitted. */
export interface Analytics {
  count: number
  /**
   * In order of time, each computed when it is taken: by hour the statistics of a month are ten times as large as the
   * measures.
   */
  buckets: Iterable<AnalyticsBucket>
}

/** Measures the attributes of traces in one statement. The buckets can be taken once. */
export async function readAnalytics(engine: Engine, { project_id, query }: Asked, holder?: Holder): Promise<Analytics> {
  const specs = query.specs.filter(spec => spec.type !== 'none')
  if (specs.length === 0) return { count: 0, buckets: [] }
  const buckets = bucketsOf(query.windowing, microsNow())
  const asked = compileAnalytics({ project_id, query, buckets, specs })
  const found: MeasuredBucket[] = []
  for (const row of await readAggregates<MeasuredBucket>(engine, asked, holder)) {
    if (specs.some((spec, index) => mostValues(spec, row.measures[index] as unknown[]))) found.push(row)
    const turn = nextTurn()
    if (turn) await turn
  }
  return { count: found.length, buckets: statisticsOfEach(found, specs, buckets) }
}

/** The measures of each spec, see `MeasureRows`. */
interface MeasuredBucket {
  bucket: number
  measures: unknown[][]
}

function* statisticsOfEach(
  found: readonly MeasuredBucket[],
  specs: readonly Spec[],
  buckets: Buckets,
): Generator<AnalyticsBucket, void, void> {
  for (const { bucket, measures } of found) yield { ...headOf(buckets, bucket), metrics: metricsOf(specs, measures) }
}

const headOf = (buckets: Buckets, index: number) => ({
  timestamp: microsToIso(bucketStart(buckets, index)),
  interval: buckets.intervalMinutes,
})

/** Specs of the same path are merged into one object. */
function metricsOf(specs: readonly Spec[], rows: readonly unknown[][]): { [key: string]: JsonObject } {
  const metrics = new Map<string, JsonObject>()
  for (const [index, spec] of specs.entries()) {
    const most = mostValues(spec, rows[index] as unknown[])
    if (most) metrics.set(spec.key, { ...metrics.get(spec.key), ...statisticsOf(most.measure, most.row, spec) })
  }
  return Object.fromEntries(metrics)
}

/** The measure of a spec that has the most values, the first of several; undefined if none has any. */
function mostValues(spec: Spec, rows: readonly unknown[]): { measure: Measure; row: unknown } | undefined {
  let [most, of]: [number, number | undefined] = [0, undefined]
  const measures = measuresOf(spec)
  for (const [index, measure] of measures.entries()) {
    const count = countOf(measure, rows[index])
    if (count > most) [most, of] = [count, index]
  }
  return of === undefined ? undefined : { measure: measures[of] as Measure, row: rows[of] }
}

/** One part of the range in the older form of analytics. */
export interface TotalsBucket {
  timestamp: string
  interval: number
  total: Totals
  errors: Totals
}
export interface Totals {
  count: number
  duration?: number
  costs?: number
  tokens?: number
}

/** Computes the totals of traces or spans in each part of the range, including empty parts. */
export async function readTotals(
  engine: Engine,
  { project_id, query }: Asked,
  holder?: Holder,
): Promise<TotalsBucket[]> {
  const buckets = bucketsOf(query.windowing, microsNow())
  const asked = compileTotals({ project_id, query, buckets, focus: query.formatting.focus })
  const rows = await readAggregates<{ bucket: number; total: TotalsRow; errors: TotalsRow }>(engine, asked, holder)
  const byBucket = new Map(rows.map(row => [row.bucket, row]))
  return Array.from({ length: buckets.count }, (_, index) => {
    const row = byBucket.get(index)
    return { ...headOf(buckets, index), total: totalsOf(row?.total), errors: totalsOf(row?.errors) }
  })
}

const NOTHING: TotalsRow = [0, [0, 0], [0, 0], [0, 0]]

/** A sum is zero if nothing was counted, and omitted if the counted spans have no value. */
function totalsOf([count, ...metrics]: TotalsRow = NOTHING): Totals {
  const names = ['duration', 'costs', 'tokens'] as const
  const sums = metrics.flatMap(([values, sum], index) =>
    count === 0 || values > 0 ? [[names[index] as string, sum] as const] : [],
  )
  return { count, ...Object.fromEntries(sums) }
}
