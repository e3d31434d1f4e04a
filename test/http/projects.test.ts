import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { call } from '../harness.ts'
import { actIn, newMember, newPerson, type Person } from './people.ts'

const { apiUrl, adminKey } = inject('target')

const newProject = async (person: Person, body: object = { name: 'Second' }): Promise<any> => {
  const made = await person.ask('POST', '/projects/', body)
  expect(made.status).toBe(201)
  return made.body
}

test('the project of a new account, by its three paths', async () => {
  const person = await newPerson()
  const record = {
    organization_id: person.organization_id,
    organization_name: expect.any(String),
    workspace_id: person.workspace_id,
    workspace_name: 'Default',
    project_id: person.project_id,
    project_name: 'Default',
    is_default_project: true,
    user_role: 'owner',
    is_demo: false,
  }
  expect((await person.ask('GET', '/projects')).body).toEqual([record])
  for (const id of ['current', person.project_id])
    expect(await person.ask('GET', `/projects/${id}/`)).toMatchObject({ status: 200, body: record })
})

test("someone else's project, or one that does not exist, is 404; an invalid UUID is 422", async () => {
  const [person, stranger] = [await newPerson(), await newPerson()]
  for (const id of [stranger.project_id, randomUUID()]) {
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect((await person.ask(method, `/projects/${id}`, body)).status, method).toBe(404)
  }
  expect((await person.ask('GET', '/projects/x')).status).toBe(422)
})

test('a credential without a membership sees nothing of its project', async () => {
  const [host, person] = [await newPerson(), await newPerson()]
  expect((await actIn(host, person)('GET', '/projects/current')).status).toBe(404)
})

test('somebody who is a member of no project is told so, in the form that the interface has for this list', async () => {
  const [host, loner] = [await newPerson(), await newPerson()]
  const ask = actIn(host, loner)
  const { status } = await call(
    apiUrl,
    'DELETE',
    `/api/admin/simple/accounts/organizations/${loner.organization_id}`,
    `Access ${adminKey}`,
  )
  expect(status).toBe(200)
  const message = 'You are not a member of any project.'
  expect(await ask('GET', '/projects')).toMatchObject({ status: 404, body: { message, detail: { message } } })
})

test('a new project has the members of the workspace with their roles', async () => {
  const host = await newPerson()
  const viewer = await newMember(host, 'viewer')
  const project = await newProject(host)
  expect(project).toMatchObject({ project_name: 'Second', is_default_project: false, user_role: 'owner' })
  const seen = await actIn({ ...host, project_id: project.project_id }, viewer)('GET', '/projects/current')
  expect(seen.body).toMatchObject({ project_id: project.project_id, user_role: 'viewer' })
  expect((await host.ask('GET', '/projects')).body.map((one: any) => one.project_id)).toEqual([
    host.project_id,
    project.project_id,
  ])
})

test('there is one default, which can be handed on and not be deleted', async () => {
  const host = await newPerson()
  const defaults = async (): Promise<string[]> =>
    (await host.ask('GET', '/projects')).body
      .filter((one: any) => one.is_default_project)
      .map((one: any) => one.project_name)
  await newProject(host, { name: ' Third ', make_default: true })
  expect(await defaults()).toEqual(['Third'])
  const renamed = await host.ask('PATCH', `/projects/${host.project_id}`, { name: 'First', make_default: true })
  expect(renamed).toMatchObject({ status: 200, body: { project_name: 'First', is_default_project: true } })
  expect(await defaults()).toEqual(['First'])
  expect((await host.ask('DELETE', `/projects/${host.project_id}`)).status).toBe(400)
})

test('a deleted project is gone at once, with its keys', async () => {
  const host = await newPerson()
  const { project_id } = await newProject(host)
  const inside = actIn({ ...host, project_id }, host)
  expect((await inside('GET', '/projects/current')).status).toBe(200)
  const deleted = await host.ask('DELETE', `/projects/${project_id}`)
  expect(deleted).toMatchObject({ status: 200, body: { detail: expect.any(String) } })
  expect((await inside('GET', '/projects/current')).status).toBe(401)
  expect((await host.ask('GET', `/projects/${project_id}`)).status).toBe(404)
})

test('a project of another workspace is renamed and not deleted', async () => {
  const host = await newPerson()
  const { body: other } = await host.ask('POST', '/organizations', { name: 'Other' })
  const { body: projects } = await host.ask('GET', '/projects')
  const { project_id } = projects.find((one: any) => one.organization_id === other.id)
  expect((await host.ask('PATCH', `/projects/${project_id}`, { name: 'New' })).body.project_name).toBe('New')
  expect((await host.ask('DELETE', `/projects/${project_id}`)).status).toBe(404)
})

test.each([
  ['POST', { name: ' ' }, 400],
  ['POST', {}, 422],
  ['POST', { name: 5 }, 422],
  ['POST', { name: 'a'.repeat(300) }, 422],
  ['PATCH', {}, 400],
  ['PATCH', { name: null }, 400],
  ['PATCH', { name: '' }, 400],
  ['PATCH', { make_default: false }, 400],
  ['PATCH', { make_default: 'yes' }, 422],
])('%s %j is %i', async (method, body, status) => {
  const host = await newPerson()
  const path = method === 'POST' ? '/projects' : `/projects/${host.project_id}`
  expect((await host.ask(method, path, body)).status).toBe(status)
})

test.each(['viewer', 'annotator', 'editor', 'developer'])('a %s changes no projects', async role => {
  const host = await newPerson()
  const ask = actIn(host, await newMember(host, role))
  const { project_id } = await newProject(host)
  expect((await ask('POST', '/projects', { name: 'x' })).status).toBe(403)
  expect((await ask('PATCH', `/projects/${project_id}`, { name: 'x' })).status).toBe(403)
  expect((await ask('DELETE', `/projects/${project_id}`)).status).toBe(403)
})

test('an admin does', async () => {
  const host = await newPerson()
  const ask = actIn(host, await newMember(host, 'admin'))
  const made = await ask('POST', '/projects', { name: 'x' })
  expect(made).toMatchObject({ status: 201, body: { user_role: 'admin' } })
  expect((await ask('DELETE', `/projects/${made.body.project_id}`)).status).toBe(200)
})

test('a higher role in a project than in the workspace does not suffice to make it the default, which would grant that role there', async () => {
  const host = await newPerson()
  const made = await host.ask('POST', '/projects', { name: 'Second' })
  const second = { ...host, project_id: made.body.project_id }
  const member = await newPerson()
  const user_ref = { id: member.user_id }
  const put = await call(apiUrl, 'POST', '/api/admin/accounts/', `Access ${adminKey}`, {
    organization_memberships: { a: { organization_ref: { id: host.organization_id }, user_ref, role: 'viewer' } },
    workspace_memberships: { b: { workspace_ref: { id: host.workspace_id }, user_ref, role: 'viewer' } },
    project_memberships: {
      c: { project_ref: { id: host.project_id }, user_ref, role: 'viewer' },
      d: { project_ref: { id: second.project_id }, user_ref, role: 'admin' },
    },
  })
  expect(put.status).toBe(200)
  const ask = actIn(second, member)
  const path = `/projects/${second.project_id}`
  expect((await ask('PATCH', path, { name: 'Renamed' })).status).toBe(200)
  expect((await ask('PATCH', path, { make_default: true })).status).toBe(403)
  expect((await ask('POST', '/projects', { name: 'Third', make_default: true })).status).toBe(403)
  const change = { email: member.email, organization_id: host.organization_id, role: 'admin' }
  expect((await ask('POST', `/workspaces/${host.workspace_id}/roles`, change)).status).toBe(403)
})
