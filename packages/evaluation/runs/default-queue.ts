import { newId, sql } from '@spanhouse/postgres'
import { isAmong } from '../entities/conditions.ts'
import type { RunRow } from '../entities/rows.ts'
import { insertRows, touched, updateRows } from '../entities/write.ts'
import type { Scope } from '../scope.ts'

const IS_DEFAULT = sql`t.flags @> '{"is_default": true}'`

/**
 * Gives each run with a human step its default queue, named after the run: the archived one that it had, or a new one.
 * To be called with the runs locked; `is_queue` is then true of them.
 */
export async function ensureDefaultQueues(scope: Scope, runs: readonly RunRow[]): Promise<void> {
  if (runs.length === 0) return
  const ids = runs.map(({ id }) => id)
  await sql`update evaluation_queues q set deleted_at = null, deleted_by_id = null, ${sql.join(touched(scope))}
    where q.project_id = ${scope.project_id} and q.id in (
      select distinct on (t.run_id) t.id from evaluation_queues t
      where t.project_id = ${scope.project_id} and ${isAmong('run_id', ids, 'uuid')} and ${IS_DEFAULT}
        and t.deleted_at is not null and not exists (${liveDefault})
      order by t.run_id, t.id desc)`.execute(scope.db)
  const { rows } = await sql<{ run_id: string }>`select t.run_id from evaluation_queues t
    where t.project_id = ${scope.project_id} and ${isAmong('run_id', ids, 'uuid')} and ${IS_DEFAULT}
      and t.deleted_at is null`.execute(scope.db)
  const having = new Set(rows.map(({ run_id }) => run_id))
  const lacking = runs.filter(({ id }) => !having.has(id))
  await insertRows(scope, 'queues', {
    columns: ['id', 'run_id', 'name', 'status', 'flags', 'data'],
    rows: lacking.map(({ id, name }) => ({
      id: newId(),
      run_id: id,
      name,
      status: 'running',
      flags: { is_sequential: false, is_default: true },
      data: {},
    })),
  })
}

const liveDefault = sql`select from evaluation_queues o where o.project_id = t.project_id and o.run_id = t.run_id
  and o.flags @> '{"is_default": true}' and o.deleted_at is null`

/** Archives the default queues of runs whose last human step has gone. */
export async function archiveDefaultQueues(scope: Scope, runs: readonly RunRow[]): Promise<void> {
  if (runs.length === 0) return
  await updateRows(scope, 'queues', {
    set: [sql`deleted_at = now()`, sql`deleted_by_id = ${scope.user_id}::uuid`],
    where: [
      isAmong(
        'run_id',
        runs.map(({ id }) => id),
        'uuid',
      ),
      IS_DEFAULT,
      sql`t.deleted_at is null`,
    ],
  })
}
