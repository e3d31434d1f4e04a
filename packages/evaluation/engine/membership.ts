import type { Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'

/** A run, and a worker that works on it. */
export interface Membership {
  project_id: Uuid
  run_id: Uuid
  worker_id: Uuid
}

/** How long a worker counts as alive after it was last heard of: a worker that dies is followed after that. */
const LEASE_SECONDS = 15
/** How often it is heard of. */
export const HEARTBEAT_MS = 1_000

/**
 * Joins a run with as many calls as it wants and the run has left, or takes more when it has joined before. Returns how
 * many calls it may have under way in all: none means that the run's limit is used up by others.
 */
export function joinRun(
  db: Database,
  { project_id, run_id, worker_id }: Membership,
  { wanted, batchSize }: { wanted: number; batchSize: number },
): Promise<number> {
  return db.transaction().execute(async trx => {
    // Workers join one at a time, so that the sum below is right.
    const run = await sql`select from evaluation_runs where project_id = ${project_id} and id = ${run_id}
      and work is not null for no key update`.execute(trx)
    if (run.rows.length === 0) return 0
    const { rows } = await sql<{ calls: number }>`
      insert into evaluation_workers as t (project_id, run_id, worker_id, calls, alive_until)
      select ${project_id}, ${run_id}, ${worker_id}, least(${wanted}::integer, ${batchSize}::integer - taken),
        now() + ${LEASE_SECONDS} * interval '1 second'
      from (select coalesce(sum(w.calls), 0)::integer as taken from evaluation_workers w
        where w.project_id = ${project_id} and w.run_id = ${run_id} and w.worker_id <> ${worker_id}
          and w.alive_until > now()) others
      where taken < ${batchSize}::integer
      on conflict (project_id, run_id, worker_id)
        do update set calls = greatest(t.calls, excluded.calls), alive_until = excluded.alive_until
      returning t.calls`.execute(trx)
    return rows[0]?.calls ?? 0
  })
}

/** Prolongs the lease. False when the worker is no longer a member: the run was stopped, closed or deleted. */
export async function stayInRun(db: Database, { project_id, run_id, worker_id }: Membership): Promise<boolean> {
  const { rows } = await sql`update evaluation_workers
    set alive_until = now() + ${LEASE_SECONDS} * interval '1 second'
    where project_id = ${project_id} and run_id = ${run_id} and worker_id = ${worker_id} returning run_id`.execute(db)
  return rows.length > 0
}

/** Releases everything that the worker holds of the run: its calls, and claimed scenarios that are not finished. */
export async function leaveRun(db: Database, { project_id, run_id, worker_id }: Membership): Promise<void> {
  await sql`delete from evaluation_workers
    where project_id = ${project_id} and run_id = ${run_id} and worker_id = ${worker_id}`.execute(db)
}
