import { Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { list, optional, uuid, z } from '@spanhouse/validation'
import { isAmong } from '../entities/conditions.ts'
import { int32, isoTime } from '../entities/fields.ts'
import type { MetricsRow, RunRow } from '../entities/rows.ts'
import { findRows } from '../entities/select.ts'
import { lockOpenRuns } from '../runs/guard.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { MetricsPlace, Scope } from '../scope.ts'

/** Which rows of metrics are to be computed: the first member that is given decides (section 4.4 of the interface). */
export const refreshed = z.object({
  run_id: optional(uuid),
  run_ids: optional(list(uuid)),
  scenario_id: optional(uuid),
  scenario_ids: optional(list(uuid)),
  timestamp: optional(isoTime),
  timestamps: optional(list(isoTime)),
  interval: optional(int32),
})

/** The places that a request addresses, whether there is anything at them or not. */
function placesOf(asked: z.output<typeof refreshed>): MetricsPlace[] {
  const { run_id, run_ids, scenario_id, scenario_ids, timestamp, timestamps, interval } = asked
  if (run_ids) return run_ids.map(id => ({ run_id: id }))
  if (run_id === undefined) return []
  if (scenario_ids) return scenario_ids.map(id => ({ run_id, scenario_id: id }))
  if (timestamps) return timestamps.map(time => ({ run_id, timestamp: time, interval }))
  if (scenario_id !== undefined) return [{ run_id, scenario_id }]
  return [timestamp === undefined ? { run_id } : { run_id, timestamp, interval }]
}

/**
 * Computes rows of metrics and returns them. Unknown runs and scenarios, and runs without a step that leaves traces,
 * contribute nothing. Throws a 409 if a run is closed, a 501 if this process does not compute metrics.
 */
export async function refreshMetrics(scope: Scope, asked: z.output<typeof refreshed>): Promise<MetricsRow[]> {
  const places = placesOf(asked)
  const runs = await inTransaction(scope, inside => lockOpenRuns(inside, places, 'share'))
  const there = await existing(scope, runs, places)
  if (there.length === 0) return []
  if (!scope.metrics) throw noMetrics()
  return scope.metrics.refresh(scope, there)
}

export const noMetrics = (): Problem => new Problem('unsupported', 'This process does not compute metrics.')

async function existing(
  scope: Scope,
  runs: ReadonlyMap<Uuid, RunRow>,
  places: readonly MetricsPlace[],
): Promise<MetricsPlace[]> {
  const ids = places.flatMap(({ scenario_id }) => scenario_id ?? [])
  const scenarios = new Map((await findRows(scope, 'scenarios', ids)).map(row => [row.id, row.run_id]))
  const isMeasured = ({ run_id }: MetricsPlace): boolean => {
    const run = runs.get(run_id)
    return run !== undefined && stepsOf(run).some(({ type }) => type !== 'input')
  }
  const isThere = ({ run_id, scenario_id }: MetricsPlace): boolean =>
    scenario_id === undefined || scenarios.get(scenario_id) === run_id
  return places.filter(place => isMeasured(place) && isThere(place))
}

/**
 * As {@link refreshRun} after a change, which stands: metrics that cannot be computed, because a store is away, are
 * missing until the next refresh.
 */
export const refreshChanged = (scope: Scope, run_id: Uuid, scenarios: readonly Uuid[]): Promise<void> =>
  refreshRun(scope, run_id, scenarios).catch(error => scope.metrics?.missed(error, [run_id]))

/** The same for places. */
export async function refreshStale(scope: Scope, places: readonly MetricsPlace[]): Promise<void> {
  const run_ids = [...new Set(places.map(({ run_id }) => run_id))]
  await scope.metrics?.update(scope, places).catch(error => scope.metrics?.missed(error, run_ids))
}

/**
 * Computes the metrics of scenarios, of their buckets, and of the run. Does nothing if this process does not compute
 * metrics.
 */
export async function refreshRun(scope: Scope, run_id: Uuid, scenarios: readonly Uuid[]): Promise<void> {
  if (!scope.metrics) return
  const { rows } = await sql<{ timestamp: string; interval: number | null }>`
    select distinct t."timestamp", t."interval" from evaluation_scenarios t
    where t.project_id = ${scope.project_id} and t.run_id = ${run_id} and ${isAmong('id', scenarios, 'uuid')}
      and t."timestamp" is not null order by t."timestamp"`.execute(scope.db)
  await scope.metrics.update(scope, [
    ...scenarios.map(scenario_id => ({ run_id, scenario_id })),
    ...rows.map(({ timestamp, interval }) => ({ run_id, timestamp, interval: interval ?? undefined })),
    { run_id },
  ])
}
