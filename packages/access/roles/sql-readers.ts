import type { Uuid } from '@spanhouse/model'
import { type Database, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { effectiveRole } from './effective-role.ts'
import { type Permission, permissionsOf } from './roles.ts'

/** What it takes to make the SQL reader of a project, and to keep it. */
export const SQL_READER_PERMISSION: Permission = 'edit_organization'

/** Records who knows the password of the project's SQL reader. */
export async function noteSqlReader(
  db: Database,
  { project_id, user_id }: { project_id: Uuid; user_id: Uuid },
): Promise<void> {
  await withDatabaseProblems(() =>
    db
      .insertInto('sql_readers')
      .values({ project_id, user_id })
      .onConflict(conflict => conflict.column('project_id').doUpdateSet({ user_id }))
      .execute(),
  )
}

/** Who knows the password of the project's SQL reader, if it has one. */
export async function makerOfSqlReader(db: Database, project_id: Uuid): Promise<Uuid | undefined> {
  const query = db.selectFrom('sql_readers').select('user_id').where('project_id', '=', project_id)
  return (await query.executeTakeFirst())?.user_id
}

/** The projects whose SQL reader was made by a user who may not make it any more. */
export async function findLostSqlReaders(db: Database): Promise<Uuid[]> {
  const rows = await db
    .selectFrom('sql_readers')
    .innerJoin('projects', 'projects.id', 'sql_readers.project_id')
    .innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select(['sql_readers.project_id', effectiveRole(sql.ref('sql_readers.user_id')).as('role')])
    .execute()
  return rows.filter(({ role }) => !permissionsOf(role).has(SQL_READER_PERMISSION)).map(row => row.project_id)
}

/** Forgets who knows the passwords of readers that are removed. */
export async function forgetSqlReaders(db: Database, project_ids: readonly Uuid[]): Promise<void> {
  await db.deleteFrom('sql_readers').where('project_id', 'in', project_ids).execute()
}
