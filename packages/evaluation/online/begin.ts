import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { isAmong } from '../entities/conditions.ts'
import type { Scope } from '../scope.ts'

/** A live run that starts evaluates what is stored from now on. One that was started already goes on where it is. */
export const beginOnline = async ({ db, project_id }: Scope, run_id: Uuid): Promise<void> => {
  await sql`insert into evaluation_online_runs (project_id, run_id, started_at, looked_until)
    values (${project_id}, ${run_id}, now(), now()) on conflict (project_id, run_id) do nothing`.execute(db)
}

/** Runs that were stopped or closed do not come back to what is stored meanwhile. */
export const endOnline = async ({ db, project_id }: Scope, run_ids: readonly Uuid[]): Promise<void> => {
  await sql`delete from evaluation_online_runs t
    where t.project_id = ${project_id} and ${isAmong('run_id', run_ids, 'uuid')}`.execute(db)
}
