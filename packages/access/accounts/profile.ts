import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { uuid, z } from '@spanhouse/validation'
import { hashLinkToken, inDays, makeLinkToken } from '../credentials/link-token.ts'
import { hashPassword, newPassword, PASSWORD_METHOD } from '../credentials/password.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { name, nameOf } from '../organizations/names.ts'
import { isAbove } from '../roles/roles.ts'

/** The caller's profile. */
export const profileJson = z.object({
  id: z.string(),
  uid: z.string(),
  email: z.string(),
  username: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  profile_picture: z.null(),
})
export type Profile = z.output<typeof profileJson>

export const usernameBody = z.object({ username: name })
export const resetLinkQuery = z.object({ user_id: uuid })

const RESET_DAYS = 1

/** `POST /auth/reset-password`: the token from the link, and the new password. */
export const newPasswordBody = z.object({ token: z.string(), password: newPassword })

/** `GET /profile`. `updated_at` of a user who was never changed is the time of creation. */
export function fetchProfile(db: Database, { user_id }: ProjectPrincipal): Promise<Profile> {
  return withDatabaseProblems(async () => {
    const user = await db.selectFrom('users').selectAll().where('id', '=', user_id).executeTakeFirst()
    if (user === undefined) throw new Problem('not_found', { message: 'The user does not exist.', ref: user_id })
    const { id, uid, email, username, created_at, updated_at } = user
    return { id, uid, email, username, created_at, updated_at: updated_at ?? created_at, profile_picture: null }
  })
}

/** `PUT /profile/username`. Throws a Problem `invalid` for a blank username. */
export async function changeUsername(db: Database, principal: ProjectPrincipal, username: string): Promise<Profile> {
  const fields = { username: nameOf(username, 'username'), updated_at: sql<string>`now()` }
  await withDatabaseProblems(() => db.updateTable('users').set(fields).where('id', '=', principal.user_id).execute())
  return fetchProfile(db, principal)
}

/**
 * `POST /profile/reset-password`: returns a link with which a member of the caller's workspace sets a new password; an
 * earlier link stops working. A password gives access to everything the user has. So for a user who owns an
 * organization, belongs to another one, or has a higher role than the caller in any workspace or project, only that
 * user can create the link: otherwise the caller could take over what belongs to others. Throws Problems `forbidden`
 * (without the reason) and `not_found`.
 */
export function makeResetLink(
  db: Database,
  principal: ProjectPrincipal,
  { user_id, origin }: { user_id: Uuid; origin: string },
): Promise<string> {
  return withDatabaseProblems(async () => {
    if (user_id !== principal.user_id) await requireOwnMember(db, principal, user_id)
    const { token, token_hash } = makeLinkToken()
    const fields = { token_hash, expires_at: inDays(RESET_DAYS) }
    await db
      .insertInto('password_resets')
      .values({ user_id, ...fields })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(fields))
      .execute()
    return `${origin}/w/new-password?${new URLSearchParams({ token })}`
  })
}

/** Consumes the link. Throws a Problem `invalid` when it was already used, was replaced or has expired. */
export async function resetPassword(
  db: Database,
  { token, password }: z.output<typeof newPasswordBody>,
): Promise<void> {
  const user_id = await withDatabaseProblems(() => takeReset(db, token))
  const password_hash = await hashPassword(password)
  await withDatabaseProblems(() => db.transaction().execute(trx => storePassword(trx, user_id, password_hash)))
}

async function requireOwnMember(db: Database, principal: ProjectPrincipal, user_id: Uuid): Promise<void> {
  const memberships = db.selectFrom('organization_memberships').select('organization_id').where('user_id', '=', user_id)
  const organizations = await db
    .selectFrom('organizations')
    .select(['id', 'owner_id'])
    .where(either => either.or([either('owner_id', '=', user_id), either('id', 'in', memberships)]))
    .execute()
  if (organizations.every(({ id }) => id !== principal.organization_id)) {
    throw new Problem('not_found', { message: 'The user does not exist in your organization.', ref: user_id })
  }
  if (organizations.some(({ id, owner_id }) => id !== principal.organization_id || owner_id === user_id)) {
    throw notYours()
  }
  const isOwner = organizations.some(({ owner_id }) => owner_id === principal.user_id)
  const roles = isOwner ? [] : await rolesOfBoth(db, principal, user_id)
  if (roles.some(({ theirs, own }) => isAbove(theirs, own))) throw notYours()
}

const notYours = (): Problem => new Problem('forbidden', 'Only this user can reset their password.')

/** The roles of the user and of the caller in all workspaces and projects of the caller's organization. */
async function rolesOfBoth(
  db: Database,
  { user_id: caller, organization_id }: ProjectPrincipal,
  user_id: Uuid,
): Promise<{ theirs: string; own: string | null }[]> {
  const { rows } = await sql<{ theirs: string; own: string | null }>`
    select theirs.role as theirs, own.role as own from workspaces
      join workspace_memberships as theirs on theirs.workspace_id = workspaces.id and theirs.user_id = ${user_id}
      left join workspace_memberships as own on own.workspace_id = workspaces.id and own.user_id = ${caller}
      where workspaces.organization_id = ${organization_id}
    union all
    select theirs.role, own.role from projects
      join project_memberships as theirs on theirs.project_id = projects.id and theirs.user_id = ${user_id}
      left join project_memberships as own on own.project_id = projects.id and own.user_id = ${caller}
      where projects.organization_id = ${organization_id}`.execute(db)
  return rows
}

/** Runs before the password is hashed, which is slow: a wrong token costs one statement. */
async function takeReset(db: Database, token: string): Promise<Uuid> {
  const taken = await db
    .deleteFrom('password_resets')
    .where('token_hash', '=', hashLinkToken(token))
    .returning(['user_id', 'expires_at'])
    .executeTakeFirst()
  if (taken !== undefined && Date.parse(taken.expires_at) > Date.now()) return taken.user_id
  throw new Problem('invalid', { message: 'The link was already used, was replaced, or has expired.' })
}

/** A user without an identity gets one for their current address. */
async function storePassword(trx: Trx, user_id: Uuid, password_hash: string): Promise<void> {
  const changed = await trx
    .updateTable('user_identities')
    .set({ password_hash, updated_at: sql`now()` })
    .where('user_id', '=', user_id)
    .where('method', '=', PASSWORD_METHOD)
    .executeTakeFirstOrThrow()
  if (changed.numUpdatedRows > 0n) return
  const { email } = await trx.selectFrom('users').select('email').where('id', '=', user_id).executeTakeFirstOrThrow()
  await trx
    .insertInto('user_identities')
    .values({ id: newId(), user_id, method: PASSWORD_METHOD, subject: email, email, verified: true, password_hash })
    .execute()
}
