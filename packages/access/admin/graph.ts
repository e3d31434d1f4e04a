import { randomUUID } from 'node:crypto'
import { invalid, microsNow, microsToIso, type Uuid } from '@spanhouse/model'
import {
  type Database,
  newId,
  type Selectable,
  type Tables,
  type Trx,
  toJsonb,
  withDatabaseProblems,
} from '@spanhouse/postgres'
import {
  identityAnswer,
  organizationAnswer,
  organizationMembership,
  projectAnswer,
  projectMembership,
  userAnswer,
  workspaceAnswer,
  workspaceMembership,
} from '../accounts/account-answer.ts'
import type { IdentityBody } from '../accounts/account-body.ts'
import {
  type AccountError,
  hashPasswords,
  type IdentityPlans,
  insertIdentities,
  type NamedIdentities,
  planIdentities,
} from '../accounts/account-identities.ts'
import { byAddress, insertMemberships } from '../accounts/account-insert.ts'
import { type AccountRows, type MembershipRow, usernameOf } from '../accounts/account-rows.ts'
import { runOrTry } from '../accounts/dry-run.ts'
import { identifyApiKey, type KeyIdentity, makeApiKey } from '../credentials/api-key.ts'
import { byEmail, findReferences, named, type Reference } from '../organizations/reference.ts'
import type { Graph, GraphAnswer } from './graph-answer.ts'
import type { GraphBody } from './graph-body.ts'
import { putProjects, putWorkspaces } from './graph-places.ts'
import { referencesOf } from './graph-references.ts'
import type { GraphSettings, GraphWork } from './graph-work.ts'

/**
 * `POST /admin/accounts/`: creates the entities of a graph in the order users, identities, organizations, workspaces,
 * projects, memberships, keys; all or none. An existing user with the same email address and an existing workspace of
 * the organization are reused. Throws Problems: `invalid` and `not_found` for references, `conflict` for unique values
 * that are taken.
 */
export async function createGraph(db: Database, body: GraphBody, settings: GraphSettings): Promise<GraphAnswer> {
  return withDatabaseProblems(async () => {
    const hashes = settings.isDryRun ? new Map() : await hashPasswords(identitiesOf({ body, settings }))
    return runOrTry(db, settings.isDryRun, trx => storeGraph(trx, { body, settings, hashes }))
  })
}

export interface Storing {
  body: GraphBody
  settings: GraphSettings
  /** Of the passwords of identities, by name. */
  hashes: ReadonlyMap<string, string>
}

/** As {@link createGraph}, in the caller's transaction. */
export async function storeGraph(trx: Trx, { body, settings, hashes }: Storing): Promise<GraphAnswer> {
  const found = await findReferences(trx, referencesOf(body))
  const local = { users: {}, organizations: {}, workspaces: {}, projects: {} }
  const work: GraphWork = {
    trx,
    body,
    settings,
    resolve: (target, reference) => found.resolve(target, reference, local),
  }
  const users = await putUsers(work)
  local.users = idsOf(users)
  const identities = await putIdentities(work, hashes)
  const organizations = await putOrganizations(work)
  local.organizations = idsOf(organizations)
  const workspaces = await putWorkspaces(work)
  local.workspaces = idsOf(workspaces)
  const projects = await putProjects(work)
  local.projects = idsOf(projects)
  const accounts: [Graph] = [
    {
      users: mapped(users, userAnswer),
      user_identities: Object.fromEntries(identities.plans.map(plan => [plan.ref, identityAnswer(plan)])),
      organizations: mapped(organizations, organizationAnswer),
      workspaces: mapped(workspaces, workspaceAnswer),
      projects: mapped(projects, projectAnswer),
      ...(await putMemberships(work)),
      ...(await putApiKeys(work)),
    },
  ]
  const errors = [...identities.errors, ...subscriptionErrors(body)]
  return errors.length === 0 ? { accounts } : { accounts, errors }
}

const idsOf = (rows: ReadonlyMap<string, { id: Uuid }>): Record<string, Uuid> => mapped(rows, row => row.id)

const mapped = <R, A>(rows: ReadonlyMap<string, R>, answer: (row: R) => A): Record<string, A> =>
  Object.fromEntries([...rows].map(([name, row]) => [name, answer(row)]))

async function putUsers({ trx, body }: GraphWork): Promise<Map<string, Selectable<Tables['users']>>> {
  const wanted = [...(body.users ?? [])]
  if (wanted.length === 0) return new Map()
  const rows = wanted.map(([, user]) => ({
    id: newId(),
    uid: randomUUID(),
    email: user.email,
    username: usernameOf(user),
  }))
  await trx
    .insertInto('users')
    .values(rows.toSorted(byAddress))
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const found = await findReferences(
    trx,
    wanted.map(([, { email }]) => ['users', byEmail(email)] as const),
  )
  const ids = wanted.map(([name, { email }]) => [name, found.resolve('users', byEmail(email))] as const)
  const stored = await trx
    .selectFrom('users')
    .selectAll()
    .where(
      'id',
      'in',
      ids.map(([, id]) => id),
    )
    .execute()
  const users = new Map(stored.map(row => [row.id, row]))
  return new Map(ids.map(([name, id]) => [name, users.get(id) as Selectable<Tables['users']>]))
}

const identitiesOf = ({ body, settings }: Pick<GraphWork, 'body' | 'settings'>): NamedIdentities =>
  (settings.createIdentities && body.user_identities) || new Map()

const putIdentities = (work: GraphWork, hashes: ReadonlyMap<string, string>): Promise<IdentityPlans> =>
  insertIdentities(work.trx, planIdentities(identitiesOf(work), { hashes, ownerOf: one => ownerOf(work, one) }))

/** The referenced user, or the only user in the request. */
function ownerOf({ body, resolve }: GraphWork, { user_ref }: Pick<IdentityBody, 'user_ref'>): Uuid {
  if (user_ref !== undefined) return resolve('users', user_ref)
  const [name, ...others] = body.users?.keys() ?? []
  if (name !== undefined && others.length === 0) return resolve('users', named(name))
  throw invalid('user_ref is required unless the request has exactly one user.')
}

async function putOrganizations(work: GraphWork): Promise<Map<string, AccountRows['organization']>> {
  const created_at = microsToIso(microsNow())
  const rows = [...(work.body.organizations ?? [])].map(([key, { name, slug, metadata, owner_user_ref }]) => {
    const owner_id = ownerOf(work, { user_ref: owner_user_ref })
    const meta = toJsonb(metadata)
    return [key, { id: newId(), name, slug, meta, owner_id, created_by_id: owner_id, created_at }] as const
  })
  if (rows.length > 0)
    await work.trx
      .insertInto('organizations')
      .values(rows.map(([, row]) => row))
      .execute()
  return new Map(rows)
}

type MembershipsAnswer = Pick<Graph, 'organization_memberships' | 'workspace_memberships' | 'project_memberships'>

async function putMemberships({ trx, body, resolve }: GraphWork): Promise<MembershipsAnswer> {
  const rowOf = (scope_id: Uuid, { user_ref, role }: { user_ref: Reference; role: string }): MembershipRow => ({
    id: newId(),
    scope_id,
    user_id: resolve('users', user_ref),
    role,
  })
  const inOrganizations = entries(body.organization_memberships, one =>
    rowOf(resolve('organizations', one.organization_ref), one),
  )
  const inWorkspaces = entries(body.workspace_memberships, one => rowOf(resolve('workspaces', one.workspace_ref), one))
  const inProjects = entries(body.project_memberships, one => rowOf(resolve('projects', one.project_ref), one))
  await insertMemberships(trx, {
    organization_memberships: [...inOrganizations.values()],
    workspace_memberships: [...inWorkspaces.values()],
    project_memberships: [...inProjects.values()],
  })
  return {
    organization_memberships: mapped(inOrganizations, organizationMembership),
    workspace_memberships: mapped(inWorkspaces, workspaceMembership),
    project_memberships: mapped(inProjects, projectMembership),
  }
}

const entries = <B, R>(bodies: ReadonlyMap<string, B> | undefined, rowOf: (body: B) => R): Map<string, R> =>
  new Map([...(bodies ?? [])].map(([name, body]) => [name, rowOf(body)]))

async function putApiKeys({ trx, body, settings, resolve }: GraphWork): Promise<Pick<Graph, 'api_keys'>> {
  if (!settings.createApiKeys || settings.isDryRun || !body.api_keys?.size) return {}
  const keys = entries(body.api_keys, ({ project_ref, user_ref, name, expires_at }) => {
    const value = makeApiKey()
    const place = { project_id: resolve('projects', project_ref), user_id: resolve('users', user_ref) }
    const expiry = expires_at === undefined ? null : microsToIso(expires_at)
    return {
      value,
      row: { id: newId(), ...(identifyApiKey(value) as KeyIdentity), ...place, name, expires_at: expiry },
    }
  })
  await trx
    .insertInto('api_keys')
    .values([...keys.values()].map(({ row }) => row))
    .execute()
  return {
    api_keys: mapped(keys, ({ value, row: { id, prefix, project_id, user_id } }) => ({
      id,
      prefix,
      project_id,
      user_id,
      ...(settings.returnApiKeys && { value }),
    })),
  }
}

/** Subscriptions do not exist here. */
const subscriptionErrors = ({ subscriptions }: GraphBody): AccountError[] =>
  [...(subscriptions ?? [])].map(([ref, { plan }]) => ({
    code: 'subscription_provision_failed',
    message: 'Subscriptions are not available here.',
    details: { ref, plan },
  }))
