import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type Database, sql, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import type { z } from '@spanhouse/validation'
import type { AccountOptionsBody } from '../accounts/account-body.ts'
import { usernameOf } from '../accounts/account-rows.ts'
import { runOrTry } from '../accounts/dry-run.ts'
import type { Seed } from '../accounts/seed.ts'
import { byEmail, byId, findUser, named, type Reference, resolveUser } from '../organizations/reference.ts'
import { createGraph, storeGraph } from './graph.ts'
import type { GraphAnswer } from './graph-answer.ts'
import {
  type apiKeyBody,
  type GraphBody,
  graphBody,
  type identityBody,
  type organizationBody,
  type organizationMembershipBody,
  type projectBody,
  type projectMembershipBody,
  type userBody,
  type workspaceBody,
  type workspaceMembershipBody,
} from './graph-body.ts'
import type { GraphSettings } from './graph-work.ts'

/** The parts of a graph that an endpoint for one entity fills in. */
type GraphParts = { [K in keyof GraphBody]?: GraphBody[K] }

interface Making {
  seeds: readonly Seed[]
}

/** Options that are not set are off, except for seeding. */
function settingsOf(options: AccountOptionsBody | undefined, { seeds }: Making): GraphSettings {
  const isDryRun = options?.dry_run ?? false
  return {
    seeds: isDryRun || options?.seed_defaults === false ? [] : seeds,
    isDryRun,
    createIdentities: options?.create_identities ?? false,
    createApiKeys: options?.create_api_keys ?? false,
    returnApiKeys: options?.return_api_keys ?? false,
    joinMembers: false,
    reuseProjects: false,
  }
}

/** `POST /admin/accounts/`. */
export const createAccountGraph = (db: Database, body: GraphBody, making: Making): Promise<GraphAnswer> =>
  createGraph(db, body, settingsOf(body.options, making))

const make = (db: Database, parts: GraphParts, settings: GraphSettings): Promise<GraphAnswer> =>
  createGraph(db, { ...EMPTY, ...parts }, settings)

const EMPTY: GraphBody = graphBody.parse({})
const one = <T>(name: string, value: T): Map<string, T> => new Map([[name, value]])

/**
 * `POST /admin/simple/accounts/users/`: creates the user if they do not exist. Unless they already own an organization
 * or `seed_defaults` is false, also creates an organization, a workspace and a project for them; on request, an API
 * key. Of several requests for an address at once, each finds what those before it have created.
 */
export function createUser(
  db: Database,
  { user, options }: z.output<typeof userBody>,
  making: Making,
): Promise<GraphAnswer> {
  const settings = settingsOf(options, making)
  return withDatabaseProblems(() =>
    runOrTry(db, settings.isDryRun, async trx => {
      await sql`select pg_advisory_xact_lock(hashtextextended('user ' || lower(${user.email}), 0))`.execute(trx)
      const project = await ownProject(trx, user.email)
      const isScaffolded = project === null && options?.seed_defaults !== false
      const project_ref = project !== null ? byId(project) : isScaffolded ? named('prj') : null
      const key = project_ref && { project_ref, user_ref: named('user'), name: undefined, expires_at: undefined }
      const body: GraphBody = {
        ...EMPTY,
        users: one('user', user),
        ...(isScaffolded && scaffold(usernameOf(user), named('user'))),
        ...(key && { api_keys: one('key', key) }),
      }
      return storeGraph(trx, { body, settings, hashes: new Map() })
    }),
  )
}

/**
 * `POST /admin/simple/accounts/users/identities/`. Throws Problems `unsupported` and `invalid` for an identity that
 * cannot be created.
 */
export async function createIdentity(
  db: Database,
  { user_ref, user_identity, options }: z.output<typeof identityBody>,
): Promise<GraphAnswer> {
  const parts = { user_identities: one('identity_0', { ...user_identity, user_ref }) }
  const settings = { ...settingsOf(options, { seeds: [] }), createIdentities: true }
  const answer = await make(db, parts, settings)
  const [error] = answer.errors ?? []
  if (error === undefined) return answer
  const isUnavailable = ['not_implemented', 'identity_method_unavailable'].includes(error.code)
  throw new Problem(isUnavailable ? 'unsupported' : 'invalid', {
    message: error.message,
    ...error.details,
  })
}

/**
 * `POST /admin/simple/accounts/organizations/`: creates the organization with a workspace and a project, for an
 * existing user.
 */
export async function createOrganizationAsAdmin(
  db: Database,
  { organization, owner, options }: z.output<typeof organizationBody>,
  making: Making,
): Promise<GraphAnswer> {
  if (owner === undefined) throw invalid('owner is required.')
  const owner_user_ref = byId(await withDatabaseProblems(() => resolveUser(db, owner)))
  const parts = scaffold(organization.name, owner_user_ref)
  const own = { organizations: one('org', { ...organization, owner_user_ref }) }
  return make(db, { ...parts, ...own }, settingsOf(options, making))
}

/** `POST /admin/simple/accounts/workspaces/`: creates the workspace with its default project. */
export const createWorkspaceAsAdmin = (
  db: Database,
  { workspace, options }: z.output<typeof workspaceBody>,
  making: Making,
): Promise<GraphAnswer> => {
  const { organization_ref } = workspace
  const project = { name: 'Default', organization_ref, workspace_ref: named('wrk'), is_default: undefined }
  const settings = { ...settingsOf(options, making), joinMembers: true, reuseProjects: true }
  return make(db, { workspaces: one('wrk', workspace), projects: one('prj', project) }, settings)
}

/** `POST /admin/simple/accounts/projects/`: the members of the workspace become members of the project. */
export const createProjectAsAdmin = (
  db: Database,
  { project, options }: z.output<typeof projectBody>,
  making: Making,
): Promise<GraphAnswer> =>
  make(db, { projects: one('prj', project) }, { ...settingsOf(options, making), joinMembers: true })

export const createOrganizationMembership = (
  db: Database,
  { membership, options }: z.output<typeof organizationMembershipBody>,
): Promise<GraphAnswer> =>
  make(db, { organization_memberships: one('mem', membership) }, settingsOf(options, { seeds: [] }))

export const createWorkspaceMembership = (
  db: Database,
  { membership, options }: z.output<typeof workspaceMembershipBody>,
): Promise<GraphAnswer> =>
  make(db, { workspace_memberships: one('mem', membership) }, settingsOf(options, { seeds: [] }))

export const createProjectMembership = (
  db: Database,
  { membership, options }: z.output<typeof projectMembershipBody>,
): Promise<GraphAnswer> => make(db, { project_memberships: one('mem', membership) }, settingsOf(options, { seeds: [] }))

/** `POST /admin/simple/accounts/api-keys/`: returns the text of the key only if `return_api_keys` is set. */
export const createApiKeyAsAdmin = (
  db: Database,
  { api_key, options }: z.output<typeof apiKeyBody>,
): Promise<GraphAnswer> =>
  make(db, { api_keys: one('key', api_key) }, { ...settingsOf(options, { seeds: [] }), createApiKeys: true })

/** An organization with a workspace, a project, and the user as owner at all three scopes. */
function scaffold(name: string, user_ref: Reference): GraphParts {
  const [organization_ref, workspace_ref, project_ref] = [named('org'), named('wrk'), named('prj')]
  const role = 'owner'
  return {
    organizations: one('org', { name, slug: undefined, metadata: undefined, owner_user_ref: user_ref }),
    workspaces: one('wrk', { name: 'Default', slug: undefined, organization_ref }),
    projects: one('prj', { name: 'Default', organization_ref, workspace_ref, is_default: true }),
    organization_memberships: one('mem', { organization_ref, user_ref, role }),
    workspace_memberships: one('mem', { workspace_ref, user_ref, role }),
    project_memberships: one('mem', { project_ref, user_ref, role }),
  }
}

/** The default project of the first organization that the user with this address owns. */
async function ownProject(trx: Trx, email: string): Promise<Uuid | null> {
  const user_id = await findUser(trx, byEmail(email))
  if (user_id === null) return null
  const row = await trx
    .selectFrom('projects')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select('projects.id')
    .where('organizations.owner_id', '=', user_id)
    .where('projects.is_default', '=', true)
    .orderBy('projects.id')
    .executeTakeFirst()
  return row?.id ?? null
}
