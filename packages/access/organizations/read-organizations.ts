import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { type Database, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { z } from '@spanhouse/validation'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { describeRole } from '../roles/roles.ts'

/** An organization as its members see it. Members and workspaces are ids. */
export const organizationJson = z.object({
  id: z.string(),
  slug: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  flags: z.custom<JsonObject>().meta({ type: 'object' }),
  tags: z.custom<JsonObject | null>().meta({ type: ['object', 'null'] }),
  meta: z.custom<JsonObject | null>().meta({ type: ['object', 'null'] }),
  owner_id: z.string(),
  members: z.array(z.string()),
  invitations: z.array(
    z.object({ id: z.string(), workspace_id: z.string(), email: z.string(), role: z.string(), expires_at: z.string() }),
  ),
  workspaces: z.array(z.string()),
})
export type OrganizationJson = z.output<typeof organizationJson>

export const workspaceJson = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.string(),
})
export type WorkspaceJson = z.output<typeof workspaceJson>

const memberJson = z.object({
  user: z.object({ id: z.string(), email: z.string(), username: z.string(), created_at: z.string() }),
  /** Empty for a member of the organization without a role in the workspace. */
  roles: z.array(z.object({ role_name: z.string(), role_description: z.string(), permissions: z.array(z.string()) })),
})

/** An organization with its oldest workspace and its members. */
export const organizationDetails = organizationJson.extend({
  default_workspace: workspaceJson.extend({ members: z.array(memberJson) }).nullable(),
})
export type OrganizationDetails = z.output<typeof organizationDetails>

/** `GET /organizations`: the caller's organizations, oldest first. */
export const listOrganizations = (db: Database, { user_id }: ProjectPrincipal): Promise<OrganizationJson[]> =>
  withDatabaseProblems(() => organizationsOf(db, user_id))

/**
 * `GET /organizations/{id}`. Throws a Problem `forbidden` if the caller is not a member or the organization does not
 * exist.
 */
export function fetchOrganization(
  db: Database,
  { user_id }: ProjectPrincipal,
  organization_id: Uuid,
): Promise<OrganizationDetails> {
  return withDatabaseProblems(async () => {
    const [organization] = await organizationsOf(db, user_id, organization_id)
    if (organization === undefined) throw new Problem('forbidden', 'You are not a member of this organization.')
    const workspace = await oldestWorkspace(db, organization_id)
    if (workspace === null) return { ...organization, default_workspace: null }
    const members = await membersOf(db, organization, workspace.id)
    return { ...organization, default_workspace: { ...workspace, members } }
  })
}

/** `GET /workspaces`: the caller's workspaces, oldest first. */
export function listWorkspaces(db: Database, { user_id }: ProjectPrincipal): Promise<WorkspaceJson[]> {
  const owned = db.selectFrom('organizations').select('id').where('owner_id', '=', user_id)
  const joined = db.selectFrom('organization_memberships').select('organization_id').where('user_id', '=', user_id)
  const inside = db.selectFrom('workspace_memberships').select('workspace_id').where('user_id', '=', user_id)
  return withDatabaseProblems(() =>
    db
      .selectFrom('workspaces')
      .select(['id', 'name', 'description', 'type'])
      .where(either =>
        either.or([
          either('organization_id', 'in', owned),
          either.and([either('id', 'in', inside), either('organization_id', 'in', joined)]),
        ]),
      )
      .orderBy('id')
      .execute(),
  )
}

async function organizationsOf(db: Database, user_id: Uuid, only?: Uuid): Promise<OrganizationJson[]> {
  const joined = db.selectFrom('organization_memberships').select('organization_id').where('user_id', '=', user_id)
  const rows = await db
    .selectFrom('organizations')
    .select(['id', 'slug', 'name', 'description', 'flags', 'tags', 'meta', 'owner_id'])
    .where(either => either.or([either('owner_id', '=', user_id), either('id', 'in', joined)]))
    .$if(only !== undefined, query => query.where('id', '=', only as Uuid))
    .orderBy('id')
    .execute()
  if (rows.length === 0) return []
  const ids = rows.map(row => row.id)
  const [members, invitations, workspaces] = [
    await membersByOrganization(db, ids),
    await invitationsByOrganization(db, ids),
    await workspacesByOrganization(db, ids),
  ]
  return rows.map(row => ({
    ...row,
    flags: row.flags ?? {},
    members: withOwner(
      (members.get(row.id) ?? []).map(member => member.user_id),
      row.owner_id,
    ),
    invitations: (invitations.get(row.id) ?? []).map(({ organization_id: _, ...invitation }) => invitation),
    workspaces: (workspaces.get(row.id) ?? []).map(workspace => workspace.id),
  }))
}

/**
 * Whoever owns an organization is in it, also where an administrator has stored no membership; then before all others.
 */
const withOwner = (members: Uuid[], owner: Uuid): Uuid[] => (members.includes(owner) ? members : [owner, ...members])

const byOrganization = <R extends { organization_id: Uuid }>(rows: R[]): Map<Uuid, R[]> =>
  Map.groupBy(rows, row => row.organization_id)

const membersByOrganization = async (db: Database, ids: Uuid[]) =>
  byOrganization(
    await db
      .selectFrom('organization_memberships')
      .select(['organization_id', 'user_id'])
      .where('organization_id', 'in', ids)
      .orderBy('id')
      .execute(),
  )

const workspacesByOrganization = async (db: Database, ids: Uuid[]) =>
  byOrganization(
    await db
      .selectFrom('workspaces')
      .select(['organization_id', 'id'])
      .where('organization_id', 'in', ids)
      .orderBy('id')
      .execute(),
  )

/** The pending invitations. */
const invitationsByOrganization = async (db: Database, ids: Uuid[]) =>
  byOrganization(
    await db
      .selectFrom('invitations')
      .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
      .select(['workspaces.organization_id', 'invitations.id', 'invitations.workspace_id'])
      .select(['invitations.email', 'invitations.role', 'invitations.expires_at'])
      .where('workspaces.organization_id', 'in', ids)
      .where('invitations.accepted_at', 'is', null)
      .orderBy('invitations.id')
      .execute(),
  )

async function oldestWorkspace(db: Database, organization_id: Uuid): Promise<WorkspaceJson | null> {
  const row = await db
    .selectFrom('workspaces')
    .select(['id', 'name', 'description', 'type'])
    .where('organization_id', '=', organization_id)
    .orderBy('id')
    .executeTakeFirst()
  return row ?? null
}

/** In the order of the organization's members. Its owner is `owner`, as everywhere in it. */
async function membersOf(
  db: Database,
  { members, owner_id }: OrganizationJson,
  workspace_id: Uuid,
): Promise<z.output<typeof memberJson>[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('workspace_memberships', join =>
      join
        .onRef('workspace_memberships.user_id', '=', 'users.id')
        .on('workspace_memberships.workspace_id', '=', workspace_id),
    )
    .select(['users.id', 'users.email', 'users.username', 'users.created_at', 'workspace_memberships.role'])
    .where('users.id', '=', sql<Uuid>`any(${members}::uuid[])`)
    .execute()
  const byId = new Map(rows.map(row => [row.id, row]))
  return members.flatMap(id => {
    const row = byId.get(id)
    if (row === undefined) return []
    const { role: stored, ...user } = row
    const role = id === owner_id ? 'owner' : stored
    return [{ user, roles: role === null ? [] : [describeRole(role)] }]
  })
}
