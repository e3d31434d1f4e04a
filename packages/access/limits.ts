import { invalid, type Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'

/** How many entries one parent may hold, because lists return all of them. */
const LIMITS = {
  organizations: { max: 100, of: 'owner_id', message: 'A user may own at most 100 organizations.' },
  workspaces: { max: 100, of: 'organization_id', message: 'An organization may have at most 100 workspaces.' },
  projects: { max: 1000, of: 'workspace_id', message: 'A workspace may have at most 1,000 projects.' },
  invitations: { max: 1000, of: 'workspace_id', message: 'A workspace may have at most 1,000 invitations.' },
  api_keys: { max: 1000, of: 'user_id', message: 'A user may have at most 1,000 API keys.' },
} as const

/** Throws a Problem `invalid` when the parent is full. Does not apply to administrators. */
export async function refuseBeyondLimit(db: Database, table: keyof typeof LIMITS, place: Uuid): Promise<void> {
  const { max, of, message } = LIMITS[table]
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.ref(of)} = ${place}`.execute(db)
  if ((rows[0]?.count ?? 0) >= max) throw invalid(message)
}
