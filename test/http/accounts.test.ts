import { expect, inject, test } from 'vitest'
import { type Answer, call, eventually } from '../harness.ts'
import { newTraceId } from '../otlp.ts'

const { apiUrl, receiverUrl, adminKey } = inject('target')

const accounts = (method: string, body: unknown): Promise<Answer> =>
  call(apiUrl, method, '/api/admin/simple/accounts/', `Access ${adminKey}`, body)
const newEmail = (): string => `${newTraceId()}@corp.test`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const KEY = /^[A-Za-z0-9]{8}\.[0-9a-f]{64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

test('the worked example of the interface', async () => {
  const email = newEmail()
  const answer = await accounts('POST', {
    options: { seed_defaults: true },
    accounts: {
      qa: {
        user: { email, username: 'qa', name: 'Quinn' },
        organization: { name: 'Corp' },
        project: { name: 'Sandbox', organization_ref: { ref: 'org' }, workspace_ref: { ref: 'wrk' } },
        user_identities: [{ method: 'email:password', subject: email, password: 'Long-Enough-1' }],
        options: { create_api_keys: true, return_api_keys: true, seed_defaults: true },
      },
    },
  })
  expect(answer.status).toBe(200)
  const { qa } = answer.body.accounts
  const [user_id, organization_id, workspace_id] = [qa.user.id, qa.organizations.org.id, qa.workspaces.wrk.id]
  const project_id = qa.projects.prj.id
  const id = expect.stringMatching(UUID_7)
  const owner = { id, user_id, role: 'owner' }
  expect(answer.body).toEqual({
    accounts: {
      qa: {
        user: {
          id,
          uid: expect.stringMatching(UUID),
          email,
          username: 'qa',
          name: 'qa',
          created_at: expect.stringMatching(TIME),
        },
        user_identities: [
          {
            id: expect.any(String),
            user_id,
            method: 'email:password',
            subject: email,
            email,
            status: 'created',
            verified: false,
          },
        ],
        organizations: {
          org: expect.objectContaining({
            id,
            name: 'Corp',
            owner_user_id: user_id,
            created_at: expect.stringMatching(TIME),
          }),
        },
        workspaces: { wrk: expect.objectContaining({ id, name: 'Default', organization_id }) },
        projects: { prj: { id, name: 'Sandbox', organization_id, workspace_id, is_default: true } },
        organization_memberships: [{ ...owner, organization_id }],
        workspace_memberships: [{ ...owner, workspace_id }],
        project_memberships: [{ ...owner, project_id }],
        api_keys: { key: expect.stringMatching(KEY) },
      },
    },
  })
  const header = `ApiKey ${qa.api_keys.key}`
  expect((await call(apiUrl, 'POST', '/api/spans/query', header, {})).status).toBe(200)
  expect((await call(receiverUrl, 'GET', '/api/otlp/v1/traces', header)).status).toBe(200)
})

test('an email is all that an account needs', async () => {
  const email = newEmail()
  const { status, body } = await accounts('POST', { accounts: { a: { user: { email } } } })
  expect(status).toBe(200)
  expect(body.accounts.a).toMatchObject({
    user: { email, username: email.split('@')[0] },
    organizations: { org: { name: expect.any(String) } },
    workspaces: { wrk: { name: 'Default' } },
    projects: { prj: { name: 'Default', is_default: true } },
    api_keys: { key: expect.stringMatching(KEY) },
  })
})

test('several accounts are answered under the keys of the request', async () => {
  const body = { accounts: { b: { user: { email: newEmail() } }, a: { user: { email: newEmail() } } } }
  const answer = await accounts('POST', body)
  expect(Object.keys(answer.body.accounts)).toEqual(['b', 'a'])
  expect(answer.body.accounts.a.projects.prj.id).not.toBe(answer.body.accounts.b.projects.prj.id)
})

test.each([
  [{ return_api_keys: false }, {}],
  [{ create_api_keys: false }, {}],
  [{}, { options: { return_api_keys: false } }],
  [{ return_api_keys: true }, { options: { return_api_keys: false } }],
])('no key is shown with options %j and account %j', async (options, account) => {
  const { status, body } = await accounts('POST', {
    options,
    accounts: { a: { user: { email: newEmail() }, ...account } },
  })
  expect(status).toBe(200)
  expect(body.accounts.a).not.toHaveProperty('api_keys')
})

test("an account's own options replace those of the request, they are not merged", async () => {
  const one = { user: { email: newEmail() }, options: { seed_defaults: false } }
  const { body } = await accounts('POST', { options: { return_api_keys: false }, accounts: { one } })
  expect(body.accounts.one.api_keys.key).toMatch(KEY)
})

test('an email that is taken is a conflict, and nothing of the request is made', async () => {
  const [taken, fresh] = [newEmail(), newEmail()]
  await accounts('POST', { accounts: { a: { user: { email: taken } } } })
  const again = await accounts('POST', {
    accounts: { first: { user: { email: fresh } }, second: { user: { email: taken } } },
  })
  expect(again).toMatchObject({ status: 409, body: { detail: { message: expect.any(String), email: taken } } })
  expect((await accounts('POST', { accounts: { a: { user: { email: fresh } } } })).status).toBe(200)
})

test('a dry run makes nothing and no key', async () => {
  const body = { options: { dry_run: true }, accounts: { a: { user: { email: newEmail() } } } }
  for (let times = 0; times < 2; times++) {
    const answer = await accounts('POST', body)
    expect(answer).toMatchObject({ status: 200, body: { accounts: { a: { user: { email: expect.any(String) } } } } })
    expect(answer.body.accounts.a).not.toHaveProperty('api_keys')
  }
})

test('an idempotency key gives the same answer again', async () => {
  const body = { options: { idempotency_key: newTraceId() }, accounts: { a: { user: { email: newEmail() } } } }
  const first = await accounts('POST', body)
  const second = await accounts('POST', body)
  expect(first.status).toBe(200)
  expect(second).toMatchObject({ status: 200, body: first.body })
})

test.each([
  [undefined, ['body']],
  [[], ['body']],
  [{}, ['body', 'accounts']],
  [{ accounts: [] }, ['body', 'accounts']],
  [{ accounts: { a: {} } }, ['body', 'accounts', 'a', 'user']],
  [{ accounts: { a: { user: {} } } }, ['body', 'accounts', 'a', 'user', 'email']],
  [{ accounts: { a: { user: { email: 5 } } } }, ['body', 'accounts', 'a', 'user', 'email']],
  [{ accounts: { a: { user: { email: 'nobody' } } } }, ['body', 'accounts', 'a', 'user', 'email']],
  [
    { accounts: { a: { user: { email: 'a@b.test' }, organization: {} } } },
    ['body', 'accounts', 'a', 'organization', 'name'],
  ],
  [
    {
      accounts: { a: { user: { email: 'a@b.test' }, project: { name: 'x', organization_ref: {}, workspace_ref: {} } } },
    },
    ['body', 'accounts', 'a', 'project', 'organization_ref'],
  ],
])('%j is no request for accounts', async (body, loc) => {
  const answer = await accounts('POST', body)
  expect(answer.status).toBe(422)
  const found = answer.body.detail.map((violation: any) => violation.loc.join('.'))
  expect(found).toContain(loc.join('.'))
  for (const violation of answer.body.detail)
    expect(violation).toMatchObject({ type: expect.any(String), msg: expect.any(String) })
})

test.each([
  { user: { email: `nul\u0000${newEmail()}` } },
  { user: { email: newEmail(), name: 'nul\u0000' } },
  { user: { email: newEmail() }, organization: { name: 'nul\u0000' } },
  { user: { email: newEmail() }, organization: { name: 'Corp', slug: 'nul\u0000' } },
])('a NUL is refused: %j', async account => {
  const { status, body } = await accounts('POST', { accounts: { a: account } })
  expect([400, 422]).toContain(status)
  expect(body.detail).toBeDefined()
})

test('no JSON is 422 as everywhere', async () => {
  expect(await accounts('POST', '{')).toMatchObject({ status: 422, body: { detail: [{ type: 'json_invalid' }] } })
})

test('a deleted account is gone with its keys, and its email is free', async () => {
  const email = newEmail()
  const made = await accounts('POST', { accounts: { a: { user: { email } } } })
  const { user, api_keys } = made.body.accounts.a
  const header = `ApiKey ${api_keys.key}`
  expect((await call(apiUrl, 'POST', '/api/spans/query', header, {})).status).toBe(200)
  expect((await call(receiverUrl, 'GET', '/api/otlp/v1/traces', header)).status).toBe(200)

  const dry = await accounts('DELETE', { accounts: { a: { user: { id: user.id } } }, dry_run: true })
  expect(dry.status).toBe(204)
  expect((await call(apiUrl, 'POST', '/api/spans/query', header, {})).status).toBe(200)

  const deleted = await accounts('DELETE', { accounts: { a: { user: { email } } }, reason: 'over', confirm: 'x' })
  expect(deleted).toMatchObject({ status: 204, text: '' })
  expect((await call(apiUrl, 'POST', '/api/spans/query', header, {})).status).toBe(401)
  await eventually(async () => (await call(receiverUrl, 'GET', '/api/otlp/v1/traces', header)).status === 401, 3000)
  expect((await accounts('DELETE', { accounts: { a: { user: { email } } } })).status).toBe(204)
  expect((await accounts('DELETE', { accounts: { a: { user: { id: user.id } } } })).status).toBe(404)
  expect((await accounts('POST', { accounts: { a: { user: { email } } } })).status).toBe(200)
})

test.each([
  [{ ref: 'user' }, 400],
  [{ slug: 'user' }, 400],
  [{}, 422],
  [{ id: newTraceId(), email: 'a@b.test' }, 422],
])('nobody is deleted by %j', async (user, status) => {
  expect((await accounts('DELETE', { accounts: { a: { user } } })).status).toBe(status)
})
