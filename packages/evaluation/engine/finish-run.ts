import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { isAmong } from '../entities/conditions.ts'
import { findRow } from '../entities/select.ts'
import { updateRows } from '../entities/write.ts'
import { verdictOf } from '../execution/topology.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { rollUpRemaining } from '../runs/roll-up.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { MetricsPlace, RunWork, Scope } from '../scope.ts'
import { claimRun } from './claims.ts'
import type { EngineParts } from './doors.ts'
import { measure } from './measure.ts'
import type { Membership } from './membership.ts'

/**
 * Ends what was started of a run once none of its scenarios has work: computes its metrics, and those of scenarios that
 * an earlier start has left without, then lets its status follow. Does nothing while scenarios have work, or when
 * another worker does it. A run that was closed meanwhile stays as it is. If the signal aborts, the work stays for
 * another worker.
 */
export async function finishRun(parts: EngineParts, membership: Membership, signal: AbortSignal): Promise<void> {
  const { db, runtime } = parts
  const { project_id, run_id } = membership
  const work = await claimRun(db, membership, 'finish')
  if (!work) return
  const scope: Scope = { db, runtime, project_id, user_id: work.user_id }
  const places = parts.metrics ? [...(await unmeasured(scope, run_id)), { run_id }] : []
  await measure(parts, membership, { places, user_id: work.user_id, signal })
  if (!signal.aborted) await endWork(scope, membership, work)
}

/** As many as workers leave behind; what is left then is computed by a refresh. */
const UNMEASURED_MAX = 10_000

/**
 * The scenarios of a batch that have traces and no metrics: the run was stopped when only these were missing. Runs that
 * are open or live have an end after each of their batches, so they are not looked through.
 */
async function unmeasured(scope: Scope, run_id: Uuid): Promise<MetricsPlace[]> {
  const run = await findRow(scope, 'runs', run_id)
  if (!run || !['testsets', 'queries'].includes(verdictOf(run.flags, stepsOf(run)))) return []
  const { rows } = await sql<{ scenario_id: Uuid }>`select t.id as scenario_id from evaluation_scenarios t
    where t.project_id = ${scope.project_id} and t.run_id = ${run_id} and (
        select count(*) from evaluation_metrics m where m.project_id = t.project_id and m.run_id = t.run_id
          and m.scenario_id = t.id) = 0
      and (select count(*) from evaluation_results r where r.project_id = t.project_id and r.run_id = t.run_id
        and r.scenario_id = t.id and r.trace_id is not null) > 0
    order by t.id limit ${UNMEASURED_MAX}`.execute(scope.db)
  return rows.map(({ scenario_id }) => ({ run_id, scenario_id }))
}

/**
 * Takes the work of a run away, unless it has been given other work meanwhile. A run whose scenarios were all removed
 * while it ran has ended as well: no scenario will ever end it.
 */
const endWork = (scope: Scope, { run_id, worker_id }: Membership, { kind }: RunWork): Promise<void> =>
  inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, run_id, 'change')
    if (!run) return
    const { rows } = await sql`update evaluation_runs t set work = null, claimed_by = null
      where t.project_id = ${scope.project_id} and t.id = ${run_id} and t.claimed_by = ${worker_id}
        and t.work ->> 'kind' = ${kind} and not exists (select from evaluation_scenarios s
          where s.project_id = t.project_id and s.run_id = t.id and s.work is not null)
      returning t.id`.execute(inside.db)
    if (rows.length > 0) await rollUpRemaining(inside, run_id)
  })

/** Gives a run without scenarios its status, and ends its activity. */
export const endRun = (scope: Scope, run_id: string, status: 'success' | 'failure'): Promise<void> =>
  updateRows(scope, 'runs', {
    set: [sql`status = ${status}`, sql`flags = t.flags || '{"is_active": false}'`],
    where: [isAmong('id', [run_id], 'uuid')],
  })
