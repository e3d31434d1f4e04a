import { Problem, type Uuid } from '@spanhouse/model'
import { type Insertable, newId, type Tables, type Trx } from '@spanhouse/postgres'
import type { AccountRows } from '../accounts/account-rows.ts'
import { joinMembers, lockWorkspaces } from '../organizations/projects.ts'
import type { GraphWork } from './graph-work.ts'

type WorkspaceRow = Insertable<Tables['workspaces']>
type ProjectRow = AccountRows['project']

/** An organization gets at most one workspace this way: if it already has one, that one is returned. */
export async function putWorkspaces({ trx, body, resolve }: GraphWork): Promise<Map<string, WorkspaceRow>> {
  const wanted = [...(body.workspaces ?? [])].map(([key, { name, slug, organization_ref }]) => {
    return { key, row: { id: newId(), name, slug, organization_id: resolve('organizations', organization_ref) } }
  })
  if (wanted.length === 0) return new Map()
  const byOrganization = await existingWorkspaces(
    trx,
    wanted.map(({ row }) => row.organization_id),
  )
  const fresh: WorkspaceRow[] = []
  const rows = new Map<string, WorkspaceRow>()
  for (const { key, row } of wanted) {
    const existing = byOrganization.get(row.organization_id)
    rows.set(key, existing ?? row)
    if (existing !== undefined) continue
    byOrganization.set(row.organization_id, row)
    fresh.push(row)
  }
  if (fresh.length > 0) await trx.insertInto('workspaces').values(fresh).execute()
  return rows
}

/**
 * The oldest workspace of each organization. Locks the organizations, so that two concurrent requests create only one.
 */
async function existingWorkspaces(trx: Trx, organizations: Uuid[]): Promise<Map<Uuid, WorkspaceRow>> {
  await trx
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', organizations)
    .orderBy('id')
    .forUpdate()
    .execute()
  const rows = await trx
    .selectFrom('workspaces')
    .select(['id', 'name', 'slug', 'organization_id'])
    .where('organization_id', 'in', organizations)
    .orderBy('id', 'desc')
    .execute()
  // The last row with a given key wins: the oldest.
  return new Map(rows.map(row => [row.organization_id, row]))
}

/** The first project of a workspace becomes its default, and so does one with `is_default`. */
export async function putProjects(work: GraphWork): Promise<Map<string, ProjectRow>> {
  const wanted = await wantedProjects(work)
  if (wanted.length === 0) return new Map()
  const { trx, settings } = work
  const workspaces = wanted.map(({ row }) => row.workspace_id)
  const defaults = await defaultsOf(trx, workspaces)
  const rows = new Map<string, ProjectRow>()
  const [fresh, released]: [ProjectRow[], Uuid[]] = [[], []]
  for (const { key, row, isAsked } of wanted) {
    const existing = defaults.get(row.workspace_id)
    if (settings.reuseProjects && existing !== undefined) {
      rows.set(key, existing)
      continue
    }
    row.is_default = existing === undefined || isAsked
    if (existing !== undefined && isAsked) {
      existing.is_default = false
      released.push(existing.id)
    }
    if (row.is_default) defaults.set(row.workspace_id, row)
    rows.set(key, row)
    fresh.push(row)
  }
  if (released.length > 0)
    await trx.updateTable('projects').set({ is_default: false }).where('id', 'in', released).execute()
  if (fresh.length > 0) await trx.insertInto('projects').values(fresh).execute()
  if (settings.joinMembers) await joinMembers(trx, fresh)
  await seedProjects(work, fresh)
  return rows
}

interface WantedProject {
  key: string
  row: ProjectRow
  isAsked: boolean
}

/** Throws a Problem `invalid` for a workspace of another organization. Locks the workspaces. */
async function wantedProjects({ trx, body, resolve }: GraphWork): Promise<WantedProject[]> {
  const wanted = [...(body.projects ?? [])].map(([key, { name, organization_ref, workspace_ref, is_default }]) => {
    const organization_id = resolve('organizations', organization_ref)
    const row = {
      id: newId(),
      name,
      organization_id,
      workspace_id: resolve('workspaces', workspace_ref),
      is_default: false,
    }
    return { key, row, isAsked: is_default === true }
  })
  if (wanted.length === 0) return []
  const workspaces = await lockWorkspaces(
    trx,
    wanted.map(({ row }) => row.workspace_id),
  )
  const organizations = new Map(workspaces.map(({ id, organization_id }) => [id, organization_id]))
  const stray = wanted.find(({ row }) => organizations.get(row.workspace_id) !== row.organization_id)?.row
  if (stray === undefined) return wanted
  throw new Problem('invalid', { message: 'The workspace belongs to another organization.', ref: stray.workspace_id })
}

async function defaultsOf(trx: Trx, workspaces: Uuid[]): Promise<Map<Uuid, ProjectRow>> {
  const rows = await trx
    .selectFrom('projects')
    .select(['id', 'name', 'organization_id', 'workspace_id', 'is_default'])
    .where('workspace_id', 'in', workspaces)
    .where('is_default', '=', true)
    .execute()
  return new Map(rows.map(row => [row.workspace_id, row]))
}

/** Seeds run as the owners of the organizations. */
async function seedProjects({ trx, settings: { seeds } }: GraphWork, projects: ProjectRow[]): Promise<void> {
  if (projects.length === 0 || seeds.length === 0) return
  const organizations = await trx
    .selectFrom('organizations')
    .select(['id', 'owner_id'])
    .where(
      'id',
      'in',
      projects.map(project => project.organization_id),
    )
    .execute()
  const owners = new Map(organizations.map(({ id, owner_id }) => [id, owner_id]))
  for (const { id: project_id, workspace_id, organization_id } of projects) {
    const user_id = owners.get(organization_id) as Uuid
    for (const seed of seeds) await seed(trx, { project_id, workspace_id, organization_id, user_id })
  }
}
