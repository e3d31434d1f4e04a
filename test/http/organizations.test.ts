import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { actIn, newMember, newPerson, type Person, secretFor } from './people.ts'

const { apiUrl, receiverUrl, adminKey } = inject('target')
const pathOf = ({ organization_id }: Person): string => `/organizations/${organization_id}`
const workspacePath = (host: Person): string => `${pathOf(host)}/workspaces/${host.workspace_id}`
/** Makes somebody a viewer of the workspace who owns its project. */
const putProjectOwner = async (host: Person, person: Person): Promise<void> => {
  const user_ref = { id: person.user_id }
  const answer = await call(apiUrl, 'POST', '/api/admin/accounts/', `Access ${adminKey}`, {
    organization_memberships: { a: { organization_ref: { id: host.organization_id }, user_ref, role: 'viewer' } },
    workspace_memberships: { b: { workspace_ref: { id: host.workspace_id }, user_ref, role: 'viewer' } },
    project_memberships: { c: { project_ref: { id: host.project_id }, user_ref, role: 'owner' } },
  })
  if (answer.status !== 200) throw new Error(`no memberships: ${answer.text}`)
}
const rolesOf = async (host: Person, member: Person): Promise<string[] | undefined> =>
  (await host.ask('GET', pathOf(host))).body.default_workspace.members
    .find((one: any) => one.user.email === member.email)
    ?.roles.map((role: any) => role.role_name)

describe('organizations', () => {
  test('are listed with ids and read with their people', async () => {
    const host = await newPerson()
    const member = await newMember(host, 'editor')
    const record = {
      id: host.organization_id,
      slug: null,
      name: expect.any(String),
      description: null,
      flags: {},
      tags: null,
      meta: null,
      owner_id: host.user_id,
      members: [host.user_id, member.user_id],
      invitations: [],
      workspaces: [host.workspace_id],
    }
    expect((await host.ask('GET', '/organizations')).body).toEqual([record])
    const { body } = await host.ask('GET', pathOf(host))
    expect(body).toMatchObject({
      ...record,
      default_workspace: { id: host.workspace_id, name: 'Default', description: null, type: 'default' },
    })
    expect(body.default_workspace.members).toMatchObject([
      { user: { id: host.user_id, email: host.email }, roles: [{ role_name: 'owner' }] },
      { user: { id: member.user_id, email: member.email }, roles: [{ role_name: 'editor' }] },
    ])
    expect((await member.ask('GET', '/organizations')).body).toHaveLength(2)
    expect((await member.ask('GET', '/workspaces')).body.map((one: any) => one.id)).toContain(host.workspace_id)
  })

  test('have their owner among their members, also where an administrator has stored no membership', async () => {
    const [owner, member] = [await newPerson(), await newPerson()]
    const [organization_ref, workspace_ref] = [{ ref: 'org' }, { ref: 'wrk' }]
    const made = await call(apiUrl, 'POST', '/api/admin/accounts/', `Access ${adminKey}`, {
      organizations: { org: { name: 'Bare', owner_user_ref: { id: owner.user_id } } },
      workspaces: { wrk: { name: 'Default', organization_ref } },
      organization_memberships: { a: { organization_ref, user_ref: { id: member.user_id }, role: 'viewer' } },
      workspace_memberships: { b: { workspace_ref, user_ref: { id: member.user_id }, role: 'editor' } },
    })
    expect(made.status).toBe(200)
    const path = `/organizations/${made.body.accounts[0].organizations.org.id}`
    for (const person of [owner, member]) {
      const { body } = await person.ask('GET', path)
      expect(body.members).toEqual([owner.user_id, member.user_id])
      expect(body.default_workspace.members).toMatchObject([
        { user: { id: owner.user_id }, roles: [{ role_name: 'owner' }] },
        { user: { id: member.user_id }, roles: [{ role_name: 'editor' }] },
      ])
    }
  })

  test('are made with a workspace, a project and the maker as owner', async () => {
    const host = await newPerson()
    const made = await host.ask('POST', '/organizations', { name: 'New', description: 'More' })
    expect(made).toMatchObject({ status: 201, body: { name: 'New', description: 'More' } })
    expect(Object.keys(made.body).sort()).toEqual(['description', 'id', 'name'])
    const { body } = await host.ask('GET', `/organizations/${made.body.id}`)
    expect(body).toMatchObject({ owner_id: host.user_id, default_workspace: { name: 'Default' } })
    const { body: projects } = await host.ask('GET', '/projects')
    const project = projects.find((one: any) => one.organization_id === made.body.id)
    expect(project).toMatchObject({ project_name: 'Default', is_default_project: true, user_role: 'owner' })
    expect((await host.ask('GET', '/workspaces')).body).toHaveLength(2)
    const inside = actIn({ ...host, project_id: project.project_id }, host)
    const slugs = async (plural: string) =>
      (await inside('POST', `/simple/${plural}/query`, {})).body[plural].map((one: any) => one.slug).sort()
    expect(await slugs('environments')).toEqual(['development', 'production', 'staging'])
    expect(await slugs('evaluators')).toEqual(['contains-json', 'exact-match', 'quality-rating'])
    expect(await slugs('testsets')).toEqual(['completion_testset'])
    const second = await inside('POST', '/projects', { name: 'Second' })
    const other = actIn({ ...host, project_id: second.body.project_id }, host)
    expect((await other('POST', '/simple/environments/query', {})).body.count).toBe(3)
    expect((await other('POST', '/simple/testsets/query', {})).body.count).toBe(0)
  })

  test.each(['PUT', 'PATCH'])('are changed with %s by the owner', async method => {
    const host = await newPerson()
    const slug = randomUUID()
    const changed = await host.ask(method, pathOf(host), { name: 'Other', slug, flags: { a: true } })
    expect(changed.body).toEqual({ id: host.organization_id, name: 'Other', description: null })
    await host.ask(method, pathOf(host), { flags: { b: 1 }, slug })
    expect((await host.ask('GET', pathOf(host))).body).toMatchObject({ slug, flags: { a: true, b: 1 } })
    for (const [body, status] of [
      [{}, 400],
      [{ other: 1 }, 400],
      [{ name: ' ' }, 400],
      [{ slug: `${slug}2` }, 400],
      [{ slug: 'a b' }, 422],
    ] as const)
      expect((await host.ask(method, pathOf(host), body)).status, JSON.stringify(body)).toBe(status)
    const second = await newPerson()
    expect(await second.ask(method, pathOf(second), { slug, name: 'Second' })).toMatchObject({
      status: 409,
      body: { detail: { conflict: { slug } } },
    })
    const unchanged = await second.ask('GET', pathOf(second))
    expect(unchanged.body.slug).toBeNull()
    expect(unchanged.body.name).not.toBe('Second')
    expect((await second.ask(method, pathOf(second), { slug: `${slug}2` })).status).toBe(200)
  })

  test('belong to no one else, whatever the role', async () => {
    const host = await newPerson()
    const [admin, stranger] = [await newMember(host, 'admin'), await newPerson()]
    for (const ask of [actIn(host, admin), stranger.ask]) {
      expect((await ask('PATCH', pathOf(host), { name: 'x' })).status).toBe(403)
      expect((await ask('DELETE', pathOf(host))).status).toBe(403)
      expect((await ask('POST', `${pathOf(host)}/transfer/${admin.user_id}`)).status).toBe(403)
      expect((await ask('POST', `${pathOf(host)}/workspaces`, { name: 'x' })).status).toBe(403)
      // Nothing to change is said first.
      expect((await ask('PATCH', pathOf(host), {})).status).toBe(400)
    }
    for (const id of [host.organization_id, randomUUID()])
      expect((await stranger.ask('GET', `/organizations/${id}`)).status).toBe(403)
  })

  test('can be deleted but for the last one', async () => {
    const host = await newPerson()
    expect((await host.ask('DELETE', pathOf(host))).status).toBe(400)
    const { body } = await host.ask('POST', '/organizations', { name: 'Second' })
    const deleted = await host.ask('DELETE', `/organizations/${body.id}`)
    expect(deleted).toMatchObject({ status: 200, body: { detail: expect.any(String) } })
    expect((await host.ask('GET', '/projects')).body).toHaveLength(1)
  })

  test('change hands: the two swap their roles everywhere', async () => {
    const host = await newPerson()
    const [member, stranger] = [await newMember(host, 'editor'), await newPerson()]
    expect((await host.ask('POST', `${pathOf(host)}/transfer/${stranger.user_id}`)).status).toBe(400)
    const handed = await host.ask('POST', `${pathOf(host)}/transfer/${member.user_id}`)
    expect(handed).toMatchObject({ status: 200 })
    expect(handed.body).toEqual({ organization_id: host.organization_id, owner_id: member.user_id })
    expect([await rolesOf(host, host), await rolesOf(host, member)]).toEqual([['editor'], ['owner']])
    expect((await host.ask('GET', '/projects/current')).body.user_role).toBe('editor')
    expect((await host.ask('PATCH', pathOf(host), { name: 'x' })).status).toBe(403)
    expect((await actIn(host, member)('PATCH', pathOf(host), { name: 'x' })).status).toBe(200)
  })

  test('can have further workspaces', async () => {
    const host = await newPerson()
    const made = await host.ask('POST', `${pathOf(host)}/workspaces`, { name: 'Lab' })
    expect(made).toMatchObject({ status: 200, body: { name: 'Lab', description: null } })
    const path = `${pathOf(host)}/workspaces/${made.body.id}`
    const edited = await host.ask('PUT', path, { description: 'Trials' })
    expect(edited.body).toMatchObject({ id: made.body.id, name: 'Lab', description: 'Trials' })
    const other = await newPerson()
    expect((await other.ask('PUT', path, { name: 'x' })).status).toBe(403)
    expect((await other.ask('PUT', `${pathOf(other)}/workspaces/${made.body.id}`, { name: 'x' })).status).toBe(404)
    const viewer = await newMember(host, 'viewer')
    expect((await viewer.ask('PUT', workspacePath(host), { name: 'x' })).status).toBe(403)
  })
})

describe('invitations', () => {
  test('are for one address, once, and give the role', async () => {
    const [host, guest, other] = [await newPerson(), await newPerson(), await newPerson()]
    const path = `${workspacePath(host)}/invite`
    const invited = await host.ask('POST', path, [{ email: guest.email.toUpperCase() }])
    expect(invited.status).toBe(200)
    expect(Object.keys(invited.body)).toEqual(['url'])
    const pending = (await host.ask('GET', pathOf(host))).body.invitations
    expect(pending).toMatchObject([{ email: guest.email.toUpperCase(), role: 'viewer' }])
    expect(Date.parse(pending[0].expires_at) - Date.now()).toBeGreaterThan(6.9 * 24 * 3_600_000)

    const resent = await host.ask('POST', `${path}/resend`, { email: guest.email })
    const tokens = [invited, resent].map(({ body }) => new URL(body.url).searchParams.get('token'))
    const accept = (person: Person, token: unknown, email = person.email, at = path) =>
      person.ask('POST', `${at}/accept`, { token, email })
    const refused = (status: number, error: string) => ({
      status,
      body: { detail: { error, message: expect.any(String) } },
    })
    expect(await accept(guest, tokens[0])).toMatchObject(refused(400, 'INVITE_NOT_FOUND'))
    expect(await accept(guest, 'x')).toMatchObject(refused(400, 'INVITE_NOT_FOUND'))
    const elsewhere = `${workspacePath(other)}/invite`
    expect(await accept(guest, tokens[1], guest.email, elsewhere)).toMatchObject(refused(400, 'INVITE_NOT_FOUND'))
    expect(await accept(other, tokens[1])).toMatchObject(refused(400, 'INVITE_EMAIL_MISMATCH'))
    expect(await accept(other, tokens[1], guest.email)).toMatchObject(refused(400, 'INVITE_EMAIL_MISMATCH'))
    expect(await accept(guest, tokens[1])).toMatchObject({ status: 200, body: true })
    expect(await accept(guest, tokens[1])).toMatchObject(refused(409, 'INVITE_ALREADY_ACCEPTED'))
    expect(await rolesOf(host, guest)).toEqual(['viewer'])
    expect((await actIn(host, guest)('POST', '/spans/query', {})).status).toBe(200)
    expect((await host.ask('GET', pathOf(host))).body.invitations).toEqual([])
    expect((await host.ask('POST', path, [{ email: guest.email }])).status).toBe(409)
    expect((await host.ask('POST', `${path}/resend`, { email: guest.email })).status).toBe(404)
  })

  test.each([
    [[], 400],
    [[{ email: 'a@b.test' }, { email: 'c@d.test' }], 400],
    [[{ email: 'a@b.test', roles: ['king'] }], 400],
    [[{ email: 'a@b.test', roles: ['viewer', 'editor'] }], 400],
    [[{ email: 'nobody' }], 422],
    [[{}], 422],
    [{}, 422],
  ])('%j is %i', async (body, status) => {
    const host = await newPerson()
    expect((await host.ask('POST', `${workspacePath(host)}/invite`, body)).status).toBe(status)
  })

  test('are made by admins and owners of the workspace; owners by owners', async () => {
    const [host, stranger] = [await newPerson(), await newPerson()]
    const path = `${workspacePath(host)}/invite`
    for (const [role, invitedRole, status] of [
      ['developer', 'viewer', 403],
      ['admin', 'viewer', 200],
      ['admin', 'owner', 403],
    ] as const) {
      const member = await newMember(host, role)
      const body = [{ email: `${randomUUID()}@corp.test`, roles: [invitedRole] }]
      expect((await member.ask('POST', path, body)).status, `${role} ${invitedRole}`).toBe(status)
    }
    const body = [{ email: 'a@b.test' }]
    expect((await stranger.ask('POST', path, body)).status).toBe(403)
    const mixed = `${pathOf(stranger)}/workspaces/${host.workspace_id}/invite`
    expect((await stranger.ask('POST', mixed, body)).status).toBe(404)
  })
})

test('strangers are not told whether a workspace exists', async () => {
  const [host, stranger] = [await newPerson(), await newPerson()]
  const { email } = host
  const answersFor = async ({ organization_id, workspace_id }: { organization_id: string; workspace_id: string }) => {
    const inOrganization = `/organizations/${organization_id}/workspaces/${workspace_id}`
    const role = { email, organization_id, role: 'viewer' }
    const requests: [string, string, unknown?][] = [
      ['PUT', inOrganization, { name: 'x' }],
      ['POST', `${inOrganization}/invite`, [{ email }]],
      ['POST', `${inOrganization}/invite/resend`, { email }],
      ['POST', `${inOrganization}/invite/accept`, { email, token: 'x' }],
      ['POST', `/workspaces/${workspace_id}/roles`, role],
      ['DELETE', `/workspaces/${workspace_id}/roles?${new URLSearchParams(role)}`],
      ['DELETE', `/workspaces/${workspace_id}/users?email=${email}`],
    ]
    const answers = []
    for (const request of requests) answers.push(await stranger.ask(...request))
    return answers.map(({ status, text }) => [status, text.replaceAll(workspace_id, 'ID')])
  }
  const [none, other] = [randomUUID(), randomUUID()]
  const unknown = await answersFor({ organization_id: none, workspace_id: other })
  expect(unknown.map(([status]) => status)).toEqual([403, 403, 403, 400, 403, 403, 403])
  expect(await answersFor(host)).toEqual(unknown)
  expect(await answersFor({ ...host, workspace_id: other })).toEqual(unknown)
  expect(await answersFor({ ...host, organization_id: none })).toEqual(unknown)
  const own = await answersFor({ ...stranger, workspace_id: other })
  expect(await answersFor({ ...stranger, workspace_id: host.workspace_id })).toEqual(own)
})

describe('members', () => {
  const roles = (host: Person) => `/workspaces/${host.workspace_id}/roles`
  const change = (host: Person, member: Person, role: string) => ({
    email: member.email,
    organization_id: host.organization_id,
    role,
  })

  test('are given another role, at once', async () => {
    const host = await newPerson()
    const member = await newMember(host, 'viewer')
    const inside = actIn(host, member)
    expect((await inside('GET', '/keys')).status).toBe(403)
    const given = await host.ask('POST', roles(host), change(host, member, 'developer'))
    expect(given).toMatchObject({ status: 200, body: true })
    expect((await inside('GET', '/keys')).status).toBe(200)
    await host.ask('POST', roles(host), change(host, member, 'annotator'))
    expect((await inside('GET', '/keys')).status).toBe(403)
    expect((await inside('POST', '/spans/query', {})).status).toBe(200)
  })

  test('lose their role, or leave altogether', async () => {
    const host = await newPerson()
    const member = await newMember(host, 'editor')
    const inside = actIn(host, member)
    const take = (role: string) =>
      host.ask('DELETE', `${roles(host)}?${new URLSearchParams(change(host, member, role))}`)
    expect((await take('viewer')).status).toBe(404)
    const header = secretFor(member.user_id, host.project_id)
    const exporting = async () => (await call(receiverUrl, 'POST', '/api/otlp/v1/traces', header, {})).status
    expect(await exporting()).not.toBe(403)
    expect(await take('editor')).toMatchObject({ status: 200, body: true })
    expect((await inside('POST', '/spans/query', {})).status).toBe(403)
    // Another process may go on for a second.
    await eventually(async () => (await exporting()) === 403, 2000)
    expect(await rolesOf(host, member)).toEqual([])
    const remove = () => host.ask('DELETE', `/workspaces/${host.workspace_id}/users?email=${member.email}`)
    expect(await remove()).toMatchObject({ status: 200, body: true })
    expect(await rolesOf(host, member)).toBeUndefined()
    expect(await remove()).toMatchObject({ status: 200, body: true })
    expect((await host.ask('POST', roles(host), change(host, member, 'viewer'))).status).toBe(404)
  })

  test('who are only invited are uninvited', async () => {
    const host = await newPerson()
    const email = `${randomUUID()}@corp.test`
    await host.ask('POST', `${workspacePath(host)}/invite`, [{ email }])
    expect(await host.ask('DELETE', `/workspaces/${host.workspace_id}/users?email=${email}`)).toMatchObject({
      status: 200,
      body: true,
    })
    expect((await host.ask('GET', pathOf(host))).body.invitations).toEqual([])
  })

  test('what is not allowed', async () => {
    const host = await newPerson()
    const [admin, editor] = [await newMember(host, 'admin'), await newMember(host, 'editor')]
    const asAdmin = actIn(host, admin)
    const users = (person: Person) => `/workspaces/${host.workspace_id}/users?email=${person.email}`
    expect((await asAdmin('POST', roles(host), change(host, host, 'viewer'))).status).toBe(403)
    expect((await asAdmin('DELETE', users(host))).status).toBe(403)
    expect((await asAdmin('POST', roles(host), change(host, editor, 'owner'))).status).toBe(403)
    expect((await asAdmin('POST', roles(host), change(host, editor, 'king'))).status).toBe(400)
    expect((await asAdmin('POST', roles(host), change(host, admin, 'owner'))).status).toBe(403)
    // Nor are owners changed or removed by others than owners, those of a project alone neither.
    const owner = await newMember(host, 'owner')
    const inProject = await newPerson()
    await putProjectOwner(host, inProject)
    for (const one of [owner, inProject]) {
      expect((await asAdmin('POST', roles(host), change(host, one, 'viewer'))).status).toBe(403)
      expect((await asAdmin('DELETE', users(one))).status).toBe(403)
    }
    // The owner's invitation is not an admin's to renew.
    const email = `${randomUUID()}@corp.test`
    await host.ask('POST', `${workspacePath(host)}/invite`, [{ email, roles: ['owner'] }])
    expect((await asAdmin('POST', `${workspacePath(host)}/invite/resend`, { email })).status).toBe(403)
    expect((await editor.ask('POST', roles(host), change(host, editor, 'admin'))).status).toBe(403)
    expect((await editor.ask('DELETE', users(admin))).status).toBe(403)
    const elsewhere = { ...change(host, editor, 'viewer'), organization_id: editor.organization_id }
    expect((await asAdmin('POST', roles(host), elsewhere)).status).toBe(404)
    expect((await asAdmin('POST', `/workspaces/${randomUUID()}/roles`, change(host, editor, 'viewer'))).status).toBe(
      404,
    )
    expect((await asAdmin('POST', roles(host), {})).status).toBe(422)
    expect((await asAdmin('POST', roles(host), change(host, editor, 'viewer'))).status).toBe(200)
  })
})

test('roles and permissions are listed', async () => {
  const host = await newPerson()
  const { body: roles } = await host.ask('GET', '/workspaces/roles')
  expect(roles.map((one: any) => one.role_name)).toEqual([
    'owner',
    'admin',
    'viewer',
    'developer',
    'editor',
    'annotator',
  ])
  expect(roles.every((one: any) => typeof one.role_description === 'string')).toBe(true)
  const { body: permissions } = await host.ask('GET', '/workspaces/permissions')
  expect(permissions).toHaveLength(64)
  expect(permissions).toEqual([...permissions].sort())
  const { body: access } = await host.ask('GET', '/access/roles')
  expect(Object.keys(access)).toEqual(['organization', 'workspace', 'project'])
  expect(access.organization.map((one: any) => [one.role, one.permissions])).toEqual([
    ['owner', ['*']],
    ['admin', []],
    ['viewer', []],
  ])
  expect(access.project.map((one: any) => one.permissions.length)).toEqual([1, 59, 23, 53, 48, 32])
})

describe('the permission check', () => {
  test('allows with credentials that work', async () => {
    const host = await newPerson()
    for (const scope of [
      '',
      `&scope_type=project&scope_id=${host.project_id}`,
      `&scope_type=workspace&scope_id=${host.workspace_id}&resource_id=x`,
    ]) {
      for (const type of ['service', 'local_secrets']) {
        const path = `/access/permissions/check?action=run_service&resource_type=${type}${scope}`
        const { status, body } = await host.ask('GET', path)
        expect([status, body.effect]).toEqual([200, 'allow'])
        expect((await call(apiUrl, 'GET', '/api/projects/current', body.credentials)).body.project_id).toBe(
          host.project_id,
        )
      }
    }
  })

  test.each([
    '',
    'action=run_service',
    'resource_type=service',
    'action=&resource_type=service',
    'action=fly&resource_type=service',
    'action=run_service&resource_type=spans',
    'action=run_service&resource_type=service&scope_type=organization',
    'action=run_service&resource_type=service&scope_type=project',
    `action=run_service&resource_type=service&scope_type=project&scope_id=${randomUUID()}`,
    `action=run_service&resource_type=service&scope_id=${randomUUID()}`,
    'action=run_service&action=run_service&resource_type=service',
  ])('denies ?%s', async query => {
    const host = await newPerson()
    const answer = await host.ask('GET', `/access/permissions/check?${query}`)
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Forbidden' }])
  })

  test('denies what the role lacks', async () => {
    const host = await newPerson()
    const ask = actIn(host, await newMember(host, 'viewer'))
    expect((await ask('GET', '/access/permissions/check?action=view_spans&resource_type=service')).status).toBe(200)
    expect((await ask('GET', '/access/permissions/check?action=edit_spans&resource_type=service')).status).toBe(403)
  })
})
