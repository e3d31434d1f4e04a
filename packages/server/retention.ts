import { Problem, type Uuid } from '@spanhouse/model'
import type { Postgres } from '@spanhouse/postgres'
import { type Engine, setRetention } from '@spanhouse/span-store'

export interface RetentionStores {
  postgres: Postgres
  engine: Engine
}

/** How many days a project's spans are kept after they were stored; null: for ever. */
export async function projectRetention({ postgres }: RetentionStores, project_id: Uuid): Promise<number | null> {
  const project = postgres.db.selectFrom('projects').select('retention_days').where('id', '=', project_id)
  return (await project.executeTakeFirst())?.retention_days ?? null
}

/**
 * Keeps a project's spans for so many days after they were stored, those that are there too; null: for ever. Throws a
 * Problem `not_found` for a project that does not exist. When it fails half-way, doing it again finishes it.
 */
export async function setProjectRetention(
  { postgres, engine }: RetentionStores,
  project_id: Uuid,
  days: number | null,
): Promise<void> {
  const { numUpdatedRows } = await postgres.db
    .updateTable('projects')
    .set({ retention_days: days })
    .where('id', '=', project_id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Problem('not_found', 'The project does not exist.')
  await setRetention(engine, project_id, days)
}
