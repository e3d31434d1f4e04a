import { Problem, type Uuid } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { optional, storedObject, uuid, z } from '@spanhouse/validation'
import { isAmong } from '../entities/conditions.ts'
import { int32, isoTime, labels, status } from '../entities/fields.ts'
import type { MetricsRow } from '../entities/rows.ts'
import { findRows } from '../entities/select.ts'
import { deleteRows, upsertRows } from '../entities/write.ts'
import { inWritingOrder, keyOf } from '../metrics/refresh-places.ts'
import { lockOpenRuns } from '../runs/guard.ts'
import type { Scope } from '../scope.ts'
import { requireRuns } from './scenarios.ts'

/** A row of metrics as it is written: whatever is left out becomes null, and the status `pending`. */
export const newMetrics = z.object({
  run_id: uuid,
  scenario_id: optional(uuid),
  timestamp: optional(isoTime),
  interval: optional(int32),
  status: optional(status).transform(given => given ?? 'pending'),
  data: optional(storedObject),
  flags: optional(storedObject),
  ...labels,
})
export type NewMetrics = z.output<typeof newMetrics>

const KEY = ['run_id', 'scenario_id', 'timestamp']
const OVERWRITTEN = ['interval', 'status', 'data', 'flags', 'tags', 'meta']

/**
 * Writes rows of metrics, each over what there was at its place, and returns them in order; of two for the same place
 * the last counts. Throws a 422 for a row of a scenario and a bucket, 409 for a run or scenario that there is not and
 * for a run that is closed.
 */
export function writeMetrics(scope: Scope, bodies: readonly NewMetrics[]): Promise<MetricsRow[]> {
  for (const body of bodies) requireOnePlace(body)
  return inTransaction(scope, async inside => {
    const runs = await lockOpenRuns(inside, bodies.map(guarded), 'share')
    requireRuns(runs, bodies)
    await requireScenarios(inside, bodies)
    const rows = new Map(bodies.map(body => [keyOf(body), { ...body, id: newId() }]))
    await upsertRows<NewMetrics & { id: Uuid }>(inside, 'metrics', {
      columns: ['id', ...KEY, ...OVERWRITTEN],
      rows: inWritingOrder(rows),
      key: KEY,
      keyOf,
      overwritten: OVERWRITTEN,
    })
    // The rows themselves have been completed.
    return [...rows.values()] as unknown as MetricsRow[]
  })
}

function requireOnePlace({ run_id, scenario_id, timestamp }: NewMetrics): void {
  if (scenario_id === undefined || timestamp === undefined) return
  const message = 'Metrics belong to a scenario (scenario_id) or to a bucket (timestamp), not to both.'
  throw new Problem('unprocessable', { message, run_id, scenario_id, timestamp })
}

const guarded = ({ run_id, scenario_id }: NewMetrics) => ({ run_id, ...(scenario_id && { scenario_id }) })

/** Throws a 409 for the first scenario that there is not. The others stay until the transaction ends. */
async function requireScenarios({ db, project_id }: Scope, bodies: readonly NewMetrics[]): Promise<void> {
  const wanted = bodies.filter(({ scenario_id }) => scenario_id !== undefined)
  if (wanted.length === 0) return
  const ids = [...new Set(wanted.map(({ scenario_id }) => scenario_id as Uuid))]
  const { rows } = await sql<{ id: Uuid; run_id: Uuid }>`select t.id, t.run_id from evaluation_scenarios t
    where t.project_id = ${project_id} and ${isAmong('id', ids, 'uuid')} order by t.id for key share`.execute(db)
  const runs = new Map(rows.map(({ id, run_id }) => [id, run_id]))
  const missing = wanted.find(({ run_id, scenario_id }) => runs.get(scenario_id as Uuid) !== run_id)
  if (!missing) return
  const { scenario_id } = missing
  throw new Problem('conflict', {
    message: `scenario_id: the run has no scenario ${scenario_id}.`,
    conflict: { scenario_id },
  })
}

/** Deletes rows of metrics and returns them. Throws a 409 when the run of one is closed. */
export function deleteMetrics(scope: Scope, ids: readonly Uuid[]): Promise<MetricsRow[]> {
  return inTransaction(scope, async inside => {
    const found = await findRows(inside, 'metrics', ids)
    await lockOpenRuns(
      inside,
      found.map(({ id, run_id }) => ({ run_id, metrics_id: id })),
      'share',
    )
    await deleteRows(inside, 'metrics', [isAmong('id', ids, 'uuid')])
    return found
  })
}
