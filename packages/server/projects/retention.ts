import { Problem, type Uuid } from '@spanhouse/model'
import type { Postgres } from '@spanhouse/postgres'
import { type Engine, setRetention } from '@spanhouse/span-store'

export interface RetentionStores {
  postgres: Postgres
  engine: Engine
}

/** For how many days a project's spans are kept after they are stored; null: forever. */
export async function projectRetention({ postgres }: RetentionStores, project_id: Uuid): Promise<number | null> {
  const project = postgres.db.selectFrom('projects').select('retention_days').where('id', '=', project_id)
  return (await project.executeTakeFirst())?.retention_days ?? null
}

/**
 * Sets for how many days a project's spans are kept after they are stored, including existing ones; null: forever.
 * Throws a Problem `not_found` if the project does not exist. If it fails half-way, calling it again completes it. Of
 * two calls at once the one whose setting is replaced may have changed spans last, so it changes them to the other one.
 */
export async function setProjectRetention(
  stores: RetentionStores,
  project_id: Uuid,
  days: number | null,
): Promise<void> {
  const { numUpdatedRows } = await stores.postgres.db
    .updateTable('projects')
    .set({ retention_days: days })
    .where('id', '=', project_id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Problem('not_found', 'The project does not exist.')
  let wanted = days
  let written: number | null
  do {
    written = wanted
    await setRetention(stores.engine, project_id, written)
    wanted = await projectRetention(stores, project_id)
  } while (wanted !== written)
}
