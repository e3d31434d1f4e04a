import type { Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql } from '@spanhouse/postgres'
import type { Status } from '../entities/fields.ts'
import type { RunWork, Task, TaskSlice } from '../scope.ts'
import type { Membership } from './membership.ts'

/** A scenario that a worker has claimed, with its first task. */
export interface Claimed {
  id: Uuid
  task: Task & TaskSlice
  timestamp: string | null
  interval: number | null
  /** Whether another worker, or this one before it left the run, had claimed it and did not finish. */
  isTakenOver: boolean
}

/** Whether `t` can be claimed: it is not claimed, or its worker has left the run or died. */
const isFree = (run_id: RawBuilder<unknown>): RawBuilder<unknown> => sql`(t.claimed_by is null or not exists (
  select from evaluation_workers w where w.project_id = t.project_id and w.run_id = ${run_id}
    and w.worker_id = t.claimed_by and w.alive_until > now()))`

/**
 * Claims scenarios of a run that have work, in the order of their ids, the first after the given one. Rows that others
 * are about to claim are passed over.
 */
export async function claimScenarios(
  db: Database,
  { project_id, run_id, worker_id }: Membership,
  { after, count }: { after: Uuid | null; count: number },
): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`with free as (
      select t.id, t.claimed_by from evaluation_scenarios t
      where t.project_id = ${project_id} and t.run_id = ${run_id} and t.work is not null
        and (${after}::uuid is null or t.id > ${after}::uuid) and ${isFree(sql`t.run_id`)}
      order by t.id limit ${count} for no key update of t skip locked
    ), claimed as (
      update evaluation_scenarios t set claimed_by = ${worker_id} from free
      where t.project_id = ${project_id} and t.id = free.id
      returning t.id, t.work -> 0 as task, t."timestamp", t."interval", free.claimed_by is not null as "isTakenOver"
    ) select * from claimed order by id`.execute(db)
  return rows
}

/** A cell as far as its execution depends on it. */
export interface StoredCell {
  scenario_id: Uuid
  step_key: string
  repeat_idx: number
  status: Status
  trace_id: Uuid | null
  testcase_id: Uuid | null
}

/** The cells that there are of these scenarios. */
export async function cellsOfScenarios(
  db: Database,
  { project_id, run_id }: Membership,
  ids: readonly Uuid[],
): Promise<StoredCell[]> {
  const { rows } = await sql<StoredCell>`
    select r.scenario_id, r.step_key, r.repeat_idx, r.status, r.trace_id, r.testcase_id from evaluation_results r
    where r.project_id = ${project_id} and r.run_id = ${run_id} and r.scenario_id = any(${ids}::uuid[])`.execute(db)
  return rows
}

/** A run that workers have something to do for. */
export interface WorkingRun {
  project_id: Uuid
  id: Uuid
  work: RunWork
  is_live: boolean
}

/** Every run with work, in the order of their ids. */
export async function runsWithWork(db: Database): Promise<WorkingRun[]> {
  const { rows } = await sql<WorkingRun>`
    select t.project_id, t.id, t.work, t.flags @> '{"is_live": true}' as is_live
    from evaluation_runs t where t.work is not null order by t.id`.execute(db)
  return rows
}

/** Claims the work of the run as a whole; undefined when it has none of this kind, or another worker does it. */
export async function claimRun(
  db: Database,
  { project_id, run_id, worker_id }: Membership,
  kind: RunWork['kind'],
): Promise<RunWork | undefined> {
  const { rows } = await sql<{ work: RunWork }>`update evaluation_runs t set claimed_by = ${worker_id}
    where t.project_id = ${project_id} and t.id = ${run_id} and t.work ->> 'kind' = ${kind}
      and (t.claimed_by = ${worker_id} or ${isFree(sql`t.id`)})
      and not exists (select from evaluation_scenarios s where s.project_id = t.project_id and s.run_id = t.id
        and s.work is not null)
    returning t.work`.execute(db)
  return rows[0]?.work
}
