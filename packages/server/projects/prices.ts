import type { JsonObject, Uuid } from '@spanhouse/model'
import { type Postgres, sql, toJsonb, withDatabaseProblems } from '@spanhouse/postgres'
import type { PriceOverride } from '@spanhouse/prices'

/** Model prices of a project by model name. */
export type ProjectPrices = Record<string, PriceOverride>

type Store = Pick<Postgres, 'db'>

/** The prices set by each of the projects; projects without any are omitted. */
export async function pricesOfProjects({ db }: Store, project_ids: readonly Uuid[]): Promise<Map<Uuid, ProjectPrices>> {
  const rows = await withDatabaseProblems(() =>
    db
      .selectFrom('project_prices')
      .select(['project_id', 'prices'])
      .where('project_id', '=', sql<Uuid>`any(${project_ids}::uuid[])`)
      .execute(),
  )
  return new Map(rows.map(({ project_id, prices }) => [project_id, prices as unknown as ProjectPrices]))
}

/** Replaces all prices of a project. Throws a Problem `conflict` if the project no longer exists. */
export async function setProjectPrices(
  { db }: Store,
  { project_id, user_id }: { project_id: Uuid; user_id: Uuid },
  prices: ProjectPrices,
): Promise<void> {
  const values = { prices: toJsonb(prices as unknown as JsonObject) as string, updated_by_id: user_id }
  await withDatabaseProblems(() =>
    db
      .insertInto('project_prices')
      .values({ project_id, ...values })
      .onConflict(conflict => conflict.column('project_id').doUpdateSet({ ...values, updated_at: sql`now()` }))
      .execute(),
  )
}
