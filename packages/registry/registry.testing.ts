import { newId, type Postgres } from '@spanhouse/postgres'
import type { KindName, Scope } from './kind.ts'
import { KINDS } from './kinds.ts'

/** A new project, with a scope for each kind. */
export async function newScope({ db }: Postgres): Promise<(kind: KindName, more?: Partial<Scope>) => Scope> {
  const ids = { user: newId(), organization: newId(), workspace: newId(), project: newId() }
  await db
    .insertInto('users')
    .values({ id: ids.user, uid: ids.user, email: `${ids.user}@x.test`, username: 'x' })
    .execute()
  await db.insertInto('organizations').values({ id: ids.organization, name: 'x', owner_id: ids.user }).execute()
  const organization_id = ids.organization
  await db.insertInto('workspaces').values({ id: ids.workspace, organization_id, name: 'x' }).execute()
  const workspace_id = ids.workspace
  await db.insertInto('projects').values({ id: ids.project, organization_id, workspace_id, name: 'x' }).execute()
  const runtime = { servicesUrl: 'http://services.test', uriPrefix: 'agenta' }
  return (kind, more) => ({
    db,
    project_id: ids.project,
    user_id: ids.user,
    kind: KINDS[kind],
    runtime,
    mayDeploy: true,
    ...more,
  })
}
