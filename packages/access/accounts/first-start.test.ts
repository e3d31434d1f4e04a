import { type Database, openPostgres } from '@spanhouse/postgres'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { postgresAvailable, startPostgres } from '../../postgres/postgres-server.testing.ts'
import { countOf, makeAccount } from '../account.testing.ts'
import { makeApiKey } from '../credentials/api-key.ts'
import { openAuthenticator } from '../credentials/authenticate.ts'
import { ensureDefaultProject } from './first-start.ts'

const authenticate = (db: Database, key: string | undefined) =>
  openAuthenticator(db, {}).authenticate(`ApiKey ${key}`, '/x')

onEachDatabase('the first start', postgres => {
  const db = () => postgres().db
  beforeEach(async () => {
    await db().deleteFrom('users').execute()
  })

  test('makes a project with a key, and the next start finds it', async () => {
    const seed = vi.fn()
    const { project, apiKey } = await ensureDefaultProject(db(), { seeds: [seed] })
    expect(await authenticate(db(), apiKey)).toMatchObject({ ...project, organization_name: 'Default', role: 'owner' })
    expect(seed).toHaveBeenCalledExactlyOnceWith(expect.anything(), project)
    expect(await ensureDefaultProject(db(), { seeds: [seed] })).toEqual({ project })
    expect(seed).toHaveBeenCalledOnce()
    expect(await countOf(db(), 'api_keys')).toBe(1)
  })

  test('many at once make one project and one key', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => ensureDefaultProject(db())))
    expect(new Set(results.map(one => one.project.project_id)).size).toBe(1)
    expect(results.filter(one => one.apiKey !== undefined)).toHaveLength(1)
  })

  test('is not hindered by other accounts', async () => {
    const { projects } = await makeAccount(db())
    const { project } = await ensureDefaultProject(db())
    expect(project.project_id).not.toBe(projects.prj.id)
    expect(await ensureDefaultProject(db())).toEqual({ project })
  })

  test('comes again when the organization was deleted', async () => {
    const first = await ensureDefaultProject(db())
    await db().deleteFrom('organizations').execute()
    const second = await ensureDefaultProject(db())
    expect(second.project.user_id).toBe(first.project.user_id)
    expect(await authenticate(db(), second.apiKey)).toMatchObject({ project_id: second.project.project_id })
  })

  describe('a key that is kept already', () => {
    test('becomes that of an empty database, and is not told', async () => {
      const keptKey = makeApiKey()
      const keepKey = vi.fn()
      const { project, ...rest } = await ensureDefaultProject(db(), { keptKey, keepKey })
      expect(rest).toEqual({})
      expect(keepKey).not.toHaveBeenCalled()
      expect(await authenticate(db(), keptKey)).toMatchObject({ ...project, role: 'owner' })
      expect(await countOf(db(), 'api_keys')).toBe(1)
    })

    test('does not come back with the default project once it was deleted', async () => {
      const { apiKey: keptKey = '' } = await ensureDefaultProject(db())
      await db().deleteFrom('organizations').execute()
      const { apiKey } = await ensureDefaultProject(db(), { keptKey })
      expect(await authenticate(db(), apiKey)).toMatchObject({ role: 'owner' })
      await expect(authenticate(db(), keptKey)).rejects.toMatchObject({ status: 401 })
    })

    test('is replaced if it is none', async () => {
      const { apiKey } = await ensureDefaultProject(db(), { keptKey: 'not a key' })
      expect(await authenticate(db(), apiKey)).toMatchObject({ role: 'owner' })
    })
  })

  describe('a preset key', () => {
    test.each([
      ['in our format', makeApiKey()],
      ['in another', 'sk-local-development'],
    ])('%s works at once and is not told', async (_name, apiKey) => {
      const { project, ...rest } = await ensureDefaultProject(db(), { apiKey })
      expect(rest).toEqual({})
      expect(await authenticate(db(), apiKey)).toMatchObject(project)
      await ensureDefaultProject(db(), { apiKey })
      expect(await countOf(db(), 'api_keys')).toBe(1)
      const stored = JSON.stringify(await db().selectFrom('api_keys').selectAll().execute())
      expect(stored).not.toContain(apiKey)
    })

    test('is added to a project that is there, and replaces the one that was preset before', async () => {
      const { apiKey } = await ensureDefaultProject(db())
      for (const preset of ['first-preset', 'second-preset']) await ensureDefaultProject(db(), { apiKey: preset })
      await expect(authenticate(db(), 'first-preset')).rejects.toMatchObject({ status: 401 })
      for (const key of ['second-preset', apiKey])
        expect(await authenticate(db(), key)).toMatchObject({ role: 'owner' })
    })

    test('stays when a later start presets none', async () => {
      await ensureDefaultProject(db(), { apiKey: 'preset' })
      await ensureDefaultProject(db())
      expect(await authenticate(db(), 'preset')).toMatchObject({ role: 'owner' })
    })

    test('at ten starts at once is one key', async () => {
      const apiKey = makeApiKey()
      await Promise.all(Array.from({ length: 10 }, () => ensureDefaultProject(db(), { apiKey })))
      expect(await countOf(db(), 'api_keys')).toBe(1)
      expect(await countOf(db(), 'projects')).toBe(1)
    })

    test.each(['', 'two words', 'naïve', 'x'.repeat(257)])('%j is refused by the name of the setting', async apiKey => {
      await expect(ensureDefaultProject(db(), { apiKey })).rejects.toThrow('SPANHOUSE_API_KEY must be')
    })

    test('that begins like another key is refused', async () => {
      const taken = (await makeAccount(db())).api_keys?.key as string
      const apiKey = `${taken.slice(0, 8)}.${'0'.repeat(64)}`
      for (const preset of [apiKey, taken]) {
        await expect(ensureDefaultProject(db(), { apiKey: preset })).rejects.toThrow('SPANHOUSE_API_KEY conflicts with')
      }
    })
  })
})

test.skipIf(!postgresAvailable)('ten processes that migrate and start at once have one default project', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const processes = await Promise.all(Array.from({ length: 10 }, () => openPostgres({ url: server.url })))
  const started = await Promise.all(
    processes.map(async postgres => {
      await postgres.migrate()
      return ensureDefaultProject(postgres.db)
    }),
  )
  expect(new Set(started.map(one => one.project.project_id)).size).toBe(1)
  const keys = started.map(one => one.apiKey).filter(key => key !== undefined)
  expect(keys).toHaveLength(1)
  expect(await authenticate((processes[0] as { db: Database }).db, keys[0])).toMatchObject({ role: 'owner' })
  await Promise.all(processes.map(postgres => postgres.close()))
})
