import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { call } from '../harness.ts'
import { newMember, newPerson } from './people.ts'

const { apiUrl } = inject('target')

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

test('a link is for members who have nothing else, or for oneself', async () => {
  const host = await newPerson()
  const [admin, stranger] = [await newMember(host, 'admin'), await newPerson()]
  const path = (user_id: string) => `/profile/reset-password?user_id=${user_id}`
  expect((await host.ask('POST', path(stranger.user_id))).status).toBe(404)
  expect((await host.ask('POST', path(admin.user_id))).status).toBe(403)
  expect((await host.ask('POST', path('x'))).status).toBe(422)
  expect((await host.ask('POST', '/profile/reset-password')).status).toBe(422)
})
