import { newId, type Postgres } from '@spanhouse/postgres'
import type { Scope } from './scope.ts'

/** A new project with its user, in a database. */
export async function newScope({ db }: Postgres): Promise<Scope> {
  const [user, organization_id, workspace_id, project_id] = [newId(), newId(), newId(), newId()]
  await db
    .insertInto('users')
    .values({ id: user, uid: user, email: `${user}@x.test`, username: 'x' })
    .execute()
  await db.insertInto('organizations').values({ id: organization_id, name: 'x', owner_id: user }).execute()
  await db.insertInto('workspaces').values({ id: workspace_id, organization_id, name: 'x' }).execute()
  await db.insertInto('projects').values({ id: project_id, organization_id, workspace_id, name: 'x' }).execute()
  const runtime = { servicesUrl: 'http://services.test', uriPrefix: 'agenta' }
  return { db, project_id, user_id: user, runtime }
}
