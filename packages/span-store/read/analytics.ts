import { type JsonObject, microsNow, microsToIso, nextTurn, type Uuid } from '@spanhouse/model'
import {
  type AnalyticsQuery,
  type Buckets,
  bucketStart,
  bucketsOf,
  compileAnalytics,
  compileTotals,
  measuresOf,
  type Spec,
  type TotalsRow,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { statisticsOf } from '../engine/statistics.ts'
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

/** Measures the attributes of traces in one statement. Parts of the range without matches are omitted. */
export async function readAnalytics(
  engine: Engine,
  { project_id, query }: Asked,
  holder?: Holder,
): Promise<AnalyticsBucket[]> {
  const specs = query.specs.filter(spec => spec.type !== 'none')
  if (specs.length === 0) return []
  const buckets = bucketsOf(query.windowing, microsNow())
  const asked = compileAnalytics({ project_id, query, buckets, specs })
  const rows = await readAggregates<{ bucket: number; measures: unknown[][] }>(engine, asked, holder)
  const found: AnalyticsBucket[] = []
  for (const { bucket, measures } of rows) {
    const metrics = metricsOf(specs, measures)
    if (Object.keys(metrics).length > 0) found.push({ ...headOf(buckets, bucket), metrics })
    const turn = nextTurn()
    if (turn) await turn
  }
  return found
}

const headOf = (buckets: Buckets, index: number) => ({
  timestamp: microsToIso(bucketStart(buckets, index)),
  interval: buckets.intervalMinutes,
})

/** Specs of the same path are merged into one object. */
function metricsOf(specs: readonly Spec[], rows: readonly unknown[][]): { [key: string]: JsonObject } {
  const metrics = new Map<string, JsonObject>()
  for (const [index, spec] of specs.entries()) {
    const statistics = mostValues(spec, rows[index] as unknown[])
    if (statistics) metrics.set(spec.key, { ...metrics.get(spec.key), ...statistics })
  }
  return Object.fromEntries(metrics)
}

/** The measure of a spec that has the most values; undefined if none has any. */
function mostValues(spec: Spec, rows: readonly unknown[]): JsonObject | undefined {
  const found = measuresOf(spec).flatMap((measure, index) => statisticsOf(measure, rows[index], spec) ?? [])
  return found.reduce<(typeof found)[number] | undefined>(
    (most, one) => (most === undefined || one.count > most.count ? one : most),
    undefined,
  )
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
