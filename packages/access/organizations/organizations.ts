import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, toJsonb, withDatabaseProblems } from '@spanhouse/postgres'
import { optional, slug, storedObject, z } from '@spanhouse/validation'
import { account } from '../accounts/account-body.ts'
import { insertOrganizations } from '../accounts/account-insert.ts'
import { accountRowsOf } from '../accounts/account-rows.ts'
import { newProjectOf, type Seed } from '../accounts/seed.ts'
import type { CredentialCache } from '../credentials/authenticate.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { refuseBeyondLimit } from '../limits.ts'
import { requireInWorkspace } from '../roles/rights.ts'
import { description, name, nameOf } from './names.ts'
import { insertProject } from './projects.ts'
import type { WorkspaceJson } from './read-organizations.ts'

export const createOrganizationBody = z.object({ name, description })
export const editOrganizationBody = z.object({
  name: optional(name),
  description,
  slug: optional(slug),
  flags: optional(storedObject),
})
export const createWorkspaceBody = z.object({ name, description })
export const editWorkspaceBody = z.object({ name: optional(name), description })

export const organizationSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
})
export type OrganizationSummary = z.output<typeof organizationSummary>

/**
 * `POST /organizations`: creates an organization owned by the caller, with a workspace and a seeded project, both named
 * Default. Throws a Problem `invalid` for a blank name.
 */
export function createOrganization(
  db: Database,
  principal: ProjectPrincipal,
  { body, seeds }: { body: z.output<typeof createOrganizationBody>; seeds: readonly Seed[] },
): Promise<OrganizationSummary> {
  const { user_id, user_email: email } = principal
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await trx.selectFrom('users').select('id').where('id', '=', user_id).forUpdate().execute()
      await refuseBeyondLimit(trx, 'organizations', user_id)
      const name = nameOf(body.name)
      const { description } = body
      const rows = await accountRowsOf(trx, account.parse({ user: { email } }), user_id)
      Object.assign(rows.organization, { name, description })
      await insertOrganizations(trx, [rows])
      for (const seed of seeds) await seed(trx, newProjectOf(rows))
      return { id: rows.organization.id, name, description: description ?? null }
    }),
  )
}

/**
 * `PUT` and `PATCH /organizations/{id}`: changes the given members; flags are merged into the existing ones. Throws
 * Problems: `invalid` when nothing is given, for a blank name, and when a different slug is already set; `forbidden` for
 * everyone but the owner; `conflict` for the slug of another organization.
 */
export function editOrganization(
  db: Database,
  principal: ProjectPrincipal,
  { organization_id, body }: OrganizationEdit,
): Promise<OrganizationSummary> {
  const { name, description, slug, flags } = body
  if ([name, description, slug, flags].every(field => field === undefined)) {
    throw invalid('At least one of name, description, slug and flags is required.')
  }
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const organization = await lockOwned(trx, principal, organization_id)
      if (slug !== undefined && organization.slug !== null && organization.slug !== slug) {
        throw invalid('The slug of an organization cannot be changed.')
      }
      return trx
        .updateTable('organizations')
        .set({ ...(name !== undefined && { name: nameOf(name) }), slug, description })
        .$if(flags !== undefined, query => query.set({ flags: sql`coalesce(flags, '{}') || ${toJsonb(flags)}::jsonb` }))
        .set({ updated_at: sql`now()`, updated_by_id: principal.user_id })
        .where('id', '=', organization_id)
        .returning(['id', 'name', 'description'])
        .executeTakeFirstOrThrow()
    }),
  )
}

interface OrganizationEdit {
  organization_id: Uuid
  body: z.output<typeof editOrganizationBody>
}

/**
 * `DELETE /organizations/{id}`: deletes the organization and its contents. Throws Problems: `forbidden` for everyone
 * but the owner, `invalid` for the last organization that the caller owns.
 */
export async function deleteOrganization(
  db: Database,
  cache: CredentialCache,
  { principal, organization_id }: { principal: ProjectPrincipal; organization_id: Uuid },
): Promise<{ detail: string }> {
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      // Locks all of the owner's organizations, so that the second of two concurrent deletions sees the first.
      const owned = await trx
        .selectFrom('organizations')
        .select('id')
        .where('owner_id', '=', principal.user_id)
        .orderBy('id')
        .forUpdate()
        .execute()
      if (!owned.some(({ id }) => id === organization_id)) throw notOwner()
      if (owned.length === 1) throw invalid('You cannot delete the last organization that you own.')
      await trx.deleteFrom('organizations').where('id', '=', organization_id).execute()
    }),
  )
  cache.forget()
  return { detail: 'The organization was deleted.' }
}

/**
 * `POST /organizations/{id}/workspaces`: creates a workspace with a seeded default project. Only the owner may do this,
 * and becomes its only member.
 */
export function createWorkspace(
  db: Database,
  principal: ProjectPrincipal,
  request: { organization_id: Uuid; body: z.output<typeof createWorkspaceBody>; seeds: readonly Seed[] },
): Promise<WorkspaceJson> {
  const { organization_id, body, seeds } = request
  const { user_id } = principal
  const row = { name: nameOf(body.name), description: body.description, organization_id, created_by_id: user_id }
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockOwned(trx, principal, organization_id)
      await refuseBeyondLimit(trx, 'workspaces', organization_id)
      const workspace = await trx
        .insertInto('workspaces')
        .values({ id: newId(), ...row })
        .returning(['id', 'name', 'description', 'type'])
        .executeTakeFirstOrThrow()
      const workspace_id = workspace.id
      await trx
        .insertInto('workspace_memberships')
        .values({ id: newId(), workspace_id, user_id, role: 'owner' })
        .execute()
      const project = { id: newId(), name: 'Default', workspace_id, organization_id, is_default: true }
      await insertProject(trx, { ...project, created_by_id: user_id })
      for (const seed of seeds) await seed(trx, { project_id: project.id, workspace_id, organization_id, user_id })
      return workspace
    }),
  )
}

/** `PUT /organizations/{id}/workspaces/{id}`. Throws Problems: `not_found`, `forbidden`, `invalid`. */
export function editWorkspace(
  db: Database,
  principal: ProjectPrincipal,
  request: { organization_id: Uuid; workspace_id: Uuid; body: z.output<typeof editWorkspaceBody> },
): Promise<WorkspaceJson> {
  const { organization_id, workspace_id, body } = request
  const { user_id } = principal
  return withDatabaseProblems(async () => {
    await requireInWorkspace(db, user_id, { workspace_id, organization_id, permission: 'edit_workspace' })
    return db
      .updateTable('workspaces')
      .set({ ...(body.name !== undefined && { name: nameOf(body.name) }), description: body.description })
      .set({ updated_at: sql`now()`, updated_by_id: user_id })
      .where('id', '=', workspace_id)
      .returning(['id', 'name', 'description', 'type'])
      .executeTakeFirstOrThrow()
  })
}

/** Locks the organization. Throws a Problem `forbidden` if it does not exist or the caller is not its owner. */
export async function lockOwned(
  trx: Trx,
  { user_id }: Pick<ProjectPrincipal, 'user_id'>,
  organization_id: Uuid,
): Promise<{ slug: string | null }> {
  const organization = await trx
    .selectFrom('organizations')
    .select(['slug', 'owner_id'])
    .where('id', '=', organization_id)
    .forUpdate()
    .executeTakeFirst()
  if (organization?.owner_id === user_id) return organization
  throw notOwner()
}

const notOwner = (): Problem => new Problem('forbidden', 'Only the owner of the organization may do this.')
