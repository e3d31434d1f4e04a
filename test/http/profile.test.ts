import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { call } from '../harness.ts'
import { newMember, newPerson, type Person, secretFor } from './people.ts'

const { apiUrl, adminKey } = inject('target')

test('the profile, and another name', async () => {
  const person = await newPerson()
  const profile = {
    id: person.user_id,
    uid: expect.any(String),
    email: person.email,
    username: person.email.split('@')[0],
    created_at: expect.any(String),
    updated_at: expect.any(String),
    profile_picture: null,
  }
  expect((await person.ask('GET', '/profile/')).body).toEqual(profile)
  const renamed = await person.ask('PUT', '/profile/username', { username: ' Quinn ' })
  expect([renamed.status, renamed.body]).toEqual([200, { ...profile, username: 'Quinn' }])
  expect((await person.ask('PUT', '/profile/username', { username: ' ' })).status).toBe(400)
  expect((await person.ask('PUT', '/profile/username', {})).status).toBe(422)
  expect((await person.ask('DELETE', '/profile')).status).toBe(404)
})

test('a link sets a new password, once', async () => {
  const person = await newPerson()
  const link = async () => (await person.ask('POST', `/profile/reset-password?user_id=${person.user_id}`)).body
  const [replaced, current] = [await link(), await link()].map(url => new URL(url).searchParams.get('token'))
  const reset = (body: object) => call(apiUrl, 'POST', '/api/auth/reset-password', undefined, body)
  const password = `secret-${randomUUID()}`
  expect((await reset({ token: replaced, password })).status).toBe(400)
  const refused = await reset({ token: current, password: 'short-7' })
  expect(refused.status).toBe(422)
  expect(refused.text).not.toContain('short-7')
  expect((await reset({ token: current, password })).status).toBe(204)
  expect((await reset({ token: current, password })).status).toBe(400)
})

test('nobody gets a link for a user with more permissions', async () => {
  const host = await newPerson()
  const project = await host.ask('POST', '/projects', { name: 'Second' })
  const [admin, second] = [await newAccountless(host, 'admin'), await newAccountless(host, 'admin')]
  const [owner, viewer] = [await newAccountless(host, 'owner'), await newAccountless(host, 'viewer')]
  const asked = async (by: string, of: string) =>
    (await call(apiUrl, 'POST', `/api/profile/reset-password?user_id=${of}`, secretFor(by, host.project_id))).status
  expect(await asked(admin, owner)).toBe(403)
  expect(await asked(admin, host.user_id)).toBe(403)
  expect(await asked(admin, second)).toBe(200)
  expect(await asked(admin, viewer)).toBe(200)
  expect(await asked(owner, admin)).toBe(200)
  expect(await asked(host.user_id, owner)).toBe(200)
  expect(await asked(viewer, admin)).toBe(403)
  // Whoever is more in one place only is more.
  await put(viewer, 'project', project.body.project_id, 'owner')
  expect(await asked(admin, viewer)).toBe(403)
  expect(await asked(host.user_id, viewer)).toBe(200)
  const lab = await host.ask('POST', `/organizations/${host.organization_id}/workspaces`, { name: 'Lab' })
  await put(second, 'workspace', lab.body.id, 'viewer')
  expect(await asked(admin, second)).toBe(403)
})

/** Somebody in the host's workspace, its projects and its organization who has nothing of their own. */
async function newAccountless(host: Person, role: string): Promise<string> {
  const made = await admin('/admin/simple/accounts/users/', {
    user: { email: `${randomUUID()}@corp.test` },
    options: { seed_defaults: false },
  })
  const user_id = Object.values<{ id: string }>(made.accounts[0].users)[0]?.id as string
  await put(user_id, 'organization', host.organization_id, role)
  await put(user_id, 'workspace', host.workspace_id, role)
  await put(user_id, 'project', host.project_id, role)
  return user_id
}

const put = (user_id: string, scope: string, id: string, role: string): Promise<unknown> =>
  admin('/admin/accounts/', {
    [`${scope}_memberships`]: { one: { [`${scope}_ref`]: { id }, user_ref: { id: user_id }, role } },
  })

async function admin(path: string, body: object): Promise<any> {
  const answer = await call(apiUrl, 'POST', `/api${path}`, `Access ${adminKey}`, body)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

test('a link is for members who have nothing else, or for oneself', async () => {
  const host = await newPerson()
  const [admin, stranger] = [await newMember(host, 'admin'), await newPerson()]
  const path = (user_id: string) => `/profile/reset-password?user_id=${user_id}`
  expect((await host.ask('POST', path(stranger.user_id))).status).toBe(404)
  expect((await host.ask('POST', path(admin.user_id))).status).toBe(403)
  expect((await host.ask('POST', path('x'))).status).toBe(422)
  expect((await host.ask('POST', '/profile/reset-password')).status).toBe(422)
})
