import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type RowList, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { list, optional, uuid, z } from '@spanhouse/validation'
import { isAmong } from '../entities/conditions.ts'
import { int32, STEPS_MAX } from '../entities/fields.ts'
import { listRows } from '../entities/list.ts'
import type { ResultRow } from '../entities/rows.ts'
import { findRow } from '../entities/select.ts'
import { noMetrics, refreshChanged, refreshRun } from '../grid/refresh.ts'
import { type NewResult, writeResults } from '../grid/results.ts'
import { dropCells, inParts } from '../runs/drop-cells.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { rollUpRun, rollUpScenarios } from '../runs/roll-up.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { enqueue } from './enqueue.ts'
import { isEmptySlice, type Slice } from './plan.ts'
import { announce } from './start.ts'
import { verdictOf } from './topology.ts'

/** Which cells of a run are meant: a member that is left out means all, an empty one nothing. */
export const slice = z.object({
  scenario_ids: optional(list(uuid)),
  step_keys: optional(list(z.string(), { max: STEPS_MAX })),
  repeat_idxs: optional(list(int32)),
})

export const processing = z.object({
  ...slice.shape,
  overwrite: optional(z.boolean()).transform(given => given ?? false),
})

const noRun = (id: Uuid): Problem =>
  new Problem('not_found', { message: `The evaluation ${id} does not exist.`, run_id: id })

/** Writes cells of one run, like `writeResults`. Throws a 400 if one belongs to another run. */
export async function populate(scope: Scope, run_id: Uuid, bodies: readonly NewResult[]): Promise<ResultRow[]> {
  const other = bodies.find(body => body.run_id !== run_id)
  if (other) throw invalid(`results: run_id ${other.run_id} differs from the id in the path`)
  if (bodies.length === 0) await inTransaction(scope, inside => lockOpenRun(inside, run_id, 'share'))
  return writeResults(scope, bodies)
}

/** The cells that a slice addresses. */
export const probe = (scope: Scope, run_id: Uuid, filter: Slice): Promise<RowList<ResultRow>> =>
  listRows(scope, 'results', { filter: { run_id, ...filter } })

/**
 * Deletes the cells that a slice addresses and the metrics that counted them, and computes these again if this process
 * computes metrics. Throws a 404 if the run does not exist, a 409 if it is closed and has such cells.
 */
export async function prune(scope: Scope, run_id: Uuid, filter: Slice): Promise<void> {
  if (!(await findRow(scope, 'runs', run_id))) throw noRun(run_id)
  if (!(await hasCells(scope, run_id, filter))) return
  const drop: Parameters<typeof inParts>[2] = async (inside, run, scenario_ids) => {
    const touched = await dropCells(inside, run_id, addressed({ ...filter, scenario_ids: [...scenario_ids] }))
    await rollUpScenarios(inside, run, touched)
    if (run.flags.has_human) await rollUpRun(inside, run_id)
    return touched
  }
  const scenarios = await inParts(scope, run_id, drop, filter.scenario_ids)
  if (scenarios.length > 0) await refreshChanged(scope, run_id, scenarios)
}

async function hasCells({ db, project_id }: Scope, run_id: Uuid, filter: Slice): Promise<boolean> {
  if (isEmptySlice(filter)) return false
  const { rows } = await sql`select from evaluation_results t
    where ${sql.join([sql`t.project_id = ${project_id} and t.run_id = ${run_id}`, ...addressed(filter)], sql` and `)}
    limit 1`.execute(db)
  return rows.length > 0
}

const addressed = ({ scenario_ids, step_keys, repeat_idxs }: Slice) => [
  ...(scenario_ids ? [isAmong('scenario_id', scenario_ids, 'uuid')] : []),
  ...(step_keys ? [isAmong('step_key', step_keys, 'text')] : []),
  ...(repeat_idxs ? [isAmong('repeat_idx', repeat_idxs, 'integer')] : []),
]

/**
 * Stores the work of a slice for workers. Throws a 404 for a run that there is not, 409 when it is closed, 400 for a
 * graph that the server does not execute.
 */
export async function processSlice(scope: Scope, run_id: Uuid, filter: Slice & { overwrite: boolean }): Promise<void> {
  await inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, run_id, 'change')
    if (!run) throw noRun(run_id)
    if (isEmptySlice(filter)) return
    if (verdictOf(run.flags, stepsOf(run)) === 'refused') throw invalid('steps: the server cannot execute this graph')
    await enqueue(inside, run, filter)
  })
  announce(scope, run_id)
}

/**
 * Computes the metrics of the scenarios that a slice addresses, of their buckets, and of the run. Throws a 404 if the
 * run does not exist, a 409 if it is closed, a 501 if this process does not compute metrics.
 */
export async function refreshSlice(scope: Scope, run_id: Uuid, filter: Slice): Promise<void> {
  const run = await inTransaction(scope, inside => lockOpenRun(inside, run_id, 'share'))
  if (!run) throw noRun(run_id)
  if (isEmptySlice(filter)) return
  if (!scope.metrics) throw noMetrics()
  const { rows } = await sql<{ scenario_id: Uuid }>`select distinct t.scenario_id from evaluation_results t
    where ${sql.join([sql`t.project_id = ${scope.project_id} and t.run_id = ${run_id}`, ...addressed(filter)], sql` and `)}
    order by t.scenario_id`.execute(scope.db)
  await refreshRun(
    scope,
    run_id,
    rows.map(({ scenario_id }) => scenario_id),
  )
}
