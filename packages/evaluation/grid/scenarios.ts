import { invalid, microsToIso, Problem, type Uuid } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { optional, uuid, z } from '@spanhouse/validation'
import { isAmong } from '../entities/conditions.ts'
import { int32, isoTime, labels, status } from '../entities/fields.ts'
import type { RunRow, ScenarioRow } from '../entities/rows.ts'
import { findRows, inOrder } from '../entities/select.ts'
import { deleteRows, insertRows, updateEach } from '../entities/write.ts'
import { dropMetrics } from '../runs/drop-cells.ts'
import { allFlags } from '../runs/flags.ts'
import { type Guarded, lockOpenRun, lockOpenRuns } from '../runs/guard.ts'
import { rollUpRemaining, rollUpRun } from '../runs/roll-up.ts'
import { runFlags } from '../runs/run-body.ts'
import type { MetricsPlace, Scope } from '../scope.ts'
import { refreshStale } from './refresh.ts'

const members = {
  ...labels,
  flags: optional(runFlags),
  status: optional(status),
  interval: optional(int32),
  timestamp: optional(isoTime),
}

/** A scenario that is to be made. */
export const newScenario = z.object({ run_id: uuid, ...members })
export type NewScenario = z.output<typeof newScenario>

/** What is to be changed of a scenario: what is left out or null stays as it is. */
export const scenarioEdit = z.object({ id: uuid, ...members })
export type ScenarioEdit = z.output<typeof scenarioEdit>

const COLUMNS = ['status', 'flags', 'tags', 'meta', 'interval', 'timestamp']

/** Makes scenarios and returns them in order. Throws a 409 for a run that is closed, or that there is not. */
export function createScenarios(scope: Scope, bodies: readonly NewScenario[]): Promise<ScenarioRow[]> {
  return inTransaction(scope, async inside => {
    const runs = await lockOpenRuns(inside, bodies, 'share')
    requireRuns(runs, bodies)
    return insertScenarios(inside, bodies)
  })
}

/** As {@link createScenarios}, for runs that are locked and open. */
async function insertScenarios(scope: Scope, bodies: readonly NewScenario[]): Promise<ScenarioRow[]> {
  const rows = bodies.map(body => ({
    ...body,
    id: newId(),
    status: body.status ?? 'pending',
    flags: body.flags && allFlags(body.flags as Parameters<typeof allFlags>[0]),
  }))
  const made = await insertRows(scope, 'scenarios', { columns: ['id', 'run_id', ...COLUMNS], rows })
  return made as unknown as ScenarioRow[]
}

/** Throws a 409, as a violated reference does, for the first run that the project does not have. */
export function requireRuns(runs: ReadonlyMap<Uuid, unknown>, what: readonly Guarded[]): void {
  const unknown = what.find(({ run_id }) => !runs.has(run_id))
  if (!unknown) return
  const { run_id } = unknown
  throw new Problem('conflict', { message: `run_id: the run ${run_id} does not exist.`, conflict: { run_id } })
}

/**
 * Changes scenarios and returns those that exist, in order. A status that is sent is kept until a cell of the scenario
 * changes, and the run's status follows it. Throws a 409 if the run of one is closed.
 */
export function editScenarios(scope: Scope, edits: readonly ScenarioEdit[]): Promise<ScenarioRow[]> {
  return inTransaction(scope, async inside => {
    const ids = edits.map(({ id }) => id)
    const found = await findRows(inside, 'scenarios', ids)
    await lockOpenRuns(inside, found.map(guardedScenario), 'change')
    const rows = new Map((await findRows(inside, 'scenarios', ids)).map(row => [row.id, row]))
    for (const edit of edits) {
      const row = rows.get(edit.id)
      if (row) rows.set(edit.id, edited(row, edit))
    }
    await updateEach(inside, 'scenarios', { columns: COLUMNS, rows: [...rows.values()] })
    for (const run of runsOf(edits.flatMap(edit => (edit.status ? (rows.get(edit.id) ?? []) : []))))
      await rollUpRun(inside, run)
    return findRows(inside, 'scenarios', ids)
  })
}

function edited(row: ScenarioRow, edit: ScenarioEdit): ScenarioRow {
  const given = Object.entries(edit).filter(([, value]) => value !== undefined)
  const changed = { ...row, ...Object.fromEntries(given) }
  if (!edit.flags) return changed
  const flags = Object.entries(edit.flags).filter(([, value]) => value !== undefined)
  return { ...changed, flags: allFlags({ ...row.flags, ...Object.fromEntries(flags) }) }
}

const guardedScenario = ({ id, run_id }: ScenarioRow): Guarded => ({ run_id, scenario_id: id })

const runsOf = (rows: readonly { run_id: Uuid }[]): Uuid[] => [...new Set(rows.map(({ run_id }) => run_id))].sort()

/**
 * Deletes scenarios with their cells and metrics, and computes the metrics of their buckets and runs again, where such
 * were computed, if this process computes metrics; those that a client wrote stay. Returns the ids of those that there
 * were, in order. Throws a 409 when the run of one is closed.
 */
export async function deleteScenarios(scope: Scope, ids: readonly Uuid[]): Promise<Uuid[]> {
  const { gone, stale } = await inTransaction(scope, inside => deleteLocked(inside, ids))
  await refreshStale(scope, stale)
  return gone
}

async function deleteLocked(scope: Scope, ids: readonly Uuid[]): Promise<{ gone: Uuid[]; stale: MetricsPlace[] }> {
  const found = await findRows(scope, 'scenarios', ids)
  await lockOpenRuns(scope, found.map(guardedScenario), 'change')
  const stale: MetricsPlace[] = []
  for (const run of runsOf(found)) stale.push(...(await dropMetrics(scope, run, ids, sql`t.computation is not null`)))
  const gone = await deleteRows(scope, 'scenarios', [isAmong('id', ids, 'uuid')])
  for (const run of runsOf(found)) await rollUpRemaining(scope, run)
  const rows = gone.map(id => ({ id }))
  return { gone: inOrder(ids, rows).map(({ id }) => id), stale }
}

/** Scenarios that one call adds at most. */
const ADDED_MAX = 100_000
const MINUTE_MS = 60_000

export const addedScenarios = z.object({
  count: z.int().max(ADDED_MAX),
  timestamp: optional(isoTime),
})

/** Adds scenarios without cells to a run; those of a bucket begin with its minute. Undefined: no such run. */
export function addScenarios(
  scope: Scope,
  run_id: Uuid,
  { count, timestamp }: z.output<typeof addedScenarios>,
): Promise<ScenarioRow[] | undefined> {
  return inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, run_id, 'change')
    if (!run) return undefined
    const bucket = timestamp && { timestamp: minuteOf(timestamp), interval: 1 }
    const bodies = Array.from({ length: Math.max(0, count) }, () => ({ run_id, status: 'running', ...bucket }))
    const added = await insertScenarios(inside, bodies as NewScenario[])
    if (added.length > 0 && hasEnded(run)) await rollUpRun(inside, run_id)
    return added
  })
}

/** By itself, so that it continues with what is added. */
const hasEnded = ({ status }: RunRow): boolean => status === 'success' || status === 'errors'

const minuteOf = (time: string): string => microsToIso(Math.floor(Date.parse(time) / MINUTE_MS) * MINUTE_MS * 1000)

/** As {@link deleteScenarios} for scenarios of one run; a 400 when one of them is not of it. */
export async function removeScenarios(scope: Scope, run_id: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  const { gone, stale } = await inTransaction(scope, async inside => {
    await lockOpenRun(inside, run_id, 'change')
    const ofRun = new Set(
      (await findRows(inside, 'scenarios', ids)).filter(row => row.run_id === run_id).map(({ id }) => id),
    )
    const other = ids.find(id => !ofRun.has(id))
    if (other !== undefined) throw invalid(`scenario_ids: the run has no scenario ${other}`)
    return deleteLocked(inside, ids)
  })
  await refreshStale(scope, stale)
  return gone
}
