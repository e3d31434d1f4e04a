import { describe, expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { countOf, create, freshEmail, makeAccount, only, principalOf } from '../account.testing.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const id = expect.stringMatching(UUID_V7)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/)

onEachDatabase('creating accounts', postgres => {
  const db = () => postgres().db

  test('the worked example', async () => {
    const answer = await create(db(), {
      options: { seed_defaults: true },
      accounts: {
        qa: {
          user: { email: 'qa@corp.test', username: 'qa', name: 'Quinn' },
          organization: { name: 'Corp' },
          project: { name: 'Sandbox', organization_ref: { ref: 'org' }, workspace_ref: { ref: 'wrk' } },
          user_identities: [{ method: 'email:password', subject: 'qa@corp.test', password: 'Long-Enough-1' }],
          options: { create_api_keys: true, return_api_keys: true, seed_defaults: true },
        },
      },
    })
    const { qa } = answer.accounts
    const user_id = qa?.user.id
    const organization_id = qa?.organizations.org.id
    const workspace_id = qa?.workspaces.wrk.id
    const project_id = qa?.projects.prj.id
    expect(answer).toEqual({
      accounts: {
        qa: {
          user: {
            id,
            uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
            email: 'qa@corp.test',
            username: 'qa',
            name: 'qa',
            created_at: time,
          },
          user_identities: [
            {
              id: expect.any(String),
              user_id,
              method: 'email:password',
              subject: 'qa@corp.test',
              email: 'qa@corp.test',
              status: 'created',
              verified: false,
            },
          ],
          organizations: { org: { id, name: 'Corp', owner_user_id: user_id, created_at: time } },
          workspaces: { wrk: { id, name: 'Default', organization_id } },
          projects: { prj: { id, name: 'Sandbox', organization_id, workspace_id, is_default: true } },
          organization_memberships: [{ id, organization_id, user_id, role: 'owner' }],
          workspace_memberships: [{ id, workspace_id, user_id, role: 'owner' }],
          project_memberships: [{ id, project_id, user_id, role: 'owner' }],
          api_keys: { key: expect.stringMatching(/^[A-Za-z0-9]{8}\.[0-9a-f]{64}$/) },
        },
      },
    })
    const membershipId = qa?.organization_memberships[0]?.id
    const ids = [user_id, organization_id, workspace_id, project_id, membershipId] as string[]
    expect(ids).toEqual([...ids].sort())
  })

  test('the key works at once, for the project and with the role', async () => {
    const account = await makeAccount(db(), { organization: { name: 'Acme' } })
    expect(await principalOf(db(), account)).toMatchObject({
      user_id: account.user.id,
      user_email: account.user.email,
      project_id: account.projects.prj.id,
      workspace_id: account.workspaces.wrk.id,
      organization_id: account.organizations.org.id,
      organization_name: 'Acme',
      role: 'owner',
    })
  })

  describe('what is left out', () => {
    test.each([
      [{ username: 'u', name: 'n' }, 'u'],
      [{ name: 'n' }, 'n'],
      [{ username: null }, expect.stringMatching(/^user-[\d-]+$/)],
    ])('the user is called by %j', async (user, username) => {
      const account = await makeAccount(db(), { user: { email: freshEmail(), ...user } })
      expect(account.user).toMatchObject({ username, name: username })
      expect(account.organizations.org.name).toBe(account.user.username)
      expect(account.workspaces.wrk.name).toBe('Default')
      expect(account.projects.prj.name).toBe('Default')
      expect(account.user_identities).toEqual([])
    })

    test('names and slugs that are given are kept, references in them are overwritten', async () => {
      const nowhere = { id: 'not-even-a-uuid' }
      const account = await makeAccount(db(), {
        organization: { name: 'O', slug: `o-${freshEmail()}`, metadata: { tier: [1] } },
        workspace: { name: 'W', slug: 'w', organization_ref: nowhere },
        project: { name: 'P', organization_ref: nowhere, workspace_ref: nowhere, is_default: false },
      })
      const { org } = account.organizations
      expect(org).toMatchObject({ name: 'O', slug: expect.stringMatching(/^o-/) })
      expect(account.workspaces.wrk).toMatchObject({ name: 'W', slug: 'w', organization_id: org.id })
      expect(account.projects.prj).toMatchObject({ name: 'P', organization_id: org.id, is_default: true })
      const stored = await db().selectFrom('organizations').select('meta').where('id', '=', org.id).execute()
      expect(stored).toEqual([{ meta: { tier: [1] } }])
    })
  })

  describe('memberships', () => {
    test('a list replaces the default of its scope only', async () => {
      const account = await makeAccount(db(), {
        project_memberships: [{ project_ref: { ref: 'prj' }, user_ref: { ref: 'user' }, role: 'annotator' }],
        workspace_memberships: [],
      })
      expect(account.organization_memberships).toMatchObject([{ role: 'owner' }])
      expect(account.workspace_memberships).toMatchObject([{ role: 'owner' }])
      expect(account.project_memberships).toMatchObject([{ role: 'annotator', user_id: account.user.id }])
    })

    test('can name users and scopes that exist already', async () => {
      const host = await makeAccount(db(), { organization: { name: 'Host', slug: `host-${freshEmail()}` } })
      const guest = await makeAccount(db(), {
        organization: { name: 'Guest', owner_user_ref: { id: host.user.id } },
        organization_memberships: [
          { organization_ref: { slug: host.organizations.org.slug }, user_ref: { ref: 'user' }, role: 'viewer' },
          { organization_ref: { ref: 'org' }, user_ref: { id: host.user.id }, role: 'owner' },
          { organization_ref: { ref: 'org' }, user_ref: { ref: 'user' }, role: 'editor' },
        ],
        project_memberships: [
          { project_ref: { id: host.projects.prj.id }, user_ref: { ref: 'user' }, role: 'viewer' },
          { project_ref: { ref: 'prj' }, user_ref: { ref: 'user' }, role: 'editor' },
        ],
      })
      expect(guest.organizations.org.owner_user_id).toBe(host.user.id)
      expect(guest.organization_memberships).toMatchObject([
        { organization_id: host.organizations.org.id, user_id: guest.user.id, role: 'viewer' },
        { organization_id: guest.organizations.org.id, user_id: host.user.id, role: 'owner' },
        { organization_id: guest.organizations.org.id, user_id: guest.user.id, role: 'editor' },
      ])
      expect(await principalOf(db(), guest)).toMatchObject({ role: 'editor' })
    })

    const absent = '019b0d00-0000-7000-8000-0000000000ff'
    test.each([
      ['a name that was not given', { ref: 'prj2' }, 400, 'prj2'],
      ['a slug, which projects are not found by', { slug: 's' }, 400, 's'],
      ['an id that is no UUID', { id: 'x' }, 400, 'x'],
      ['an id of nothing', { id: absent }, 404, absent],
    ])('%s: %j is refused', async (_name, project_ref, status, ref) => {
      const email = freshEmail()
      const membership = { project_ref, user_ref: { ref: 'user' }, role: 'viewer' }
      const body = { accounts: { a: { user: { email }, project_memberships: [membership] } } }
      const detail = { message: expect.any(String), ref }
      await expect(create(db(), body)).rejects.toMatchObject({ status, detail })
      expect(await db().selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([])
    })
  })

  test('a subscription is refused beside the account', async () => {
    const answer = await create(db(), {
      accounts: { a: { user: { email: freshEmail() }, subscription: { plan: 'pro' } } },
    })
    const organization_id = only(answer).organizations.org.id
    const details = { ref: 'org', organization_id, plan: 'pro' }
    expect(answer.errors).toMatchObject([{ code: 'subscription_provision_failed', details }])
  })

  describe('conflicts', () => {
    test('an email that exists, in any case, is a 409 and nothing of the request is stored', async () => {
      const taken = (await makeAccount(db())).user.email
      const before = await countOf(db(), 'users')
      const email = taken.toUpperCase()
      const body = { accounts: { a: { user: { email: freshEmail() } }, b: { user: { email } } } }
      await expect(create(db(), body)).rejects.toMatchObject({
        status: 409,
        detail: { message: expect.any(String), email },
      })
      expect(await countOf(db(), 'users')).toBe(before)
    })

    test('so is an email that a request names twice', async () => {
      const email = freshEmail()
      const body = { accounts: { a: { user: { email } }, b: { user: { email } } } }
      await expect(create(db(), body)).rejects.toMatchObject({ status: 409, detail: { email } })
    })

    test("and an organization's slug", async () => {
      const organization = { name: 'O', slug: `taken-${freshEmail()}` }
      await makeAccount(db(), { organization })
      await expect(makeAccount(db(), { organization })).rejects.toMatchObject({
        status: 409,
        detail: { message: expect.any(String), conflict: { slug: organization.slug } },
      })
    })
  })

  test.each([
    ['no body', undefined, ['body']],
    ['no accounts', {}, ['body', 'accounts']],
    ['accounts as a list', { accounts: [] }, ['body', 'accounts']],
    ['no user', { accounts: { a: {} } }, ['body', 'accounts', 'a', 'user']],
    ['no email', { accounts: { a: { user: {} } } }, ['body', 'accounts', 'a', 'user', 'email']],
    ['no address', { accounts: { a: { user: { email: 'x' } } } }, ['body', 'accounts', 'a', 'user', 'email']],
    [
      'a workspace without its reference',
      { accounts: { a: { user: { email: 'a@b' }, workspace: { name: 'w' } } } },
      ['body', 'accounts', 'a', 'workspace', 'organization_ref'],
    ],
    [
      'two members in a reference',
      {
        accounts: { a: { user: { email: 'a@b' }, organization: { name: 'o', owner_user_ref: { ref: 'u', id: 'i' } } } },
      },
      ['body', 'accounts', 'a', 'organization', 'owner_user_ref'],
    ],
    ['an option of another type', { accounts: {}, options: { dry_run: 'yes' } }, ['body', 'options', 'dry_run']],
    [
      'an empty idempotency key',
      { accounts: {}, options: { idempotency_key: '' } },
      ['body', 'options', 'idempotency_key'],
    ],
  ])('%s is a 422', async (_name, body, loc) => {
    await expect(create(db(), body)).rejects.toMatchObject({ status: 422, detail: [{ loc }] })
  })

  test('no accounts at all is an answer without any', async () => {
    expect(await create(db(), { accounts: {} })).toEqual({ accounts: {} })
  })

  test('odd keys are echoed', async () => {
    const account = () => ({ user: { email: freshEmail() } })
    const body = JSON.parse(
      `{"accounts": {"__proto__": ${JSON.stringify(account())}, "": ${JSON.stringify(account())}}}`,
    )
    const answer = await create(db(), body)
    expect(Object.keys(answer.accounts)).toEqual(['__proto__', ''])
  })

  test('twenty requests at once make twenty accounts', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => makeAccount(db())))
    expect(new Set(accounts.map(account => account.projects.prj.id)).size).toBe(20)
    const principals = await Promise.all(accounts.map(account => principalOf(db(), account)))
    expect(principals.map(principal => principal.project_id)).toEqual(accounts.map(one => one.projects.prj.id))
  })

  test('of twenty requests at once for one email, one succeeds', async () => {
    const user = { email: freshEmail() }
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => makeAccount(db(), { user })))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 })
  })
})
