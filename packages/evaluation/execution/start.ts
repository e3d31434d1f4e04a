import type { Json, Uuid } from '@spanhouse/model'
import { type RawBuilder, sql, toJsonb } from '@spanhouse/postgres'
import { inTransaction, KINDS, testcaseIdsAt } from '@spanhouse/registry'
import { isAmong } from '../entities/conditions.ts'
import type { Status } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { findRow } from '../entities/select.ts'
import { updateRows } from '../entities/write.ts'
import { beginOnline, endOnline } from '../online/begin.ts'
import type { RunFlags } from '../runs/flags.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { rollUpRemaining, rollUpScenarios } from '../runs/roll-up.ts'
import { stepsOf } from '../runs/run-data.ts'
import { forgetWork, setClosed } from '../runs/runs.ts'
import { type RunWork, registryScope, type Scope } from '../scope.ts'
import { addMissing, enqueue } from './enqueue.ts'
import { mintScenarios, type Source } from './mint.ts'
import { planWork } from './plan.ts'
import { verdictOf } from './topology.ts'

/**
 * Starts a run: it becomes active and `running`, and its work is stored for workers to claim. A graph that the server
 * cannot execute ends the run: `failure`, inactive and closed. Existing scenarios get their missing cells and are not
 * created again. Undefined: the run does not exist. Throws a 409 if it is closed.
 */
export async function startRun(scope: Scope, id: Uuid): Promise<RunRow | undefined> {
  const started = await inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, id, 'change')
    return run && startLockedRun(inside, run)
  })
  if (started) announce(scope, id)
  return started
}

/** Tells workers that there may be something to do. To be called after the commit. */
export const announce = ({ dispatcher, project_id }: Scope, id: Uuid): void => dispatcher?.start({ project_id, id })

/** As {@link startRun} for a run that is locked for a change and open, without telling anybody. */
export async function startLockedRun(scope: Scope, run: RunRow): Promise<RunRow> {
  const verdict = verdictOf(run.flags, stepsOf(run))
  if (verdict === 'refused') {
    await setClosed(scope, [run.id], { isClosed: true, status: 'failure' })
  } else {
    await setRun(scope, run, { status: 'running', flags: { is_active: true } })
    if (verdict === 'testsets') await startTestsets(scope, run)
    else if (verdict === 'queries') await startQueries(scope, run)
    else {
      if (verdict === 'live') await beginOnline(scope, run.id)
      await enqueue(scope, run, {})
    }
  }
  return (await findRow(scope, 'runs', run.id)) as RunRow
}

/** A caller executes the run: it is active, and nothing is stored for workers. */
export async function activateLockedRun(scope: Scope, run: RunRow): Promise<RunRow> {
  await setRun(scope, run, { status: 'running', flags: { is_active: true } })
  return (await findRow(scope, 'runs', run.id)) as RunRow
}

const setRun = (
  scope: Scope,
  { id }: RunRow,
  { status, flags }: { status: Status; flags: Partial<RunFlags> },
): Promise<void> =>
  updateRows(scope, 'runs', {
    set: [sql`status = ${status}`, sql`flags = t.flags || ${toJsonb(flags)}::jsonb`],
    where: [sql`t.id = ${id}`],
  })

/**
 * One scenario for each testcase of the pinned revisions, in their order; without a single testcase the run has failed.
 */
async function startTestsets(scope: Scope, run: RunRow): Promise<void> {
  const sources: Source[] = []
  for (const { key, id } of await newTestsets(scope, run)) {
    const ids = await testcaseIdsAt(registryScope(scope, KINDS.testset), { revision: { id } })
    if (!ids || ids.length === 0) {
      await setRun(scope, run, { status: 'failure', flags: { is_active: false } })
      return
    }
    for (const testcase_id of ids) sources.push({ step_key: key, testcase_id })
  }
  await mintScenarios(scope, run, sources)
  await enqueueOld(scope, run, sources.length)
}

/** New scenarios have their work. If the run had scenarios before, their missing cells are added too. */
async function enqueueOld(scope: Scope, run: RunRow, minted: number): Promise<void> {
  const [row] = (
    await sql<{ count: number }>`select count(*)::int as count from evaluation_scenarios t
      where t.project_id = ${scope.project_id} and t.run_id = ${run.id}`.execute(scope.db)
  ).rows
  if ((row?.count ?? 0) > minted) await enqueue(scope, run, {})
}

/**
 * The testset steps without scenarios. None if a client is filling the scenarios of the run. `offset` keeps the cells of
 * each scenario a look-up of their own: of a new run the database expects one cell, and joined all with every scenario.
 */
async function newTestsets(scope: Scope, run: RunRow): Promise<{ key: string; id: Uuid }[]> {
  const steps = stepsOf(run).flatMap(({ type, key, references }) => {
    const id = references.testset_revision?.id
    return type === 'input' && id !== undefined ? [{ key, id }] : []
  })
  const { rows } = await sql<{ step_key: string | null }>`
    select distinct r.step_key from evaluation_scenarios t
    left join lateral (
      select c.step_key from evaluation_results c
      where c.project_id = t.project_id and c.run_id = t.run_id and c.scenario_id = t.id
        and c.step_key in (select jsonb_array_elements_text(${toJsonb(steps.map(({ key }) => key))}::jsonb)) offset 0
    ) r on true
    where t.project_id = ${scope.project_id} and t.run_id = ${run.id}`.execute(scope.db)
  const known = new Set(rows.map(({ step_key }) => step_key))
  return known.has(null) ? [] : steps.filter(({ key }) => !known.has(key))
}

/** Workers execute the query, because only they read traces; traces that were found before are skipped. */
async function startQueries(scope: Scope, run: RunRow): Promise<void> {
  const { rows } = await sql`select from evaluation_scenarios t
    where t.project_id = ${scope.project_id} and t.run_id = ${run.id} limit 1`.execute(scope.db)
  if (rows.length > 0) {
    await enqueue(scope, run, {})
    return
  }
  const work: RunWork = { kind: 'mint', user_id: scope.user_id }
  await updateRows(scope, 'runs', { set: [sql`work = ${toJsonb(work)}::jsonb`], where: [sql`t.id = ${run.id}`] })
}

/** Scenarios that one transaction cuts off: each may have many cells, and others have their turn in between. */
const CUT_MAX = 500

/**
 * Ends a run's activity. Planned cells that are not finished become `cancelled`, and so does the run if there were any,
 * unless it is open for further batches. Finished cells, and those that wait for people or clients, keep their status;
 * a run of which only metrics were missing gets the status that follows from its cells.
 * The run ends at once; what is left to do if its cells take too long is done by the next call. Undefined: the run does
 * not exist. Throws a 409 if it is closed.
 */
export async function stopRun(scope: Scope, id: Uuid): Promise<RunRow | undefined> {
  for (;;) {
    const stopped = await inTransaction(scope, async inside => {
      const run = await lockOpenRun(inside, id, 'change')
      if (!run) return undefined
      await endOnline(inside, [id])
      return stopLockedRun(inside, run, CUT_MAX)
    })
    if (!stopped?.hasMore) return stopped?.run
  }
}

/**
 * As {@link stopRun} for a run that is locked for a change and open. Cuts off at most `max` scenarios and says whether
 * there are more: workers no longer find them.
 */
export async function stopLockedRun(
  scope: Scope,
  run: RunRow,
  max?: number,
): Promise<{ run: RunRow; hasMore: boolean }> {
  const { rows } = await sql<{ id: Uuid | null; kind: RunWork['kind'] | null }>`
    (select t.id, null as kind from evaluation_scenarios t
      where t.project_id = ${scope.project_id} and t.run_id = ${run.id} and t.work is not null
      order by t.id ${max === undefined ? sql`` : sql`limit ${max + 1}`})
    union all select null, r.work ->> 'kind' from evaluation_runs r
      where r.project_id = ${scope.project_id} and r.id = ${run.id} and r.work is not null`.execute(scope.db)
  const working = rows.flatMap(({ id }) => id ?? [])
  const kind = rows.find(one => one.id === null)?.kind
  const cut = working.slice(0, max)
  const hasMore = working.length > cut.length
  const isOpen = verdictOf(run.flags, stepsOf(run)) === 'open'
  const isCut = !isOpen && (kind === 'mint' || (await someAreUnfinished(scope, run, cut)))
  await cancelCells(scope, run, cut)
  await forgetWork(scope, [run.id], cut)
  await rollUpScenarios(scope, run, cut)
  await setRun(scope, run, { status: isCut ? 'cancelled' : run.status, flags: { is_active: false } })
  // Only metrics were to come, after which its status would have followed; unless an earlier part was cut off.
  const wasEnding = (kind === 'finish' || cut.length > 0) && run.status !== 'cancelled'
  if (wasEnding && !hasMore && !isCut && !isOpen) await rollUpRemaining(scope, run.id)
  return { run: (await findRow(scope, 'runs', run.id)) as RunRow, hasMore }
}

/**
 * Whether a task of these scenarios has a cell that is not executed. A scenario whose cells are all there still has its
 * task until its metrics are computed. Of cells that are executed once more, those count that were written after the
 * task was stored, which is when the scenario was changed last.
 */
async function someAreUnfinished(scope: Scope, run: RunRow, scenario_ids: Uuid[]): Promise<boolean> {
  if (scenario_ids.length === 0) return false
  const cells = planWork(run).filter(({ does }) => does === 'execute')
  const isAddressed = (limit: string, value: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(task -> ${limit} is null or task -> ${limit} @> to_jsonb(${value}))`
  const { rows } = await sql`select from evaluation_scenarios t cross join jsonb_array_elements(t.work) task
    cross join jsonb_to_recordset(${toJsonb(cells as unknown as Json)}::jsonb) as c(step_key text, repeat_idx integer)
    where t.project_id = ${scope.project_id} and t.id = any(${scenario_ids}::uuid[])
      and ${isAddressed('step_keys', sql`c.step_key`)} and ${isAddressed('repeat_idxs', sql`c.repeat_idx`)} and (
        select count(*) from evaluation_results r where r.project_id = t.project_id and r.run_id = t.run_id
          and r.scenario_id = t.id and r.step_key = c.step_key and r.repeat_idx = c.repeat_idx
          and (r.status = 'success' and not task @> '{"overwrite": true}'
            or r.status in ('success', 'failure') and r.updated_at >= coalesce(t.updated_at, t.created_at))) = 0
    limit 1`.execute(scope.db)
  return rows.length > 0
}

/** Writes the cells that were to be executed and are not there, and takes those that are under way back. */
async function cancelCells(scope: Scope, run: RunRow, scenario_ids: Uuid[]): Promise<void> {
  if (scenario_ids.length === 0) return
  const cells = planWork(run).filter(({ does }) => does === 'execute')
  await addMissing(scope, run, { cells, slice: { scenario_ids }, status: 'cancelled' })
  await updateRows(scope, 'results', {
    set: [sql`status = 'cancelled'`, sql`changed_in = pg_current_xact_id()`],
    where: [
      sql`t.run_id = ${run.id}`,
      isAmong('scenario_id', scenario_ids, 'uuid'),
      sql`t.status in ('queued', 'running')`,
    ],
  })
}
