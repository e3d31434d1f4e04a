import type { Uuid } from '@spanhouse/model'
import { type Database, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { list, mapOf, optional, z } from '@spanhouse/validation'
import { ACCOUNTS_MAX } from '../accounts/account-body.ts'
import type { CredentialCache } from '../credentials/authenticate.ts'
import { handOver, membersAmong, type Scope } from '../organizations/ownership.ts'
import { findReferences, type Reference, reference, referenceOrEmail } from '../organizations/reference.ts'

/** All of them, or none with an empty list. */
const selection = optional(z.union([z.literal('all'), list(z.never(), { max: 0 })]))

/** `POST /admin/simple/accounts/transfer-ownership`. */
export const transferBody = z.object({
  users: z.object({ source: referenceOrEmail, target: referenceOrEmail }),
  organizations: optional(mapOf(reference, ACCOUNTS_MAX)),
  include_workspaces: selection,
  include_projects: selection,
})
export type TransferBody = z.output<typeof transferBody>

export interface TransferError {
  code: 'organization_not_found' | 'not_owned_by_source' | 'target_not_member'
  message: string
  details: { ref: string }
}

/** The organizations that were transferred, and the reasons why others were not. */
export interface TransferAnswer {
  transferred: Uuid[]
  errors: TransferError[]
}

const MESSAGES: Record<TransferError['code'], string> = {
  organization_not_found: 'The organization does not exist.',
  not_owned_by_source: 'The source does not own the organization.',
  target_not_member: 'The target is not a member of the organization.',
}

/**
 * Transfers organizations from one user to another: the named ones, or all. An organization that cannot be transferred
 * is reported as an error and does not stop the others. Throws Problems `invalid` and `not_found` for the two users.
 */
export async function transferOwnership(
  db: Database,
  cache: CredentialCache,
  body: TransferBody,
): Promise<TransferAnswer> {
  const answer = await withDatabaseProblems(() => db.transaction().execute(trx => transfer(trx, body)))
  cache.forget()
  return answer
}

async function transfer(trx: Trx, body: TransferBody): Promise<TransferAnswer> {
  const { source, target } = body.users
  const named = [...(body.organizations?.values() ?? [])]
  const found = await findReferences(trx, [
    ...[source, target].map(user => ['users', user] as const),
    ...named.map(one => ['organizations', one] as const),
  ])
  const [from, to] = [found.resolve('users', source), found.resolve('users', target)]
  const owned = await ownedBy(trx, from)
  const wanted: Wanted[] =
    body.organizations === undefined
      ? [...owned].map(id => ({ ref: id, id }))
      : named.map((one: Reference) => ({ ref: one.value, id: found.find('organizations', one) }))
  const members = await membersAmong(trx, [...owned], to)
  const judged = wanted.map(one => ({ ...one, code: obstacleTo(one, owned, members) }))
  const transferred = [...new Set(judged.flatMap(({ id, code }) => (code === null && id !== null ? [id] : [])))]
  await handOver(trx, { organization_ids: transferred, from, to, scopes: scopesOf(body) })
  const errors = judged.flatMap(({ code, ref }) =>
    code === null ? [] : [{ code, message: MESSAGES[code], details: { ref } }],
  )
  return { transferred, errors }
}

interface Wanted {
  ref: string
  id: Uuid | null
}

function obstacleTo({ id }: Wanted, owned: Set<Uuid>, members: Set<Uuid>): TransferError['code'] | null {
  if (id === null) return 'organization_not_found'
  if (!owned.has(id)) return 'not_owned_by_source'
  return members.has(id) ? null : 'target_not_member'
}

const scopesOf = ({ include_workspaces = 'all', include_projects = 'all' }: TransferBody): Scope[] => [
  'organizations',
  ...(include_workspaces === 'all' ? ['workspaces' as const] : []),
  ...(include_projects === 'all' ? ['projects' as const] : []),
]

/** Locks the organizations until the end of the transaction. */
async function ownedBy(trx: Trx, owner: Uuid): Promise<Set<Uuid>> {
  const rows = await trx
    .selectFrom('organizations')
    .select('id')
    .where('owner_id', '=', owner)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Set(rows.map(row => row.id))
}
