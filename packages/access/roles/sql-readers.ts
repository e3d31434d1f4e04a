import type { Uuid } from '@spanhouse/model'
import { type Database, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { effectiveRole } from './effective-role.ts'
import { type Permission, permissionsOf } from './roles.ts'

/** What it takes to make the SQL reader of a project, and to keep it. */
export const SQL_READER_PERMISSION: Permission = 'edit_organization'

/** A project's SQL reader, and who knows its password. */
export interface MadeSqlReader {
  project_id: Uuid
  user_id: Uuid
}

/** Records who knows the password of the project's SQL reader. */
export async function noteSqlReader(db: Database, { project_id, user_id }: MadeSqlReader): Promise<void> {
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

/** The SQL readers that were made by a user who may not make them any more. */
export async function findLostSqlReaders(db: Database): Promise<MadeSqlReader[]> {
  const rows = await db
    .selectFrom('sql_readers')
    .innerJoin('projects', 'projects.id', 'sql_readers.project_id')
    .innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select(['sql_readers.project_id', 'sql_readers.user_id'])
    .select(effectiveRole(sql.ref('sql_readers.user_id')).as('role'))
    .execute()
  return rows.filter(({ role }) => !permissionsOf(role).has(SQL_READER_PERMISSION))
}

/** Forgets who knows the passwords of readers that are removed, unless another user has made the reader meanwhile. */
export async function forgetSqlReaders(db: Database, readers: readonly MadeSqlReader[]): Promise<void> {
  const pairs = readers.map(({ project_id, user_id }) => sql`(${project_id}::uuid, ${user_id}::uuid)`)
  await sql`delete from sql_readers where (project_id, user_id) in (${sql.join(pairs)})`.execute(db)
}
