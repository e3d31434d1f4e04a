import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { optional, z } from '@spanhouse/validation'
import type { Seed } from '../accounts/seed.ts'
import type { CredentialCache } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { refuseBeyondLimit } from '../limits.ts'
import { effectiveRole } from '../roles/effective-role.ts'
import { isManager, workspaceRights } from '../roles/rights.ts'
import { isAbove } from '../roles/roles.ts'
import { name, nameOf } from './names.ts'

/** A project as a member sees it. */
export const projectJson = z.object({
  organization_id: z.string(),
  organization_name: z.string(),
  workspace_id: z.string(),
  workspace_name: z.string(),
  project_id: z.string(),
  project_name: z.string(),
  is_default_project: z.boolean(),
  user_role: z.string().nullable(),
  is_demo: z.boolean(),
})
export type ProjectJson = z.output<typeof projectJson>

export const createProjectBody = z.object({ name, make_default: optional(z.boolean()) })
export const editProjectBody = z.object({ name: optional(name), make_default: optional(z.boolean()) })

/** `GET /projects`: the user's projects, oldest first. */
export const listProjects = (db: Database, { user_id }: ProjectPrincipal): Promise<ProjectJson[]> =>
  projectsOf(db, user_id)

/** `GET /projects/{id}`. Throws a Problem `not_found` if the user is not a member. */
export async function fetchProject(db: Database, user_id: Uuid, project_id: Uuid): Promise<ProjectJson> {
  const [project] = await projectsOf(db, user_id, project_id)
  if (project !== undefined) return project
  throw new Problem('not_found', { message: 'The project does not exist, or you are not a member of it.' })
}

/**
 * `POST /projects`: creates a seeded project in the caller's workspace. All members of the workspace become members
 * with the role they have there. Throws Problems: `forbidden` unless the caller is an admin or owner (with
 * `make_default`, of the workspace too), `invalid`.
 */
export function createProject(
  db: Database,
  principal: ProjectPrincipal,
  { body, seeds }: { body: z.output<typeof createProjectBody>; seeds: readonly Seed[] },
): Promise<ProjectJson> {
  requireManager(principal)
  const { workspace_id, organization_id, user_id } = principal
  const project = { id: newId(), name: nameOf(body.name), workspace_id, organization_id }
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockWorkspace(trx, workspace_id)
      if (body.make_default) await requireDefaultChoice(trx, user_id, { workspace_id })
      await refuseBeyondLimit(trx, 'projects', workspace_id)
      await insertProject(trx, { ...project, is_default: body.make_default ?? false, created_by_id: user_id })
      for (const seed of seeds) await seed(trx, { project_id: project.id, workspace_id, organization_id, user_id })
      return fetchProject(trx, user_id, project.id)
    }),
  )
}

/**
 * `PATCH /projects/{id}`: renames the project or makes it the workspace's default. Throws Problems: `forbidden` unless
 * the caller is an admin or owner of both their own project and this one (to make it the default, of the workspace
 * too), `not_found`, `invalid`.
 */
export function editProject(
  db: Database,
  principal: ProjectPrincipal,
  { project_id, body }: { project_id: Uuid; body: z.output<typeof editProjectBody> },
): Promise<ProjectJson> {
  requireManager(principal)
  if (body.name === undefined && body.make_default === undefined) throw invalid('name or make_default is required.')
  if (body.make_default === false)
    throw invalid('make_default cannot be false: make another project the default instead.')
  const fields = body.name === undefined ? {} : { name: nameOf(body.name) }
  const { user_id } = principal
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const project = await fetchManaged(trx, user_id, project_id)
      if (body.make_default) {
        await requireDefaultChoice(trx, user_id, project)
        await releaseDefault(trx, project.workspace_id)
      }
      await trx
        .updateTable('projects')
        .set({ ...fields, ...(body.make_default && { is_default: true }) })
        .set({ updated_at: sql`now()`, updated_by_id: user_id })
        .where('id', '=', project_id)
        .execute()
      return fetchProject(trx, user_id, project_id)
    }),
  )
}

/**
 * `DELETE /projects/{id}`: deletes a project of the caller's workspace. Requires an admin or owner. Throws Problems:
 * `forbidden`, `not_found` (also for a project of another workspace), and `invalid` for the workspace's default
 * project.
 */
export async function deleteProject(
  db: Database,
  cache: CredentialCache,
  { principal, project_id }: { principal: ProjectPrincipal; project_id: Uuid },
): Promise<{ detail: string }> {
  requireManager(principal)
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const project = await fetchManaged(trx, principal.user_id, project_id)
      if (project.workspace_id !== principal.workspace_id) {
        throw new Problem('not_found', { message: 'The project does not exist in your workspace.' })
      }
      if (project.is_default_project) throw invalid('The default project of a workspace cannot be deleted.')
      await trx.deleteFrom('projects').where('id', '=', project_id).execute()
    }),
  )
  cache.forget()
  return { detail: 'The project was deleted.' }
}

export interface NewProjectRow {
  id: Uuid
  name: string
  workspace_id: Uuid
  organization_id: Uuid
  is_default: boolean
  created_by_id: Uuid
}

/** Stores the project and adds the members of its workspace. The caller holds the workspace's lock. */
export async function insertProject(trx: Trx, project: NewProjectRow): Promise<void> {
  if (project.is_default) await releaseDefault(trx, project.workspace_id)
  await trx.insertInto('projects').values(project).execute()
  await joinMembers(trx, [project])
}

/** Makes the members of the workspaces members of these new projects in them, with the same roles. */
export async function joinMembers(
  trx: Trx,
  projects: readonly Pick<NewProjectRow, 'id' | 'workspace_id'>[],
): Promise<void> {
  if (projects.length === 0) return
  const members = await trx
    .selectFrom('workspace_memberships')
    .select(['workspace_id', 'user_id', 'role'])
    .where(
      'workspace_id',
      'in',
      projects.map(project => project.workspace_id),
    )
    .orderBy('id')
    .execute()
  const rows = projects.flatMap(({ id: project_id, workspace_id }) =>
    members
      .filter(member => member.workspace_id === workspace_id)
      .map(({ user_id, role }) => ({ id: newId(), project_id, user_id, role })),
  )
  if (rows.length > 0) await trx.insertInto('project_memberships').values(rows).execute()
}

/**
 * Serialises changes to the members, projects and default projects of these workspaces, and to the owner and members of
 * their organizations. Organizations are locked first, as by all who lock both, so that no two changes wait for each
 * other: a new member refers to the organization, a new owner to its workspaces.
 */
export async function lockWorkspaces(trx: Trx, ids: readonly Uuid[]): Promise<{ id: Uuid; organization_id: Uuid }[]> {
  const organizations = trx.selectFrom('workspaces').select('organization_id').where('id', 'in', ids)
  await trx
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', organizations)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return trx
    .selectFrom('workspaces')
    .select(['id', 'organization_id'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** As {@link lockWorkspaces}. What the change depends on, such as the rights of the caller, is to be read after it. */
export async function lockWorkspace(trx: Trx, workspace_id: Uuid): Promise<void> {
  await lockWorkspaces(trx, [workspace_id])
}

async function releaseDefault(trx: Trx, workspace_id: Uuid): Promise<void> {
  await trx
    .updateTable('projects')
    .set({ is_default: false })
    .where('workspace_id', '=', workspace_id)
    .where('is_default', '=', true)
    .execute()
}

async function fetchManaged(trx: Trx, user_id: Uuid, project_id: Uuid): Promise<ProjectJson> {
  const { workspace_id } = await fetchProject(trx, user_id, project_id)
  await lockWorkspace(trx, workspace_id)
  const project = await fetchProject(trx, user_id, project_id)
  if (isManager(project.user_role)) return project
  throw new Problem('forbidden', 'Only admins and owners of the project may do this.')
}

/** A user's role in a workspace is their role in its default project, so choosing a default project could raise it. */
async function requireDefaultChoice(
  trx: Trx,
  user_id: Uuid,
  { workspace_id, user_role = null }: { workspace_id: Uuid; user_role?: string | null },
): Promise<void> {
  const role = (await workspaceRights(trx, user_id, workspace_id))?.role ?? null
  if (!isManager(role) || isAbove(user_role, role))
    throw new Problem('forbidden', 'Only admins and owners of the workspace can choose its default project.')
}

function requireManager({ role }: ProjectPrincipal): void {
  if (!isManager(role)) throw new Problem('forbidden', 'Only admins and owners can change projects.')
}

/** The projects in which the user has a role. */
async function projectsOf(db: Database, user_id: Uuid, project_id?: Uuid): Promise<ProjectJson[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .leftJoin('project_memberships as own', join =>
      join.onRef('own.project_id', '=', 'projects.id').on('own.user_id', '=', user_id),
    )
    .select(['organizations.id as organization_id', 'organizations.name as organization_name'])
    .select(['workspaces.id as workspace_id', 'workspaces.name as workspace_name'])
    .select(['projects.id as project_id', 'projects.name as project_name'])
    .select([
      'projects.is_default as is_default_project',
      'own.is_demo',
      effectiveRole(sql`${user_id}::uuid`).as('user_role'),
    ])
    // Narrows the rows to the user's few projects first; the role is computed only for those.
    .where(either =>
      either.or([
        either('projects.id', 'in', memberships =>
          memberships.selectFrom('project_memberships').select('project_id').where('user_id', '=', user_id),
        ),
        either('projects.organization_id', 'in', owned =>
          owned.selectFrom('organizations').select('id').where('owner_id', '=', user_id),
        ),
      ]),
    )
    .$if(project_id !== undefined, query => query.where('projects.id', '=', project_id as Uuid))
    .orderBy('projects.id')
    .execute()
  return rows
    .filter(({ user_role }) => user_role !== null)
    .map(({ is_demo, ...project }) => ({ ...project, is_demo: is_demo ?? false }))
}
