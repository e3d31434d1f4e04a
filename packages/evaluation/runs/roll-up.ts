import type { Uuid } from '@spanhouse/model'
import { type RawBuilder, sql, toJsonb } from '@spanhouse/postgres'
import type { RunRow } from '../entities/rows.ts'
import { touched } from '../entities/write.ts'
import type { Scope } from '../scope.ts'
import { humanKeys, repeatsOf } from './run-data.ts'

/*
 * Statuses follow from what lies below: a scenario's from its cells, a run's from its scenarios. Both are computed
 * where they are stored, in one statement however many rows there are. The caller has locked the run for a change.
 */

/**
 * Computes the status of scenarios from their cells: `errors` when one has failed, else `running`, `pending` or
 * `cancelled` when one is so, else `success`. A cell that a person is to write and that is not there counts as pending.
 * Scenarios with work under way and those without any cell keep their status.
 */
export async function rollUpScenarios(scope: Scope, run: RunRow, scenarios: readonly Uuid[] | 'all'): Promise<void> {
  if (scenarios.length === 0) return
  const human = humanKeys(run)
  const repeats = repeatsOf(run)
  const isOfPeople = sql`r.repeat_idx < ${repeats} and r.step_key in (
    select jsonb_array_elements_text(${toJsonb(human)}::jsonb))`
  await sql`update evaluation_scenarios t set status = c.status, ${sql.join(touched(scope))} from (
      select r.scenario_id, case
          when bool_or(r.status in ('failure', 'errors')) then 'errors'
          when bool_or(r.status in ('running', 'queued')) then 'running'
          when bool_or(r.status = 'pending') or count(*) filter (where ${isOfPeople}) < ${human.length * repeats}
            then 'pending'
          when bool_or(r.status = 'cancelled') then 'cancelled'
          else 'success' end as status
      from evaluation_results r
      where r.project_id = ${scope.project_id} and r.run_id = ${run.id} and ${isOne(sql`r.scenario_id`, scenarios)}
      group by r.scenario_id) c
    where t.project_id = ${scope.project_id} and ${isOne(sql`t.id`, scenarios)} and t.id = c.scenario_id
      and t.work is null and t.status <> c.status`.execute(scope.db)
}

const isOne = (id: RawBuilder<unknown>, ids: readonly Uuid[] | 'all'): RawBuilder<unknown> =>
  ids === 'all'
    ? sql`true`
    : sql`${id} in (select one::uuid from jsonb_array_elements_text(${toJsonb([...ids])}::jsonb) one)`

/**
 * Updates the status of a run from its scenarios: `running` while one is executed, else `errors` if one has failed,
 * `running` if one waits for a person or client, `cancelled` if one was aborted, else `success`. All but `running` end
 * the run's activity, and a run that had ended by itself is active again when it is `running`. A run that failed as a
 * whole, one that is live, and one without scenarios keep their status.
 *
 * Which statuses there are is looked up in the index of statuses one by one, and each is found at once. `exists` would
 * do as well, but the database expects to meet a frequent status soon, and reads the whole table when none is left.
 */
export async function rollUpRun(scope: Scope, run_id: Uuid): Promise<void> {
  const isOfRun = isScenarioOf(scope, run_id)
  await sql`with recursive found(status) as (
      (select s.status from evaluation_scenarios s where ${isOfRun} order by s.status limit 1)
      union all
      select (select s.status from evaluation_scenarios s where ${isOfRun} and s.status > f.status
        order by s.status limit 1) from found f where f.status is not null)
    update evaluation_runs t
    set status = c.status, ${sql.join(touched(scope))},
      flags = case when c.status <> 'running' then t.flags || '{"is_active": false}'
        when t.status in ('success', 'errors') then t.flags || '{"is_active": true}' else t.flags end
    from (
      select case
          when bool_or(f.status in ('running', 'queued'))
            or exists (select from evaluation_scenarios s where ${isOfRun} and s.work is not null) then 'running'
          when bool_or(f.status in ('failure', 'errors')) then 'errors'
          when bool_or(f.status = 'pending') then 'running'
          when bool_or(f.status = 'cancelled') then 'cancelled'
          when count(f.status) > 0 then 'success' end as status
      from found f) c
    where t.project_id = ${scope.project_id} and t.id = ${run_id} and c.status is not null
      and t.status <> 'failure' and t.work is null and not t.flags @> '{"is_live": true}'
      and (t.status <> c.status or (c.status <> 'running' and t.flags @> '{"is_active": true}'))`.execute(scope.db)
}

/**
 * As {@link rollUpRun} after scenarios were removed: a run that is left with none has nothing to wait for any more, so
 * it has ended.
 */
export async function rollUpRemaining(scope: Scope, run_id: Uuid): Promise<void> {
  await rollUpRun(scope, run_id)
  await sql`update evaluation_runs t set status = 'success', flags = t.flags || '{"is_active": false}',
      ${sql.join(touched(scope))}
    where t.project_id = ${scope.project_id} and t.id = ${run_id} and t.status = 'running' and t.work is null
      and not t.flags @> '{"is_live": true}' and (select s.id from evaluation_scenarios s
        where ${isScenarioOf(scope, run_id)} order by s.id limit 1) is null`.execute(scope.db)
}

const isScenarioOf = ({ project_id }: Scope, run_id: Uuid): RawBuilder<unknown> =>
  sql`s.project_id = ${project_id} and s.run_id = ${run_id}`
