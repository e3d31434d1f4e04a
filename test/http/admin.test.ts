import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { type Answer, call } from '../harness.ts'
import { actIn, newMember, newPerson } from './people.ts'

const { apiUrl, adminKey } = inject('target')

const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(apiUrl, method, `/api/admin${path}`, `Access ${adminKey}`, body)
const simple = (method: string, path: string, body?: unknown) => admin(method, `/simple/accounts${path}`, body)
const newEmail = () => `${randomUUID()}@corp.test`
const EMPTY = {
  users: {},
  user_identities: {},
  organizations: {},
  workspaces: {},
  projects: {},
  organization_memberships: {},
  workspace_memberships: {},
  project_memberships: {},
}
const made = async (path: string, body: object): Promise<any> => {
  const answer = await simple('POST', path, body)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  expect(answer.body.accounts).toHaveLength(1)
  return answer.body.accounts[0]
}
const currentProject = (key: string) => call(apiUrl, 'GET', '/api/projects/current', `ApiKey ${key}`)

describe('a graph', () => {
  const graph = (email: string) => ({
    options: { create_api_keys: true, return_api_keys: true, create_identities: true },
    users: { u: { email, username: 'u' }, v: { email: newEmail() } },
    user_identities: {
      i: { user_ref: { ref: 'u' }, method: 'email:password', subject: email, password: 'Long-Enough-1' },
      j: { user_ref: { ref: 'u' }, method: 'sso:other', subject: email },
    },
    organizations: { o: { name: 'Corp', owner_user_ref: { ref: 'u' } } },
    workspaces: {
      w: { name: 'Work', organization_ref: { ref: 'o' } },
      again: { name: 'B', organization_ref: { ref: 'o' } },
    },
    projects: {
      p: { name: 'One', organization_ref: { ref: 'o' }, workspace_ref: { ref: 'w' } },
      q: { name: 'Two', organization_ref: { ref: 'o' }, workspace_ref: { ref: 'w' }, is_default: true },
    },
    organization_memberships: { m: { organization_ref: { ref: 'o' }, user_ref: { ref: 'v' }, role: 'viewer' } },
    workspace_memberships: { m: { workspace_ref: { ref: 'w' }, user_ref: { ref: 'v' }, role: 'viewer' } },
    project_memberships: { m: { project_ref: { ref: 'p' }, user_ref: { ref: 'v' }, role: 'editor' } },
    api_keys: {
      k: { project_ref: { ref: 'p' }, user_ref: { ref: 'v' }, name: 'CI', expires_at: '9999-12-31T23:59:59Z' },
      old: { project_ref: { ref: 'p' }, user_ref: { ref: 'v' }, expires_at: '1900-01-01T00:00:00Z' },
    },
    subscriptions: { s: { plan: 'pro' } },
  })

  test('is made with its names, and works at once', async () => {
    const email = newEmail()
    const answer = await admin('POST', '/accounts/', graph(email))
    expect(answer.status).toBe(200)
    const [account] = answer.body.accounts
    const { u, v } = account.users
    const { o } = account.organizations
    const { w, again } = account.workspaces
    const { p, q } = account.projects
    expect(u).toMatchObject({
      email,
      username: 'u',
      name: 'u',
      uid: expect.any(String),
      created_at: expect.any(String),
    })
    expect(account.user_identities).toEqual({
      i: {
        id: expect.any(String),
        user_id: u.id,
        method: 'email:password',
        subject: email,
        email,
        status: 'created',
        verified: false,
      },
    })
    expect(o).toMatchObject({ name: 'Corp', owner_user_id: u.id })
    expect([w.name, again.id]).toEqual(['Work', w.id])
    expect([p.is_default, q.is_default]).toEqual([false, true])
    expect(p).toEqual({ id: p.id, name: 'One', organization_id: o.id, workspace_id: w.id, is_default: false })
    expect(account.project_memberships.m).toEqual({
      id: expect.any(String),
      project_id: p.id,
      user_id: v.id,
      role: 'editor',
    })
    const { k, old } = account.api_keys
    expect(k).toEqual({
      id: expect.any(String),
      prefix: k.value.slice(0, 8),
      project_id: p.id,
      user_id: v.id,
      value: k.value,
    })
    expect((await currentProject(k.value)).body).toMatchObject({ project_id: p.id, user_role: 'editor' })
    expect((await currentProject(old.value)).status).toBe(401)
    expect(answer.body.errors.map((one: any) => [one.code, one.details.ref])).toEqual([
      ['not_implemented', 'j'],
      ['subscription_provision_failed', 's'],
    ])
  })

  test('makes no keys and identities that are not asked for, and takes users as they are', async () => {
    const person = await newPerson()
    const { options: _, ...body } = graph(person.email)
    const answer = await admin('POST', '/accounts', body)
    const [account] = answer.body.accounts
    expect(account.users.u.id).toBe(person.user_id)
    expect(account).not.toHaveProperty('api_keys')
    expect(account.user_identities).toEqual({})
  })

  test('of nothing is nothing', async () => {
    expect(await admin('POST', '/accounts', {})).toMatchObject({ status: 200, body: { accounts: [EMPTY] } })
  })

  test('that is only tried leaves nothing', async () => {
    const email = newEmail()
    const body = graph(email)
    const tried = await admin('POST', '/accounts', { ...body, options: { ...body.options, dry_run: true } })
    expect(tried.status).toBe(200)
    expect(tried.body.accounts[0]).not.toHaveProperty('api_keys')
    expect((await simple('POST', '', { accounts: { a: { user: { email } } } })).status).toBe(200)
  })

  const absent = randomUUID()
  test.each<[string, object, number]>([
    ['a name that is not given', { workspaces: { w: { name: 'W', organization_ref: { ref: 'o' } } } }, 400],
    ['an odd name', { workspaces: { w: { name: 'W', organization_ref: { ref: 'constructor' } } } }, 400],
    ['a bad UUID', { workspaces: { w: { name: 'W', organization_ref: { id: 'x' } } } }, 400],
    ['an unknown id', { workspaces: { w: { name: 'W', organization_ref: { id: absent } } } }, 404],
    ['an unknown slug', { workspaces: { w: { name: 'W', organization_ref: { slug: absent } } } }, 404],
    ['an organization of nobody', { organizations: { o: { name: 'O' } } }, 400],
    ['a reference too many', { workspaces: { w: { name: 'W', organization_ref: { id: absent, ref: 'o' } } } }, 422],
    ['no name', { organizations: { o: {} } }, 422],
    ['a list', { organizations: [] }, 422],
  ])('with %s is refused as a whole', async (_name, parts, status) => {
    const email = newEmail()
    const answer = await admin('POST', '/accounts', { users: { a: { email }, b: { email: newEmail() } }, ...parts })
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
    if (status === 404) expect(answer.body.detail).toEqual({ message: expect.any(String), ref: absent })
    expect((await simple('POST', '', { accounts: { a: { user: { email } } } })).status).toBe(200)
  })
})

describe('one record', () => {
  test('a user, made or found, with a place to work', async () => {
    const email = newEmail()
    const body = { user: { email }, options: { create_api_keys: true, return_api_keys: true } }
    const first = await made('/users/', body)
    expect(first.users.user).toMatchObject({ email })
    expect(first.projects.prj).toMatchObject({ name: 'Default', is_default: true })
    expect((await currentProject(first.api_keys.key.value)).body).toMatchObject({ user_role: 'owner' })
    const again = await made('/users', { ...body, user: { email: email.toUpperCase() } })
    expect(again.users.user.id).toBe(first.users.user.id)
    expect(again.organizations).toEqual({})
    expect(again.api_keys.key.project_id).toBe(first.projects.prj.id)
    const bare = await made('/users', {
      user: { email: newEmail() },
      options: { seed_defaults: false, create_api_keys: true },
    })
    expect(bare).toEqual({ ...EMPTY, users: { user: expect.anything() } })
  })

  test('an identity', async () => {
    const person = await newPerson()
    const identity = { method: 'email:password', subject: person.email, password: 'Long-Enough-1' }
    const body = { user_ref: { email: person.email }, user_identity: identity }
    const { user_identities } = await made('/users/identities/', body)
    expect(user_identities.identity_0).toMatchObject({ user_id: person.user_id, subject: person.email })
    expect((await simple('POST', '/users/identities', body)).status).toBe(400)
    const otp = { ...body, user_identity: { method: 'email:otp', subject: person.email } }
    expect(await simple('POST', '/users/identities', otp)).toMatchObject({
      status: 501,
      body: { detail: { message: expect.any(String) } },
    })
    const bare = { ...body, user_identity: { method: 'email:password', subject: newEmail() } }
    expect((await simple('POST', '/users/identities', bare)).status).toBe(400)
    expect((await simple('POST', '/users/identities', { ...body, user_ref: { email: newEmail() } })).status).toBe(404)
    const { id } = user_identities.identity_0
    expect(await simple('DELETE', `/users/${randomUUID()}/identities/${id}`)).toMatchObject({
      status: 200,
      body: { dry_run: false, deleted: { user_identities: [{ id }] } },
    })
  })

  test('an organization with what it needs', async () => {
    const person = await newPerson()
    const account = await made('/organizations/', { organization: { name: 'Other' }, owner: { email: person.email } })
    expect(account.organizations.org).toMatchObject({ name: 'Other', owner_user_id: person.user_id })
    expect((await person.ask('GET', `/projects/${account.projects.prj.id}`)).body).toMatchObject({ user_role: 'owner' })
    expect((await simple('POST', '/organizations', { organization: { name: 'x' } })).status).toBe(400)
    const nobody = { organization: { name: 'x' }, owner: { email: newEmail() } }
    expect((await simple('POST', '/organizations', nobody)).status).toBe(404)
  })

  test('the workspace of an organization is one', async () => {
    const person = await newPerson()
    const organization_ref = { id: person.organization_id }
    const account = await made('/workspaces/', { workspace: { name: 'New', organization_ref } })
    expect(account.workspaces.wrk).toMatchObject({ id: person.workspace_id, name: 'Default' })
    expect(account.projects.prj).toMatchObject({ id: person.project_id, is_default: true })
  })

  test('a project, with the members of its workspace', async () => {
    const host = await newPerson()
    const member = await newMember(host, 'annotator')
    const places = { organization_ref: { id: host.organization_id }, workspace_ref: { id: host.workspace_id } }
    const { projects } = await made('/projects/', { project: { name: 'New', ...places } })
    expect(projects.prj).toMatchObject({ name: 'New', is_default: false })
    const project_ref = { id: projects.prj.id }
    const api_key = { project_ref, user_ref: { id: member.user_id } }
    const { api_keys } = await made('/api-keys/', { api_key, options: { return_api_keys: true } })
    expect((await currentProject(api_keys.key.value)).body).toMatchObject({
      project_id: project_ref.id,
      user_role: 'annotator',
    })
    expect((await made('/api-keys', { api_key })).api_keys.key).not.toHaveProperty('value')
    const other = await newPerson()
    const mixed = { ...places, organization_ref: { id: other.organization_id } }
    expect((await simple('POST', '/projects', { project: { name: 'x', ...mixed } })).status).toBe(400)
    expect(await simple('DELETE', `/api-keys/${api_keys.key.id}`)).toMatchObject({
      status: 200,
      body: { dry_run: false, deleted: { api_keys: [{ id: api_keys.key.id }] } },
    })
    expect((await currentProject(api_keys.key.value)).status).toBe(401)
  })

  test('memberships at the three scopes', async () => {
    const [host, guest] = [await newPerson(), await newPerson()]
    const user_ref = { id: guest.user_id }
    const body = { membership: { user_ref, organization_ref: { id: host.organization_id }, role: 'viewer' } }
    const { organization_memberships } = await made('/organizations/memberships/', body)
    expect(organization_memberships.mem).toMatchObject({ organization_id: host.organization_id, role: 'viewer' })
    await made('/workspaces/memberships', {
      membership: { user_ref, workspace_ref: { id: host.workspace_id }, role: 'viewer' },
    })
    await made('/projects/memberships', {
      membership: { user_ref, project_ref: { id: host.project_id }, role: 'developer' },
    })
    expect((await guest.ask('GET', `/projects/${host.project_id}`)).body.user_role).toBe('developer')
    expect((await simple('POST', '/organizations/memberships', body)).status).toBe(409)
    for (const scope of ['organizations', 'workspaces', 'projects'])
      expect((await simple('DELETE', `/${scope}/${host.organization_id}/memberships/${randomUUID()}`)).status).toBe(501)
  })
})

describe('deleting', () => {
  test.each(['users', 'organizations', 'workspaces', 'projects'])('one of the %s', async plural => {
    const person = await newPerson()
    const id = {
      users: person.user_id,
      organizations: person.organization_id,
      workspaces: person.workspace_id,
      projects: person.project_id,
    }[plural]
    expect((await person.ask('GET', '/projects/current')).status).toBe(200)
    const deleted = await simple('DELETE', `/${plural}/${id}`)
    expect([deleted.status, deleted.body]).toEqual([200, { dry_run: false, deleted: { [plural]: [{ id }] } }])
    expect((await person.ask('GET', '/projects/current')).status).toBe(401)
    expect(await simple('DELETE', `/${plural}/${id}`)).toMatchObject({ status: 404, body: { detail: { ref: id } } })
    expect((await simple('DELETE', `/${plural}/x`)).status).toBe(400)
  })

  test('many; a dry run unless stated otherwise', async () => {
    const [one, two] = [await newPerson(), await newPerson()]
    const target = { user_emails: [one.email, newEmail()], project_ids: [two.project_id] }
    const expected = {
      users: [{ id: one.user_id }],
      organizations: [{ id: one.organization_id }],
      workspaces: [{ id: one.workspace_id }],
      projects: [{ id: one.project_id }, { id: two.project_id }],
    }
    const tried = await admin('DELETE', '/accounts/', { target })
    expect([tried.status, tried.body]).toEqual([200, { dry_run: true, deleted: expected }])
    expect((await one.ask('GET', '/profile')).status).toBe(200)
    const deleted = await admin('DELETE', '/accounts', { target, dry_run: false, reason: 'over', confirm: true })
    expect([deleted.status, deleted.body]).toEqual([200, { dry_run: false, deleted: expected }])
    for (const person of [one, two]) expect((await person.ask('GET', '/profile')).status).toBe(401)
    expect((await admin('DELETE', '/accounts', { target: { user_ids: [one.user_id] } })).status).toBe(404)
    expect((await admin('DELETE', '/accounts', { target: { organization_ids: ['x'] } })).status).toBe(400)
    expect((await admin('DELETE', '/accounts', {})).status).toBe(422)
  })
})

test('whoever becomes a member through a graph has the rights at once', async () => {
  const [host, guest] = [await newPerson(), await newPerson()]
  const list = () => actIn(host, guest)('POST', '/simple/applications/query', {})
  const [user_ref, role] = [{ id: guest.user_id }, 'viewer']
  expect((await list()).status).toBe(403)
  const made = await admin('POST', '/accounts/', {
    organization_memberships: { a: { organization_ref: { id: host.organization_id }, user_ref, role } },
    workspace_memberships: { b: { workspace_ref: { id: host.workspace_id }, user_ref, role } },
    project_memberships: { c: { project_ref: { id: host.project_id }, user_ref, role } },
  })
  expect(made.status).toBe(200)
  expect((await list()).status).toBe(200)
})

test('passwords are set for those who sign in with one', async () => {
  const email = newEmail()
  const user_identities = [{ method: 'email:password', subject: email, password: 'Long-Enough-1' }]
  expect((await simple('POST', '/reset-password', { user_identities })).status).toBe(404)
  await simple('POST', '', { accounts: { a: { user: { email }, user_identities } } })
  const again = [{ ...user_identities[0], password: 'Another-Long-1' }]
  expect(await simple('POST', '/reset-password/', { user_identities: again })).toMatchObject({ status: 204, text: '' })
  const refused = await simple('POST', '/reset-password', { user_identities: [{ ...again[0], subject: 5 }] })
  expect([refused.status, refused.text.includes('Another-Long-1')]).toEqual([422, false])
  const twice = [...again, { ...again[0], subject: email.toUpperCase(), password: 'A-Third-Long-1' }]
  const ambiguous = await simple('POST', '/reset-password', { user_identities: twice })
  expect([ambiguous.status, ambiguous.body.detail.ref]).toEqual([400, email.toUpperCase()])
  // Of the length that is asked of the person who sets one.
  for (const password of ['Seven-7', 'x'.repeat(1025)]) {
    const odd = await simple('POST', '/reset-password', { user_identities: [{ ...again[0], password }] })
    expect([odd.status, odd.body.detail[0].loc.at(-1)]).toEqual([422, 'password'])
  }
})

test('organizations change hands', async () => {
  const host = await newPerson()
  const member = await newMember(host, 'editor')
  const stranger = await newPerson()
  const { body: second } = await host.ask('POST', '/organizations', { name: 'Second' })
  const users = { source: { email: host.email }, target: { id: member.user_id } }
  const transfer = (body: object) => simple('POST', '/transfer-ownership/', body)
  const partly = await transfer({
    users,
    organizations: {
      a: { id: host.organization_id },
      b: { id: second.id },
      c: { id: stranger.organization_id },
      d: { slug: 'nothing' },
    },
    include_projects: [],
  })
  expect(partly).toMatchObject({ status: 200, body: { transferred: [host.organization_id] } })
  expect(partly.body.errors.map((one: any) => one.code)).toEqual([
    'target_not_member',
    'not_owned_by_source',
    'organization_not_found',
  ])
  expect((await member.ask('GET', `/organizations/${host.organization_id}`)).body.owner_id).toBe(member.user_id)
  const back = { source: users.target, target: users.source }
  const organizations = { a: { id: host.organization_id } }
  expect(await transfer({ users: back, organizations, include_workspaces: 'all' })).toMatchObject({
    status: 204,
    text: '',
  })
  expect((await transfer({ users: { ...users, target: { email: newEmail() } } })).status).toBe(404)
  expect((await transfer({ users: { ...users, target: {} } })).status).toBe(422)
})

test.each([
  ['POST', '/accounts'],
  ['DELETE', '/accounts'],
  ['POST', '/simple/accounts/users'],
  ['DELETE', `/simple/accounts/users/${randomUUID()}`],
  ['POST', '/simple/accounts/transfer-ownership'],
])('%s %s takes the admin key and nothing else', async (method, path) => {
  const person = await newPerson()
  for (const header of [undefined, person.authorization, 'Access wrong', adminKey])
    expect((await call(apiUrl, method, `/api/admin${path}`, header, {})).status).toBe(401)
})
