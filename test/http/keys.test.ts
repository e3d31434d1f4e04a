import { expect, inject, test } from 'vitest'
import { type Answer, call, eventually, newProject } from '../harness.ts'

const { apiUrl, receiverUrl } = inject('target')

const keys = (method: string, path: string, key: string): Promise<Answer> =>
  call(apiUrl, method, `/api/keys${path}`, `ApiKey ${key}`)
const statusWith = async (key: string): Promise<number> =>
  (await call(apiUrl, 'POST', '/api/spans/query', `ApiKey ${key}`, {})).status

test('a new key is a JSON text, works at once and is listed without its secret, newest first', async () => {
  const { apiKey } = await newProject()
  const made = await keys('POST', '', apiKey)
  expect(made.status).toBe(200)
  expect(made.headers.get('content-type')).toMatch(/^application\/json/)
  expect(made.body).toMatch(/^[A-Za-z0-9]{8}\.[0-9a-f]{64}$/)
  expect(await statusWith(made.body)).toBe(200)

  const listed = await keys('GET', '/', apiKey)
  expect(listed.status).toBe(200)
  expect(listed.body.map((key: any) => key.prefix)).toEqual([made.body.slice(0, 8), apiKey.slice(0, 8)])
  for (const key of listed.body) {
    const members = ['prefix', 'created_at', 'last_used_at', 'expiration_date']
    expect(Object.keys(key).every(name => members.includes(name))).toBe(true)
    expect(Date.parse(key.created_at)).toBeGreaterThan(Date.now() - 120_000)
  }
  expect(listed.text).not.toContain(made.body.slice(9))
  expect((await keys('GET', '', made.body)).body).toHaveLength(2)
})

test('a key belongs to the project in which it was created', async () => {
  const [project, other] = await Promise.all([newProject(), newProject()])
  const { body: second } = await keys('POST', '', project.apiKey)
  expect((await keys('GET', '', other.apiKey)).body.map((key: any) => key.prefix)).toEqual([other.apiKey.slice(0, 8)])
  expect((await keys('GET', '', second)).body.map((key: any) => key.prefix)).toContain(project.apiKey.slice(0, 8))
})

test('a revoked key stops working at once, also one that has just been used', async () => {
  const { apiKey } = await newProject()
  const { body: doomed } = await keys('POST', '', apiKey)
  expect(await statusWith(doomed)).toBe(200)
  expect((await call(receiverUrl, 'GET', '/api/otlp/v1/traces', `ApiKey ${doomed}`)).status).toBe(200)
  const revoked = await keys('DELETE', `/${doomed.slice(0, 8)}`, apiKey)
  expect(revoked).toMatchObject({ status: 200, body: { message: expect.any(String) } })
  expect(await statusWith(doomed)).toBe(401)
  // Another process may go on for a second.
  await eventually(
    async () => (await call(receiverUrl, 'GET', '/api/otlp/v1/traces', `ApiKey ${doomed}`)).status === 401,
    3000,
  )
  expect((await keys('GET', '', apiKey)).body).toHaveLength(1)
  expect(await statusWith(apiKey)).toBe(200)
  expect((await keys('DELETE', `/${doomed.slice(0, 8)}`, apiKey)).status).toBe(404)
})

test('a key may revoke itself', async () => {
  const { apiKey } = await newProject()
  expect((await keys('DELETE', `/${apiKey.slice(0, 8)}/`, apiKey)).status).toBe(200)
  expect((await keys('GET', '', apiKey)).status).toBe(401)
})

test("nobody can revoke another user's key", async () => {
  const [mine, theirs] = await Promise.all([newProject(), newProject()])
  expect((await keys('DELETE', `/${theirs.apiKey.slice(0, 8)}`, mine.apiKey)).status).toBe(404)
  expect(await statusWith(theirs.apiKey)).toBe(200)
})

test('a prefix that cannot be one is refused', async () => {
  const { apiKey } = await newProject()
  expect(await keys('DELETE', '/%00', apiKey)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['path', 'prefix'] }] },
  })
})

test.each(['unknown0', 'x', 'a'.repeat(300), "'%20OR%201=1"])('an unknown prefix, %s, is 404', async prefix => {
  const { apiKey } = await newProject()
  expect(await keys('DELETE', `/${prefix}`, apiKey)).toMatchObject({ status: 404, body: { detail: expect.anything() } })
})
