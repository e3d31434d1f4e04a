import type { Database } from '@spanhouse/postgres'
import { validate } from '@spanhouse/validation'
import { describe, expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { countOf, create, freshEmail, makeAccount, only, principalOf } from '../account.testing.ts'
import { isHashOf } from '../credentials/password.testing.ts'
import { createAccountsBody } from './account-body.ts'
import { createAccounts } from './accounts.ts'
import type { NewProject, Seed } from './seed.ts'

onEachDatabase('what accounts are made with', postgres => {
  const db = () => postgres().db

  describe('options', () => {
    test('create_api_keys false makes no key', async () => {
      const account = await makeAccount(db(), { options: { create_api_keys: false } })
      expect(account).not.toHaveProperty('api_keys')
      expect(await keysOf(db(), account.user.id)).toBe(0)
    })

    test('return_api_keys false makes a key and keeps it to itself', async () => {
      const account = await makeAccount(db(), { options: { return_api_keys: false } })
      expect(account).not.toHaveProperty('api_keys')
      expect(await keysOf(db(), account.user.id)).toBe(1)
    })

    test("an account's own list of keys is ignored", async () => {
      const account = await makeAccount(db(), { api_keys: [{ name: 'mine' }] })
      expect(Object.keys(account.api_keys ?? {})).toEqual(['key'])
      expect(await keysOf(db(), account.user.id)).toBe(1)
    })

    test('options of an account replace those of the request as a whole', async () => {
      const answer = await create(db(), {
        options: { create_api_keys: false, seed_defaults: false, idempotency_key: null },
        accounts: {
          own: { user: { email: freshEmail() }, options: {} },
          none: { user: { email: freshEmail() } },
        },
      })
      expect(answer.accounts.own).toHaveProperty('api_keys')
      expect(answer.accounts.none).not.toHaveProperty('api_keys')
    })

    test('seeds run in the transaction, for accounts that want them', async () => {
      const seeded: NewProject[] = []
      const seed: Seed = async (trx, project) => {
        await trx.updateTable('projects').set({ description: 'seeded' }).where('id', '=', project.project_id).execute()
        seeded.push(project)
      }
      const body = {
        accounts: {
          yes: { user: { email: freshEmail() } },
          no: { user: { email: freshEmail() }, options: { seed_defaults: false } },
        },
      }
      const { yes, no } = (await create(db(), body, [seed])).accounts
      const { prj } = yes?.projects ?? {}
      expect(seeded).toEqual([
        {
          project_id: prj?.id,
          workspace_id: prj?.workspace_id,
          organization_id: prj?.organization_id,
          user_id: yes?.user.id,
        },
      ])
      const projects = await db()
        .selectFrom('projects')
        .select('description')
        .where('id', 'in', [prj?.id as string, no?.projects.prj.id as string])
        .orderBy('id')
        .execute()
      expect(projects).toEqual([{ description: 'seeded' }, { description: null }])
    })

    test('a seed that fails leaves nothing of the whole request', async () => {
      const before = await countOf(db(), 'users')
      const failing: Seed = async () => {
        throw new Error('no evaluator')
      }
      const body = { accounts: { a: { user: { email: freshEmail() } }, b: { user: { email: freshEmail() } } } }
      await expect(create(db(), body, [failing])).rejects.toThrow('no evaluator')
      expect(await countOf(db(), 'users')).toBe(before)
    })
  })

  describe('identities', () => {
    const withIdentities = (email: string, user_identities: object[], options = {}) =>
      create(db(), { accounts: { a: { user: { email }, user_identities, options } } })

    test('a password is stored as its hash', async () => {
      const email = freshEmail()
      const identity = {
        method: 'email:password',
        subject: 'ignored',
        email,
        password: 'Long-Enough-1',
        verified: true,
      }
      const account = only(await withIdentities(email, [identity]))
      expect(account.user_identities).toMatchObject([{ subject: email, email, verified: true, status: 'created' }])
      const stored = await db()
        .selectFrom('user_identities')
        .selectAll()
        .where('id', '=', account.user_identities[0]?.id ?? '')
        .executeTakeFirstOrThrow()
      expect(JSON.stringify(stored)).not.toContain('Long-Enough-1')
      expect(isHashOf('Long-Enough-1', stored.password_hash ?? '')).toBe(true)
    })

    test.each([
      ['another method', { method: 'social:google', subject: 's' }, 'not_implemented', { method: 'social:google' }],
      ['a code by mail', { method: 'email:otp', subject: 's@x.test' }, 'identity_method_unavailable', {}],
      ['no password', { method: 'email:password', subject: 's@x.test' }, 'invalid_identity', { email: 's@x.test' }],
      ['no address', { method: 'email:password', subject: 's', password: 'p' }, 'invalid_identity', {}],
    ])('%s: the account is made and the error is told', async (_name, identity, code, details) => {
      const good = { method: 'email:password', subject: freshEmail(), password: 'p' }
      const answer = await withIdentities(freshEmail(), [good, identity])
      expect(only(answer).user_identities).toMatchObject([{ subject: good.subject }])
      const error = { code, message: expect.any(String), details: { ref: 'identity_1', ...details } }
      expect(answer.errors).toMatchObject([error])
    })

    test('an address that somebody signs in with already', async () => {
      const identity = { method: 'email:password', subject: freshEmail(), password: 'p' }
      expect(await withIdentities(freshEmail(), [identity])).not.toHaveProperty('errors')
      const again = await withIdentities(freshEmail(), [{ ...identity, subject: identity.subject.toUpperCase() }])
      expect(only(again).user_identities).toEqual([])
      expect(again.errors).toMatchObject([{ code: 'identity_already_exists', details: { ref: 'identity_0' } }])
    })

    test('create_identities false makes none', async () => {
      const identity = { method: 'email:password', subject: freshEmail(), password: 'p' }
      const answer = await withIdentities(freshEmail(), [identity], { create_identities: false })
      expect(only(answer).user_identities).toEqual([])
    })
  })

  describe('a dry run', () => {
    const everything = async () => [await countOf(db(), 'users'), await countOf(db(), 'api_keys')]

    test.each([
      ['of the request', { options: { dry_run: true } }, {}],
      [
        'of the request, with options of the account',
        { options: { dry_run: true } },
        { options: { create_api_keys: true } },
      ],
      ['of the account', {}, { options: { dry_run: true } }],
    ])('%s answers the same without a key and stores nothing', async (_name, request, account) => {
      const before = await everything()
      const user_identities = [{ method: 'email:password', subject: freshEmail(), password: 'p' }]
      const body = { ...request, accounts: { a: { user: { email: freshEmail() }, user_identities, ...account } } }
      const dry = only(await create(db(), body))
      expect(await everything()).toEqual(before)
      const real = await makeAccount(db(), { user_identities })
      const { api_keys: _key, ...rest } = real
      expect(Object.keys(dry)).toEqual(Object.keys(rest))
      expect(dry.user_identities).toHaveLength(1)
    })

    test('fails where the real one would', async () => {
      const { email } = (await makeAccount(db())).user
      const body = { options: { dry_run: true }, accounts: { a: { user: { email } } } }
      await expect(create(db(), body)).rejects.toMatchObject({ status: 409, detail: { email } })
    })

    test('of one account leaves the others real', async () => {
      const body = {
        accounts: {
          dry: { user: { email: freshEmail() }, options: { dry_run: true } },
          real: { user: { email: freshEmail() } },
        },
      }
      const { dry, real } = (await create(db(), body)).accounts
      const stored = await db()
        .selectFrom('users')
        .select('id')
        .where('id', 'in', [dry?.user.id as string, real?.user.id as string])
        .execute()
      expect(stored).toEqual([{ id: real?.user.id }])
    })
  })

  describe('an idempotency key', () => {
    const bodyWith = (idempotency_key: string, user = { email: freshEmail() }) => ({
      options: { idempotency_key },
      accounts: { a: { user } },
    })

    test('makes a repeated request answer as the first did, key included', async () => {
      const body = bodyWith(freshEmail())
      const first = await create(db(), body)
      expect(await create(db(), body)).toEqual(first)
      expect(await principalOf(db(), only(first))).toMatchObject({ role: 'owner' })
    })

    test('covers errors too', async () => {
      const user_identities = [{ method: 'social:google', subject: 's' }]
      const body = bodyWith(freshEmail())
      Object.assign(body.accounts.a, { user_identities })
      const first = await create(db(), body)
      expect(first.errors).toHaveLength(1)
      expect(await create(db(), body)).toEqual(first)
    })

    test('of two requests at once, one makes the account and both get it', async () => {
      const body = bodyWith(freshEmail())
      const answers = await Promise.all(Array.from({ length: 5 }, () => create(db(), body)))
      for (const answer of answers) expect(answer).toEqual(answers[0])
    })

    test('with another request is refused', async () => {
      const key = freshEmail()
      await create(db(), bodyWith(key))
      await expect(create(db(), bodyWith(key))).rejects.toMatchObject({
        status: 422,
        detail: [{ loc: ['body', 'options', 'idempotency_key'], input: key }],
      })
    })

    test('of an account is its own', async () => {
      const options = { idempotency_key: freshEmail() }
      const account = () => ({ user: { email: freshEmail() }, options })
      const first = { x: account(), y: account() }
      const answer = await create(db(), { accounts: first })
      expect(await create(db(), { accounts: first })).toEqual(answer)
      await expect(create(db(), { accounts: { x: account() } })).rejects.toMatchObject({
        status: 422,
        detail: [{ loc: ['body', 'accounts', 'x', 'options', 'idempotency_key'] }],
      })
    })

    test('is free again when the request failed', async () => {
      const taken = await makeAccount(db())
      const key = freshEmail()
      await expect(create(db(), bodyWith(key, taken.user))).rejects.toMatchObject({ status: 409 })
      expect(only(await create(db(), bodyWith(key)))).toHaveProperty('api_keys')
    })

    test('leaves nothing readable behind, and nothing after a day', async () => {
      const key = freshEmail()
      const answer = only(await create(db(), bodyWith(key)))
      const stored = JSON.stringify(await db().selectFrom('account_requests').selectAll().execute())
      for (const text of [key, answer.user.email, answer.api_keys?.key as string]) expect(stored).not.toContain(text)
      await db().updateTable('account_requests').set({ created_at: '2026-01-01T00:00:00Z' }).execute()
      await create(db(), bodyWith(key))
      expect(await db().selectFrom('account_requests').select('id').execute()).toHaveLength(1)
    })

    test('does not help when the secret was changed since', async () => {
      const body = bodyWith(freshEmail())
      await create(db(), body)
      const again = createAccounts(db(), validate(createAccountsBody, body, 'body'), { secret: 'another' })
      await expect(again).rejects.toMatchObject({ status: 409, detail: { email: body.accounts.a.user.email } })
    })
  })
})

async function keysOf(db: Database, user_id: string): Promise<number> {
  return (await db.selectFrom('api_keys').select('id').where('user_id', '=', user_id).execute()).length
}
