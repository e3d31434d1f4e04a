import { afterAll, beforeAll, expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { makeAccount } from '../account.testing.ts'
import { type Authenticator, openAuthenticator } from './authenticate.ts'
import { type ProjectPrincipal, requireProject } from './principal.ts'
import { createApiKey, insertApiKey, listApiKeys, revokeApiKey } from './stored-keys.ts'

const UNAUTHORIZED = { status: 401, detail: { message: 'Unauthorized' } }

const project = async (authenticator: Authenticator, key: string): Promise<ProjectPrincipal> => {
  const principal = await authenticator.authenticate(`ApiKey ${key}`, '/spans')
  requireProject(principal)
  return principal
}

onEachDatabase('API keys', postgres => {
  const db = () => postgres().db
  let authenticator: Authenticator
  let key: string
  let principal: ProjectPrincipal
  beforeAll(async () => {
    authenticator = openAuthenticator(db(), {})
    key = (await makeAccount(db())).api_keys?.key as string
    principal = await project(authenticator, key)
  })
  afterAll(() => authenticator.close())

  test('are made, listed newest first, and stop working at once when they are revoked', async () => {
    const own = await project(authenticator, (await makeAccount(db())).api_keys?.key as string)
    const made = [await createApiKey(db(), own), await createApiKey(db(), own)]
    const newest = made.map(key => key.slice(0, 8)).reverse()
    const listed = await listApiKeys(db(), own)
    expect(listed.map(one => one.prefix).slice(0, 2)).toEqual(newest)
    expect(listed).toHaveLength(3)
    expect(listed[0]).toEqual({
      prefix: newest[0],
      created_at: expect.any(String),
      last_used_at: null,
      expiration_date: null,
    })
    const [revoked = '', kept = ''] = made
    await project(authenticator, revoked)
    const message = await revokeApiKey(db(), authenticator, own, revoked.slice(0, 8))
    expect(message).toEqual({ message: expect.any(String) })
    await expect(project(authenticator, revoked)).rejects.toMatchObject(UNAUTHORIZED)
    await project(authenticator, kept)
  })

  test('of other users and projects are not listed, of other users not revoked', async () => {
    const stranger = await project(authenticator, (await makeAccount(db())).api_keys?.key as string)
    const prefix = key.slice(0, 8)
    expect((await listApiKeys(db(), stranger)).map(one => one.prefix)).not.toContain(prefix)
    for (const absent of [prefix, 'nothing']) {
      const detail = { message: expect.any(String), prefix: absent }
      await expect(revokeApiKey(db(), authenticator, stranger, absent)).rejects.toMatchObject({ status: 404, detail })
    }
    await project(authenticator, key)
  })

  test('that are hidden work and are not listed', async () => {
    const { user_id, project_id } = principal
    const hidden = await insertApiKey(db(), { user_id, project_id, hidden: true })
    expect(await project(authenticator, hidden)).toEqual({ ...principal, key_prefix: hidden.slice(0, 8) })
    expect((await listApiKeys(db(), principal)).map(one => one.prefix)).not.toContain(hidden.slice(0, 8))
  })

  test.each([
    ['a second ago', -1_000, false],
    ['in a minute', 60_000, true],
  ])('that expire %s', async (_name, fromNowMs, works) => {
    const { user_id, project_id } = principal
    const expires_at = new Date(Date.now() + fromNowMs).toISOString()
    const expiring = await insertApiKey(db(), { user_id, project_id, expires_at })
    const answer = project(authenticator, expiring)
    if (works) expect(await answer).toEqual({ ...principal, key_prefix: expiring.slice(0, 8) })
    else await expect(answer).rejects.toMatchObject(UNAUTHORIZED)
  })

  test('need permissions', () => {
    const annotator = { ...principal, permissions: new Set(['view_spans'] as const) }
    const refused = expect.objectContaining({ status: 403 })
    expect(() => listApiKeys(db(), annotator)).toThrow(refused)
    expect(() => createApiKey(db(), annotator)).toThrow(refused)
  })

  test('are marked as used, once for many uses', async () => {
    const { user_id, project_id } = principal
    const used = await insertApiKey(db(), { user_id, project_id })
    const before = Date.now()
    await Promise.all(Array.from({ length: 50 }, () => project(authenticator, used)))
    await authenticator.close()
    const row = async () =>
      (await listApiKeys(db(), principal)).find(one => one.prefix === used.slice(0, 8))?.last_used_at ?? ''
    const first = await row()
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before)
    authenticator.forget()
    await project(authenticator, used)
    await authenticator.close()
    expect(await row()).toBe(first)
  })
})
