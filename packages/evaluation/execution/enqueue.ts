import { type Json, nextTurn, type Uuid } from '@spanhouse/model'
import { newId, type RawBuilder, sql, toJsonb } from '@spanhouse/postgres'
import type { Condition } from '../entities/conditions.ts'
import type { RunRow } from '../entities/rows.ts'
import { touched, updateRows } from '../entities/write.ts'
import { type NewResult, upsertCells } from '../grid/results.ts'
import { rollUpRun, rollUpScenarios } from '../runs/roll-up.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { RunWork, Scope, Task, TaskSlice } from '../scope.ts'
import { isInSlice, type PlannedCell, planSources, planWork, type Slice } from './plan.ts'

/**
 * Stores the work of existing scenarios: the cells of the slice that are missing or have failed, or all of them if it
 * overwrites. Scenarios with work become `running`, and so does the run; the others get the status that follows from
 * their cells. Missing cells that people or clients write are created as `pending`; existing ones are reset only if the
 * slice names their step and overwrites. Repeats that were added get their input cells. Scenarios without a source are
 * not changed. The run is locked for a change and open. Returns whether there is work.
 */
export async function enqueue(
  scope: Scope,
  run: RunRow,
  { overwrite = false, ...slice }: Slice & { overwrite?: boolean },
): Promise<boolean> {
  const planned = planWork(run).filter(cell => isInSlice(slice, cell))
  const executed = planned.filter(({ does }) => does === 'execute')
  const waiting = planned.filter(({ does }) => does === 'wait')
  if (overwrite && slice.step_keys) await resetCells(scope, run, { cells: waiting, slice })
  await addMissing(scope, run, { cells: waiting, slice, status: 'pending' })
  const sources = planSources(run).filter(cell => isInSlice(slice, cell))
  await addMissing(scope, run, { cells: sources, slice, status: 'success', where: sql`c.step_key = source.step_key` })
  const addressed = await storeWork(scope, run, { cells: executed, slice, overwrite })
  await rollUpScenarios(scope, run, addressed)
  const hasWork = await startIfWorking(scope, run)
  if (!hasWork) await rollUpRun(scope, run.id)
  return hasWork
}

/**
 * Limits a statement about scenarios `t` to those of a run that a slice addresses. Ids are an array, which the index
 * finds: joined, they were compared one by one with every cell of the run.
 */
const scenariosOf = ({ project_id }: Scope, run: RunRow, { scenario_ids }: Slice): Condition =>
  sql.join(
    [
      sql`t.project_id = ${project_id} and t.run_id = ${run.id}`,
      ...(scenario_ids ? [sql`t.id = any(${scenario_ids}::uuid[])`] : []),
    ],
    sql` and `,
  )

/** Step and repeat of planned cells, as a subquery. */
const pairsOf = (cells: readonly PlannedCell[]): RawBuilder<unknown> =>
  sql`(select x.step_key, x.repeat_idx from jsonb_to_recordset(${toJsonb(cells as unknown as Json)}::jsonb)
    as x(step_key text, repeat_idx integer))`

/** The input cell that a scenario `t` comes from, as a lateral table `source`. */
const sourceOf = (run: RunRow): RawBuilder<unknown> => {
  const keys = stepsOf(run).flatMap(({ type, key }) => (type === 'input' ? [key] : []))
  return sql`lateral (select r.step_key, r.trace_id, r.testcase_id, r."timestamp", r."interval" from evaluation_results r
    where r.project_id = t.project_id and r.run_id = t.run_id and r.scenario_id = t.id
      and r.step_key in (select jsonb_array_elements_text(${toJsonb(keys)}::jsonb))
      and (r.testcase_id is not null or r.trace_id is not null)
    limit 1) source`
}

interface Addressed {
  cells: readonly PlannedCell[]
  slice: Slice
}

/**
 * Writes cells that scenarios with a source do not have yet. They are counted, which the database does cell by cell: of
 * a new run it expects a single row, and `not exists` became a join that read the whole run for each cell.
 */
export async function addMissing(
  scope: Scope,
  run: RunRow,
  { cells, slice, status, where = sql`true` }: Addressed & { status: NewResult['status']; where?: Condition },
): Promise<number> {
  if (cells.length === 0) return 0
  const { rows } = await sql<NewResult>`
    select t.run_id, t.id as scenario_id, c.step_key, c.repeat_idx, source.testcase_id, source."timestamp",
      source."interval", case when c.step_key = source.step_key then source.trace_id end as trace_id
    from evaluation_scenarios t cross join ${sourceOf(run)}
    cross join rows from (jsonb_to_recordset(${toJsonb(cells as unknown as Json)}::jsonb)
      as (step_key text, repeat_idx integer)) with ordinality as c(step_key, repeat_idx, n)
    where ${scenariosOf(scope, run, slice)} and ${where} and (
      select count(*) from evaluation_results r where r.project_id = t.project_id and r.run_id = t.run_id
        and r.scenario_id = t.id and r.step_key = c.step_key and r.repeat_idx = c.repeat_idx) = 0
    order by t.id, c.n`.execute(scope.db)
  await upsertCells(
    scope,
    rows.map(row => ({ ...row, status })),
  )
  await nextTurn()
  return rows.length
}

/** Takes cells back to `pending`, with nothing of what was in them. */
async function resetCells(scope: Scope, run: RunRow, { cells, slice }: Addressed): Promise<void> {
  await sql`update evaluation_results r set status = 'pending', trace_id = null, error = null, hash_id = null,
      changed_in = pg_current_xact_id(), ${sql.join(touched(scope))}
    where r.project_id = ${scope.project_id} and r.run_id = ${run.id}
      and (r.step_key, r.repeat_idx) in ${pairsOf(cells)}
      and r.scenario_id in (select t.id from evaluation_scenarios t where ${scenariosOf(scope, run, slice)})`.execute(
    scope.db,
  )
}

/** Stores the work of scenarios, and returns all addressed scenarios that have a source. */
async function storeWork(
  scope: Scope,
  run: RunRow,
  { cells, slice: { scenario_ids, ...slice }, overwrite }: Addressed & { overwrite: boolean },
): Promise<Uuid[]> {
  const limits: TaskSlice = { ...slice, ...(overwrite && { overwrite }) }
  const task = { id: newId(), user_id: scope.user_id, ...limits } as Task
  const done = sql`(select count(*) from evaluation_results r where r.project_id = t.project_id
    and r.run_id = t.run_id and r.scenario_id = t.id and r.status = 'success'
    and (r.step_key, r.repeat_idx) in ${pairsOf(cells)})`
  const isMissing = overwrite ? sql`${cells.length} > 0` : sql`${done} < ${cells.length}`
  const { rows } = await sql<{ id: Uuid }>`with addressed as (
      select t.id, ${isMissing} as is_missing from evaluation_scenarios t cross join ${sourceOf(run)}
      where ${scenariosOf(scope, run, { scenario_ids })}
    ), given as (
      update evaluation_scenarios t set work = coalesce(t.work, '[]') || ${toJsonb([task])}::jsonb, status = 'running',
        ${sql.join(touched(scope))}
      from addressed a where t.project_id = ${scope.project_id} and t.id = a.id and a.is_missing
    ) select id from addressed`.execute(scope.db)
  return rows.map(({ id }) => id)
}

/** Lets a run that has work below it be finished when that is done. */
export const storeFinish = (scope: Scope, run_id: Uuid): Promise<void> => {
  const work: RunWork = { kind: 'finish', user_id: scope.user_id }
  return updateRows(scope, 'runs', {
    set: [sql`work = ${toJsonb(work)}::jsonb`],
    where: [sql`t.id = ${run_id}`, sql`t.work is null`],
  })
}

/** A run with work under way is running and active. */
async function startIfWorking(scope: Scope, run: RunRow): Promise<boolean> {
  const { rows } = await sql`update evaluation_runs r set status = 'running', flags = r.flags || '{"is_active": true}',
      ${sql.join(touched(scope))}
    where r.project_id = ${scope.project_id} and r.id = ${run.id} and (r.work is not null or exists (
      select from evaluation_scenarios t where t.project_id = r.project_id and t.run_id = r.id and t.work is not null))
    returning r.id`.execute(scope.db)
  if (rows.length > 0) await storeFinish(scope, run.id)
  return rows.length > 0
}
