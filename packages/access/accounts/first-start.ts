import type { Uuid } from '@spanhouse/model'
import { type Database, newId, sql, type Trx, toJsonb, withDatabaseProblems } from '@spanhouse/postgres'
import { identifyApiKey, isSameKey, type KeyIdentity } from '../credentials/api-key.ts'
import { insertApiKey } from '../credentials/stored-keys.ts'
import { lockWorkspace } from '../organizations/projects.ts'
import { byEmail, findUser } from '../organizations/reference.ts'
import { account } from './account-body.ts'
import { insertAccounts, insertOrganizations } from './account-insert.ts'
import { accountRowsOf } from './account-rows.ts'
import { type NewProject, newProjectOf, type Seed } from './seed.ts'

/** Marks the project that is created at the first start. Names, slugs and owners can change. */
const FIRST = toJsonb({ is_first: true })
const DEFAULT_EMAIL = 'owner@spanhouse.local'
/** The name of the key that the setting presets; used to find it when the setting changes. */
const SETTING = 'SPANHOUSE_API_KEY'

export interface FirstStartOptions {
  /** Presets the key of the default project: up to 256 visible ASCII characters, preferably long and random. */
  apiKey?: string
  seeds?: readonly Seed[]
  keepKey?: KeepKey
  /** What an earlier start, on another database, passed to `keepKey`: an empty database gets the same key. */
  keptKey?: string
}

/**
 * Stores a generated key, of which the database has only a hash, where its owner finds it. Called before it is valid:
 * if this rejects, nothing is created, and the next start generates another one.
 */
export type KeepKey = (apiKey: string) => Promise<void>

export interface DefaultProject {
  project: NewProject
  /** The new key, when one was generated: only at the first start on a database, and if no key is preset or kept. */
  apiKey?: string
}

/**
 * Creates the default organization, workspace, project, user and API key if they do not exist. Any number of processes
 * may call this at the same time. A preset key becomes the default project's key, and the previously preset one stops
 * working. Throws an Error that names the setting when the preset text cannot be a key or conflicts with an existing
 * key.
 */
export async function ensureDefaultProject(
  db: Database,
  { apiKey, seeds = [], keepKey, keptKey }: FirstStartOptions = {},
): Promise<DefaultProject> {
  const preset = apiKey === undefined ? null : identifyApiKey(apiKey)
  if (apiKey !== undefined && preset === null) {
    throw new Error(`${SETTING} must be 1 to 256 visible ASCII characters without spaces`)
  }
  return withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      await sql`select pg_advisory_xact_lock(hashtextextended('spanhouse first start', 0))`.execute(trx)
      const existing = await findMarkedProject(trx, FIRST)
      // Where the default project was deleted, its key must not come back with the next one.
      const kept = keptKey !== undefined && (await isEmpty(trx)) ? identifyApiKey(keptKey) : null
      const project = existing ?? (await makeDefaultProject(trx, seeds))
      if (preset !== null) await presetKey(trx, project, preset)
      if (preset !== null || existing !== null) return { project }
      if (kept !== null) {
        await insertKey(trx, project, kept)
        return { project }
      }
      return { project, apiKey: await makeKey(trx, project, keepKey) }
    }),
  )
}

/** Marks the project of the server's own traces. */
const SELF = toJsonb({ is_self: true })

/**
 * The project of the server's own traces, created with a key if it does not exist. It has an organization of its own,
 * of the default project's owner: members of other organizations, the default one included, cannot read it. Any number
 * of processes may call this at the same time, once the default project exists.
 */
export const ensureSelfProject = (
  db: Database,
  { seeds = [], keepKey }: Omit<FirstStartOptions, 'apiKey'> = {},
): Promise<DefaultProject> =>
  withDatabaseProblems(() =>
    db.transaction().execute(async trx => {
      const first = await findMarkedProject(trx, FIRST)
      if (first === null) throw new Error('the default project does not exist')
      await lockWorkspace(trx, first.workspace_id)
      const existing = await findMarkedProject(trx, SELF)
      if (existing !== null) return { project: existing }
      const project = await makeProject(trx, SELF, { organization: 'Spanhouse', owner: first.user_id })
      for (const seed of seeds) await seed(trx, project)
      return { project, apiKey: await makeKey(trx, project, keepKey) }
    }),
  )

async function makeKey(trx: Trx, { user_id, project_id }: NewProject, keepKey: KeepKey | undefined): Promise<string> {
  const apiKey = await insertApiKey(trx, { user_id, project_id })
  await keepKey?.(apiKey)
  return apiKey
}

async function isEmpty(trx: Trx): Promise<boolean> {
  return (await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined
}

async function insertKey(trx: Trx, { user_id, project_id }: NewProject, key: KeyIdentity): Promise<void> {
  await trx
    .insertInto('api_keys')
    .values({ id: newId(), ...key, user_id, project_id })
    .execute()
}

async function findMarkedProject(trx: Trx, mark: typeof FIRST): Promise<NewProject | null> {
  const row = await trx
    .selectFrom('projects')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select(['projects.id as project_id', 'projects.workspace_id', 'projects.organization_id'])
    .select('organizations.owner_id as user_id')
    .where(sql<boolean>`projects.flags @> ${mark}::jsonb`)
    .executeTakeFirst()
  return row ?? null
}

async function makeDefaultProject(trx: Trx, seeds: readonly Seed[]): Promise<NewProject> {
  const project = await makeProject(trx, FIRST, { organization: 'Default' })
  for (const seed of seeds) await seed(trx, project)
  return project
}

interface ProjectMaking {
  organization: string
  /**
   * An existing user. By default the one with the default address, who may exist already: an administrator can delete
   * an organization and keep its owner.
   */
  owner?: Uuid
}

/** A marked project in a new organization. */
async function makeProject(trx: Trx, mark: typeof FIRST, { organization, owner }: ProjectMaking): Promise<NewProject> {
  const user = owner ?? (await findUser(trx, byEmail(DEFAULT_EMAIL)))
  const body = account.parse({
    user: { email: DEFAULT_EMAIL, username: 'owner' },
    organization: { name: organization },
  })
  const rows = await accountRowsOf(trx, body, user ?? undefined)
  rows.project.flags = mark
  await (user === null ? insertAccounts(trx, [rows]) : insertOrganizations(trx, [rows]))
  return newProjectOf(rows)
}

async function presetKey(trx: Trx, { project_id, user_id }: NewProject, preset: KeyIdentity): Promise<void> {
  const { prefix } = preset
  await trx
    .deleteFrom('api_keys')
    .where('name', '=', SETTING)
    .where('project_id', '=', project_id)
    .where('prefix', '!=', prefix)
    .execute()
  await trx
    .insertInto('api_keys')
    .values({ id: newId(), ...preset, project_id, user_id, name: SETTING })
    .onConflict(conflict => conflict.column('prefix').doNothing())
    .execute()
  const key = await trx.selectFrom('api_keys').selectAll().where('prefix', '=', prefix).executeTakeFirstOrThrow()
  if (isSameKey(preset, key) && key.project_id === project_id) return
  throw new Error(`${SETTING} conflicts with an existing API key: choose a different key`)
}
