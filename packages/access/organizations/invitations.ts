import { invalid, Problem, type Uuid } from '@spanhouse/model'
import {
  type Database,
  newId,
  type Selectable,
  sql,
  type Tables,
  type Trx,
  withDatabaseProblems,
} from '@spanhouse/postgres'
import { list, optional, z } from '@spanhouse/validation'
import { email } from '../accounts/account-body.ts'
import type { CredentialCache } from '../credentials/authenticate.ts'
import { hashLinkToken, inDays, makeLinkToken } from '../credentials/link-token.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { refuseBeyondLimit } from '../limits.ts'
import { requireInWorkspace, type WorkspaceRights } from '../roles/rights.ts'
import { isRoleName, type RoleName } from '../roles/roles.ts'
import { grantedRole, putMember } from './members.ts'
import { lockWorkspace } from './projects.ts'

const VALID_DAYS = 7

export const inviteBody = list(z.object({ email, roles: optional(list(z.string())) }))
export const resendBody = z.object({ email })
export const acceptBody = z.object({ token: z.string(), email: z.string() })

/** The workspace of the invitation, and the start of the link. */
export interface InvitationPlace {
  organization_id: Uuid
  workspace_id: Uuid
  /** Scheme and host under which the caller reaches this server. */
  origin: string
}

/** There is no mail server, so the inviting user passes the link on. */
export interface InvitationLink {
  url: string
}

/**
 * Invites an address to the workspace and replaces a pending invitation of the same address. Throws Problems:
 * `forbidden` without `add_new_user_to_workspace`, `invalid` unless there is exactly one entry with at most one known
 * role, `conflict` when the address belongs to a member, `not_found`.
 */
export function invite(
  db: Database,
  principal: ProjectPrincipal,
  { place, entries }: { place: InvitationPlace; entries: z.output<typeof inviteBody> },
): Promise<InvitationLink> {
  return inviting(db, principal, place, async (trx, rights) => {
    const [entry, ...others] = entries
    if (entry === undefined || others.length > 0) throw invalid('Exactly one address can be invited at a time.')
    const [role = 'viewer', ...more] = entry.roles ?? []
    if (more.length > 0) throw invalid('roles must contain exactly one role.')
    const given = grantedRole(rights, role)
    await refuseMember(trx, rights.workspace_id, entry.email)
    await removePending(trx, rights.workspace_id, entry.email)
    await refuseBeyondLimit(trx, 'invitations', rights.workspace_id)
    return insertInvitation(trx, { email: entry.email, role: given, place, invitedBy: principal.user_id })
  })
}

/**
 * Returns a new link for a pending invitation; the old link stops working. Throws as {@link invite}; `not_found` when
 * none is pending.
 */
export function resendInvitation(
  db: Database,
  principal: ProjectPrincipal,
  { place, address }: { place: InvitationPlace; address: string },
): Promise<InvitationLink> {
  return inviting(db, principal, place, async (trx, rights) => {
    const removed = await removePending(trx, rights.workspace_id, address)
    if (removed === null) {
      throw new Problem('not_found', { message: 'No invitation is pending for this address.', ref: address })
    }
    const role = grantedRole(rights, removed.role)
    return insertInvitation(trx, { email: removed.email, role, place, invitedBy: principal.user_id })
  })
}

/**
 * Makes the caller a member if the invitation is theirs. An existing member keeps their role. Throws Problems with an
 * `error`: `invalid` (INVITE_NOT_FOUND, INVITE_EMAIL_MISMATCH), `conflict` (INVITE_ALREADY_ACCEPTED), `gone`
 * (INVITE_EXPIRED).
 */
export async function acceptInvitation(
  db: Database,
  { cache, principal }: { cache: CredentialCache; principal: ProjectPrincipal },
  { place, token, address }: { place: Omit<InvitationPlace, 'origin'>; token: string; address: string },
): Promise<true> {
  const { user_id, user_email } = principal
  await withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockWorkspace(trx, place.workspace_id)
      const invitation = await findInvitation(trx, place, token)
      requireUsable(invitation, [address, user_email])
      await trx.updateTable('invitations').set({ accepted_at: sql`now()` }).where('id', '=', invitation.id).execute()
      if (await isMember(trx, place.workspace_id, user_email)) return
      await putMember(trx, { ...place, user_id, role: invitation.role as RoleName })
    }),
  )
  cache.forget()
  return true
}

function inviting(
  db: Database,
  { user_id }: ProjectPrincipal,
  { organization_id, workspace_id }: InvitationPlace,
  work: (trx: Trx, rights: WorkspaceRights) => Promise<InvitationLink>,
): Promise<InvitationLink> {
  const place = { organization_id, workspace_id, permission: 'add_new_user_to_workspace' } as const
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await lockWorkspace(trx, workspace_id)
      return work(trx, await requireInWorkspace(trx, user_id, place))
    }),
  )
}

interface NewInvitation {
  email: string
  role: RoleName
  place: InvitationPlace
  invitedBy: Uuid
}

async function insertInvitation(trx: Trx, { email, role, place, invitedBy }: NewInvitation): Promise<InvitationLink> {
  const { organization_id, workspace_id, origin } = place
  const { token, token_hash } = makeLinkToken()
  const row = { id: newId(), workspace_id, email, role, token_hash, created_by_id: invitedBy }
  await trx
    .insertInto('invitations')
    .values({ ...row, expires_at: inDays(VALID_DAYS) })
    .execute()
  return { url: `${origin}/w/invitation?${new URLSearchParams({ token, email, organization_id, workspace_id })}` }
}

async function refuseMember(trx: Trx, workspace_id: Uuid, address: string): Promise<void> {
  if (!(await isMember(trx, workspace_id, address))) return
  throw new Problem('conflict', { message: `${address} is already a member of the workspace.`, email: address })
}

async function isMember(trx: Trx, workspace_id: Uuid, address: string): Promise<boolean> {
  const row = await trx
    .selectFrom('workspace_memberships')
    .innerJoin('users', 'users.id', 'workspace_memberships.user_id')
    .select('users.id')
    .where('workspace_id', '=', workspace_id)
    .where(sql<boolean>`lower(users.email) = lower(${address})`)
    .executeTakeFirst()
  return row !== undefined
}

async function removePending(
  trx: Trx,
  workspace_id: Uuid,
  address: string,
): Promise<{ email: string; role: string } | null> {
  const row = await trx
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspace_id)
    .where(sql<boolean>`lower(email) = lower(${address})`)
    .where('accepted_at', 'is', null)
    .returning(['email', 'role'])
    .executeTakeFirst()
  return row ?? null
}

type Invitation = Selectable<Tables['invitations']>

async function findInvitation(
  trx: Trx,
  { organization_id, workspace_id }: Omit<InvitationPlace, 'origin'>,
  token: string,
): Promise<Invitation> {
  const invitation = await trx
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .selectAll('invitations')
    .where('token_hash', '=', hashLinkToken(token))
    .where('workspace_id', '=', workspace_id)
    .where('organization_id', '=', organization_id)
    .executeTakeFirst()
  if (invitation !== undefined && isRoleName(invitation.role)) return invitation
  throw new Problem('invalid', { error: 'INVITE_NOT_FOUND', message: 'The invitation does not exist.' })
}

function requireUsable({ email: invited, accepted_at, expires_at }: Invitation, addresses: string[]): void {
  if (addresses.some(address => address.toLowerCase() !== invited.toLowerCase())) {
    const message = 'The invitation is for another address.'
    throw new Problem('invalid', { error: 'INVITE_EMAIL_MISMATCH', message })
  }
  if (accepted_at !== null) {
    const message = 'The invitation has already been accepted.'
    throw new Problem('conflict', { error: 'INVITE_ALREADY_ACCEPTED', message })
  }
  if (Date.parse(expires_at) > Date.now()) return
  throw new Problem('gone', { error: 'INVITE_EXPIRED', message: 'The invitation has expired.' })
}
