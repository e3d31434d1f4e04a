import { type Database, newId } from '@spanhouse/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { makeAccount } from '../account.testing.ts'
import { type Authenticator, openAuthenticator } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { insertApiKey } from '../credentials/stored-keys.ts'
import { listProjects } from '../organizations/projects.ts'
import { workspaceRights } from './rights.ts'

/** The roles of a user's memberships; null for none. */
interface Case {
  organization: string | null
  workspace: string | null
  project: string | null
  isOwner?: boolean
  role: string | null
}

const CASES: Case[] = [
  { organization: 'viewer', workspace: 'viewer', project: 'editor', role: 'editor' },
  { organization: 'owner', workspace: 'admin', project: 'viewer', role: 'viewer' },
  { organization: 'viewer', workspace: 'admin', project: null, role: null },
  { organization: 'viewer', workspace: null, project: 'admin', role: null },
  { organization: null, workspace: 'admin', project: 'admin', role: null },
  { organization: null, workspace: null, project: 'owner', role: null },
  { organization: 'owner', workspace: 'owner', project: null, role: null },
  { organization: null, workspace: null, project: null, role: null },
  { organization: null, workspace: null, project: null, isOwner: true, role: 'owner' },
  { organization: 'viewer', workspace: 'viewer', project: 'viewer', isOwner: true, role: 'owner' },
]

onEachDatabase('effective roles', postgres => {
  const db = (): Database => postgres().db
  let authenticator: Authenticator
  beforeAll(() => {
    authenticator = openAuthenticator(db(), {})
  })
  afterAll(() => authenticator.close())

  test.each(CASES)('%j is one role at every door', async one => {
    const place = await placeOf(one)
    const user_id = place.user
    const key = await insertApiKey(db(), { user_id, project_id: place.project })
    const principal = (await authenticator.authenticate(`ApiKey ${key}`, '/x')) as ProjectPrincipal
    expect(principal.role).toBe(one.role)
    expect(await workspaceRights(db(), user_id, place.workspace)).toMatchObject({ role: one.role })
    const listed = (await listProjects(db(), principal)).filter(({ project_id }) => project_id === place.project)
    expect(listed.map(({ user_role }) => user_role)).toEqual(one.role === null ? [] : [one.role])
  })

  test('a workspace without a default project goes by its own memberships', async () => {
    const place = await placeOf({ organization: 'viewer', workspace: 'admin', project: 'viewer', role: null })
    await db().updateTable('projects').set({ is_default: false }).where('id', '=', place.project).execute()
    const roleOf = async (): Promise<string | null | undefined> =>
      (await workspaceRights(db(), place.user, place.workspace))?.role
    expect(await roleOf()).toBe('admin')
    await db().deleteFrom('organization_memberships').where('user_id', '=', place.user).execute()
    expect(await roleOf()).toBeNull()
  })

  /** An organization with one workspace and project, and a user with these memberships. */
  async function placeOf({ isOwner = false, ...roles }: Case) {
    const [owner, other] = [await makeAccount(db()), await makeAccount(db())]
    const { organizations, workspaces, projects } = owner
    const place = { organization: organizations.org.id, workspace: workspaces.wrk.id, project: projects.prj.id }
    const user = (isOwner ? owner : other).user.id
    for (const table of ['organization', 'workspace', 'project'] as const) {
      const role = roles[table]
      const memberships = `${table}_memberships` as const
      await db().deleteFrom(memberships).where('user_id', '=', owner.user.id).execute()
      if (role === null) continue
      const row = { id: newId(), user_id: user, role, [`${table}_id`]: place[table] }
      await db()
        .insertInto(memberships)
        .values(row as never)
        .execute()
    }
    return { ...place, user }
  }
})
