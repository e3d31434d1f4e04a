import { newId } from '@spanhouse/postgres'
import { validate } from '@spanhouse/validation'
import { describe, expect, test, vi } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { countOf, freshEmail, makeAccount, principalOf } from '../account.testing.ts'
import { type CredentialCache, openAuthenticator } from '../credentials/authenticate.ts'
import { deleteAccountsBody } from './account-body.ts'
import { deleteAccounts } from './deletion.ts'

onEachDatabase('deleting', postgres => {
  const db = () => postgres().db
  const cache = { forget: () => undefined }
  const removeAll = async (body: unknown, forgetful: CredentialCache = cache) =>
    deleteAccounts(db(), forgetful, validate(deleteAccountsBody, body, 'body'))
  const remove = (user: object) => removeAll({ accounts: { k: { user } } })

  describe('accounts', () => {
    test.each(['id', 'email'] as const)('by %s takes everything that is the user’s', async member => {
      const before = await countOf(db(), 'users')
      const account = await makeAccount(db(), {
        user_identities: [{ method: 'email:password', subject: freshEmail(), password: 'p' }],
      })
      const deleted = await remove({ [member]: account.user[member] })
      expect(deleted).toEqual({
        users: [account.user.id],
        organizations: [account.organizations.org.id],
        workspaces: [account.workspaces.wrk.id],
        projects: [account.projects.prj.id],
      })
      expect(await countOf(db(), 'users')).toBe(before)
      for (const table of [
        'user_identities',
        'organizations',
        'projects',
        'project_memberships',
        'api_keys',
      ] as const) {
        expect([table, await countOf(db(), table)]).toEqual([table, 0])
      }
    })

    test('an owned organization goes though others are members; theirs stay', async () => {
      const owner = await makeAccount(db())
      const guest = await makeAccount(db(), {
        project_memberships: [
          { project_ref: { id: owner.projects.prj.id }, user_ref: { ref: 'user' }, role: 'viewer' },
          { project_ref: { ref: 'prj' }, user_ref: { ref: 'user' }, role: 'owner' },
        ],
      })
      await remove({ id: owner.user.id })
      expect(await principalOf(db(), guest)).toMatchObject({ project_id: guest.projects.prj.id, role: 'owner' })
      expect(await countOf(db(), 'project_memberships')).toBe(1)
      await remove({ id: guest.user.id })
    })

    test('the key stops working at once', async () => {
      const account = await makeAccount(db())
      const authenticator = openAuthenticator(db(), { cacheSeconds: 60 })
      const header = `ApiKey ${account.api_keys?.key}`
      await authenticator.authenticate(header, '/x')
      await removeAll({ accounts: { k: { user: { id: account.user.id } } } }, authenticator)
      await expect(authenticator.authenticate(header, '/x')).rejects.toMatchObject({ status: 401 })
      await authenticator.close()
    })

    test('a dry run tells what would go, and keeps it', async () => {
      const account = await makeAccount(db())
      const forget = vi.fn()
      const body = { accounts: { k: { user: { email: account.user.email.toUpperCase() } } }, dry_run: true }
      const deleted = await removeAll(body, { forget })
      expect(deleted.projects).toEqual([account.projects.prj.id])
      expect(await principalOf(db(), account)).toMatchObject({ role: 'owner' })
      expect(forget).not.toHaveBeenCalled()
      await remove({ id: account.user.id })
    })

    test('an unknown email is passed over', async () => {
      expect(await remove({ email: freshEmail() })).toMatchObject({ users: [] })
    })

    const absent = newId()
    test.each([
      ['an unknown id', { id: absent }, 404, { ref: absent }],
      ['an id that is no UUID', { id: 'x' }, 400, { ref: 'x' }],
      ['a local name', { ref: 'user' }, 400, { ref: 'user' }],
      ['a slug', { slug: 's' }, 400, { ref: 's' }],
    ])('%s is refused and nothing is deleted', async (_name, user, status, detail) => {
      const account = await makeAccount(db())
      const body = { accounts: { good: { user: { id: account.user.id } }, bad: { user } } }
      await expect(removeAll(body)).rejects.toMatchObject({ status, detail })
      await remove({ id: account.user.id })
    })

    test.each([
      [undefined, ['body']],
      [{}, ['body', 'accounts']],
      [{ accounts: { k: {} } }, ['body', 'accounts', 'k', 'user']],
      [{ accounts: { k: { user: {} } } }, ['body', 'accounts', 'k', 'user']],
    ])('%j is a 422', async (body, loc) => {
      await expect(removeAll(body)).rejects.toMatchObject({ status: 422, detail: [{ loc }] })
    })
  })
})
