import { sql } from '@spanhouse/postgres'
import { type Condition, equals } from '../entities/conditions.ts'
import type { Scope } from '../scope.ts'

/** Cells that failed for the same reason. */
export interface FailureGroup {
  step_key: string
  /** The message of the error, in which each number and each id is a `#`. */
  reason: string
  scenarios: number
}

const GROUPS_MAX = 50
const REASON_CHARACTERS = 300

/** Messages of one cause differ in the ids and amounts that they name. */
const REASON = sql`left(regexp_replace(coalesce(t.error ->> 'message', t.error ->> 'type', t.status),
  '[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*|[0-9]+([.,][0-9]+)*', '#', 'g'), ${REASON_CHARACTERS})`
const HAS_FAILED = sql`t.status in ('failure', 'errors')`

/** Why cells of a run failed, the most frequent reason first. */
export async function findFailures({ db, project_id }: Scope, run_id: string): Promise<FailureGroup[]> {
  const { rows } = await sql<FailureGroup>`
    select t.step_key, ${REASON} as reason, count(distinct t.scenario_id)::int as scenarios from evaluation_results t
    where t.project_id = ${project_id} and ${equals('run_id', run_id, 'uuid')} and ${HAS_FAILED}
    group by 1, 2 order by 3 desc, 1, 2 limit ${GROUPS_MAX}`.execute(db)
  return rows
}

/** Whether a scenario `s` has a cell that failed for a reason. */
export const hasFailedFor = ({ step_key, reason }: Pick<FailureGroup, 'step_key' | 'reason'>): Condition =>
  sql`exists (select from evaluation_results t where t.project_id = s.project_id and t.run_id = s.run_id
    and t.scenario_id = s.id and t.step_key = ${step_key} and ${HAS_FAILED} and ${REASON} = ${reason})`
