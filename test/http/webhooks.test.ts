import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { actIn, newMember, newPerson } from './people.ts'

const PATH = '/api/webhooks/subscriptions'
const URL_ = 'https://hooks.example.test/in'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const create = (subscription: object, of = project) => of.post(`${PATH}/`, { subscription })
const made = async (subscription: object, of = project): Promise<any> => {
  const answer = await create(subscription, of)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body.subscription
}

test('a subscription is created, read, replaced, stopped, started and deleted', async () => {
  const data = { url: URL_, headers: { a: 'b' }, payload_fields: { z: 1, a: ['$.event'] }, event_types: [] }
  const sent = {
    name: 'N',
    description: 'D',
    tags: { t: 'x', of: [1, null] },
    meta: { b: 1, a: 2 },
    data,
    secret: 'mine',
  }
  const first = await made({ ...sent, flags: { is_active: false }, unknown: true })
  expect(first).toEqual({
    ...sent,
    id: expect.any(String),
    created_at: expect.any(String),
    created_by_id: expect.any(String),
    secret_id: expect.any(String),
    flags: { is_active: true },
  })
  const path = `${PATH}/${first.id}`
  expect((await project.get(path)).body).toEqual({ count: 1, subscription: first })
  const stored = (await project.get(`/api/secrets/${first.secret_id}`)).body
  expect(stored).toMatchObject({
    kind: 'webhook_provider',
    header: { name: 'webhook-N' },
    data: { provider: { key: 'mine' } },
  })
  expect((await project.post(`${path}/stop`)).body.subscription).toMatchObject({ flags: { is_active: false } })
  expect((await project.post(`${path}/stop/`)).status).toBe(200)
  const put = await project.send('PUT', path, { subscription: { id: first.id, data: { url: URL_ } } })
  expect(put.body.subscription).toEqual({
    id: first.id,
    created_at: first.created_at,
    created_by_id: first.created_by_id,
    updated_at: expect.any(String),
    updated_by_id: expect.any(String),
    flags: { is_active: false },
    data: { url: URL_ },
    secret_id: first.secret_id,
    secret: 'mine',
  })
  expect((await project.post(`${path}/start`)).body.subscription).toMatchObject({ flags: { is_active: true } })
  const again = { id: first.id, flags: { is_active: false }, data: { url: URL_ }, secret: 'other' }
  expect((await project.send('PUT', path, { subscription: again })).body.subscription).toMatchObject({
    flags: { is_active: false },
    secret: 'other',
  })
  const vaultName = async () => (await project.get(`/api/secrets/${first.secret_id}`)).body.header.name
  expect(await vaultName()).toBe(`webhook-${first.id}`)
  await project.send('PUT', path, { subscription: { id: first.id, name: 'M', data: { url: URL_ } } })
  expect(await vaultName()).toBe('webhook-M')
  const deleted = await project.send('DELETE', path)
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await project.get(`/api/secrets/${first.secret_id}`)).status).toBe(404)
  const gone = [
    await project.get(path),
    await project.send('DELETE', path),
    await project.send('PUT', path, { subscription: { id: first.id, data } }),
    await project.post(`${path}/start`),
    await project.post(`${PATH}/test`, { subscription_id: first.id }),
  ]
  for (const answer of gone) expect(answer).toMatchObject({ status: 404, body: { detail: expect.any(String) } })
})

test('a subscription whose secret was deleted from the vault gets a new one when it is replaced', async () => {
  const { id, secret_id } = await made({ data: { url: URL_ }, secret: 'mine' })
  const path = `${PATH}/${id}`
  expect((await project.send('DELETE', `/api/secrets/${secret_id}`)).status).toBe(204)
  expect((await project.get(path)).body.subscription).not.toHaveProperty('secret')
  const put = async (data: object) => project.send('PUT', path, { subscription: { id, data: { url: URL_, ...data } } })
  // The caller's is needed there.
  expect((await put({ auth_mode: 'authorization' })).status).toBe(400)
  const { subscription } = (await put({})).body
  expect(subscription.secret).toMatch(/^[A-Za-z\d]{32}$/)
  const stored = (await project.get(`/api/secrets/${subscription.secret_id}`)).body
  expect(stored.data.provider.key).toBe(subscription.secret)
  expect((await put({})).body.subscription.secret).toBe(subscription.secret)
  expect((await put({ auth_mode: 'authorization' })).status).toBe(400)
})

test.each<[string, object, number]>([
  ['no data', {}, 422],
  ['no url', { data: {} }, 422],
  ['no web address', { data: { url: 'ftp://a.test' } }, 422],
  ['an empty url', { data: { url: '' } }, 422],
  ['a long url', { data: { url: `https://a.test/${'x'.repeat(2083)}` } }, 422],
  ['an unknown kind', { data: { url: URL_, event_types: ['workflows.revisions.eaten'] } }, 422],
  ['an unknown mode', { data: { url: URL_, auth_mode: 'none' } }, 422],
  ['a header that is no text', { data: { url: URL_, headers: { a: 1 } } }, 422],
  ['authorization without a secret', { data: { url: URL_, auth_mode: 'authorization' } }, 400],
  [
    'authorization that no header can have',
    { data: { url: URL_, auth_mode: 'authorization' }, secret: 'Bearer x\n' },
    400,
  ],
  ['plain http', { data: { url: 'http://hooks.example.test' } }, 400],
  ['credentials in the url', { data: { url: 'https://a:b@hooks.example.test' } }, 400],
  ['a private address', { data: { url: 'https://10.0.0.1/' } }, 400],
  ['localhost', { data: { url: 'https://localhost/' } }, 400],
  ['a port that is not for https', { data: { url: 'https://hooks.example.test:6379/' } }, 400],
  ['many paths', { data: { url: URL_, payload_fields: { all: Array(101).fill('$') } } }, 400],
])('%s is rejected', async (_name, subscription, status) => {
  const answer = await create(subscription)
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body.detail).toEqual(expect.any(String))
})

test.each<[string, string]>([
  ['two words', 'x'],
  ['Transfer-Encoding', 'chunked'],
  ['X-Own', 'a\r\nHost: elsewhere'],
  ['X-Own', 'a check ✓'],
])('the header %j with %j cannot be sent, and is rejected by name', async (name, value) => {
  const data = { url: URL_, headers: { 'X-Good': 'yes', [name]: value } }
  const answer = await create({ data })
  expect(answer.status).toBe(422)
  const loc = ['body', 'subscription', 'data', 'headers', name]
  expect(answer.body.detail).toEqual([expect.objectContaining({ loc, msg: expect.stringContaining(`"${name}"`) })])
  const { id } = await made({ data: { url: URL_ } })
  expect((await project.send('PUT', `${PATH}/${id}`, { subscription: { id, data } })).status).toBe(422)
})

test('a template that is too deep is rejected', async () => {
  let deep: any = '$'
  for (let level = 0; level < 300; level++) deep = { a: deep }
  expect((await create({ data: { url: URL_, payload_fields: deep } })).status).toBe(422)
})

test('authorization needs a secret that a caller has given', async () => {
  const ours = await made({ data: { url: URL_ } })
  const data = { url: URL_, auth_mode: 'authorization' }
  const put = (subscription: object) => project.send('PUT', `${PATH}/${ours.id}`, { subscription })
  expect((await put({ id: ours.id, data })).status).toBe(400)
  const wrong = await put({ id: ours.id, data, secret: 'Bearer x\n' })
  expect([wrong.status, wrong.body.detail]).toEqual([
    400,
    'secret: the header Authorization has a value with characters that a header cannot contain.',
  ])
  expect((await put({ id: ours.id, data, secret: 'Bearer x' })).status).toBe(200)
  expect((await put({ id: ours.id, data })).body.subscription.secret).toBe('Bearer x')
  expect((await put({ data })).status).toBe(400)
  expect((await put({ id: randomUUID(), data })).status).toBe(400)
})

test('a secret that signs is refused for authorization if the header cannot have it', async () => {
  const { id } = await made({ secret: 'two\nlines', data: { url: URL_ } })
  const data = { url: URL_, auth_mode: 'authorization' }
  const refused = [
    await project.send('PUT', `${PATH}/${id}`, { subscription: { id, data } }),
    await project.post(`${PATH}/test`, { subscription: { id, data } }),
  ]
  for (const { status, body } of refused)
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/^secret: /)])
  expect((await project.get(`${PATH}/${id}`)).body.subscription.data).toEqual({ url: URL_ })
})

test('lists are filtered and paged, without secrets', async () => {
  const own = await newProject()
  const ids: string[] = []
  for (const name of ['Alpha', 'Beta', 'Alphabet'])
    ids.push((await made({ name, tags: { [name]: true, all: true }, data: { url: URL_ } }, own)).id)
  const query = async (body: object) => (await own.post(`${PATH}/query`, body)).body
  const all = await query({})
  expect(all.subscriptions.map((one: any) => one.id)).toEqual(ids.toReversed())
  expect(JSON.stringify(all)).not.toContain('"secret"')
  expect(Object.keys(all)).toEqual(['count', 'subscriptions'])
  const names = async (body: object) => (await query(body)).subscriptions.map((one: any) => one.name)
  expect(await names({ subscription: { name: 'ALPHA' } })).toEqual(['Alphabet', 'Alpha'])
  expect(await names({ subscription: { tags: { Beta: true } } })).toEqual(['Beta'])
  expect(await names({ windowing: { limit: 2, order: 'ascending' } })).toEqual(['Alpha', 'Beta'])
  expect(await names({ windowing: { limit: 2, next: ids[1] } })).toEqual(['Alpha'])
  expect(await query({ windowing: { limit: 2, next: ids[0] } })).toEqual({ count: 0, subscriptions: [] })
  expect((await own.post(`${PATH}/query`)).status).toBe(422)
  expect((await project.get(`${PATH}/${ids[0]}`)).status).toBe(404)
})

test('each mistake is named once', async () => {
  const { id } = await made({ data: { url: URL_ } })
  expect(
    await project.send('PUT', `${PATH}/${id}`, { subscription: { id, data: { url: '' }, secret: [] } }),
  ).toMatchObject({
    status: 422,
    body: {
      detail: [
        {
          type: 'string_too_short',
          loc: ['body', 'subscription', 'data', 'url'],
          msg: 'String should have at least 1 character',
        },
        { type: 'string_type', loc: ['body', 'subscription', 'secret'], msg: 'Input should be a valid string' },
      ],
    },
  })
})

test('a delivery is written by hand, once for an event and a subscription', async () => {
  const { id: subscription_id } = await made({ data: { url: URL_ } })
  const event_id = randomUUID()
  const write = (code: string, more: object = {}) =>
    project.post('/api/webhooks/deliveries', {
      delivery: { subscription_id, event_id, status: { code, message: 'failed' }, ...more },
    })
  expect(await write('abc', { status: { timestamp: 'not a time', code: 'abc', message: 'sent' } })).toMatchObject({
    status: 422,
    body: {
      detail: [
        { type: 'datetime_parsing', loc: ['body', 'delivery', 'status', 'timestamp'] },
        { type: 'string_pattern_mismatch', loc: ['body', 'delivery', 'status', 'code'] },
        { type: 'enum', loc: ['body', 'delivery', 'status', 'message'] },
      ],
    },
  })
  const timestamp = '2026-02-03T09:15:00Z'
  const first = (await write('500', { status: { timestamp, code: '500', message: 'failed' } })).body.delivery
  expect(first.status).toEqual({ timestamp, code: '500', message: 'failed' })
  const second = (await write('200', { data: { url: URL_ } })).body.delivery
  expect(second).toMatchObject({ id: first.id, status: { code: '200' }, data: { url: URL_ } })
  const path = `/api/webhooks/deliveries/${first.id}`
  expect((await project.get(path)).body).toEqual({ count: 1, delivery: second })
  const found = await project.post('/api/webhooks/deliveries/query', { delivery: { event_id } })
  expect(found.body).toEqual({ count: 1, deliveries: [second] })
  expect((await write('1', { subscription_id: randomUUID() })).status).toBe(404)
  expect((await project.post(`${path}/redeliver`)).status).toBe(404)
  await project.send('DELETE', `${PATH}/${subscription_id}`)
  expect((await project.get(path)).status).toBe(404)
})

test('a page behind a delivery that was deleted meanwhile is refused, not empty', async () => {
  const of = await newProject()
  for (let count = 0; count < 2; count++) {
    const { id: subscription_id } = await made({ data: { url: URL_ } }, of)
    const delivery = { subscription_id, event_id: randomUUID(), status: { code: '200', message: 'success' } }
    await of.post('/api/webhooks/deliveries', { delivery })
  }
  const list = (windowing: object) => of.post('/api/webhooks/deliveries/query', { windowing })
  const [newest, older] = (await list({})).body.deliveries
  const page = () => list({ limit: 1, next: newest.id })
  expect((await page()).body.deliveries).toEqual([older])
  await of.send('DELETE', `${PATH}/${newest.subscription_id}`)
  expect(await page()).toMatchObject({ status: 400, body: { detail: expect.stringContaining('windowing.next') } })
})

test('a test returns the delivery, whether it succeeded or not', async () => {
  const tested = await project.post(`${PATH}/test`, { subscription: { data: { url: 'https://no-host.test/' } } })
  expect(tested).toMatchObject({
    status: 200,
    body: { count: 1, delivery: { status: { code: '0', message: 'failed' }, data: { error: expect.any(String) } } },
  })
  expect((await project.post(`${PATH}/test`, {})).status).toBe(400)
  const port = await project.post(`${PATH}/test`, {
    subscription: { data: { url: 'https://hooks.example.test:6379/' } },
  })
  expect(port).toMatchObject({
    status: 200,
    body: {
      delivery: { status: { code: '400', message: 'failed' }, data: { error: expect.stringContaining('8443') } },
    },
  })
  const near = await project.post(`${PATH}/test`, { subscription: { data: { url: 'https://10.0.0.1/' } } })
  expect(near).toMatchObject({ status: 200, body: { delivery: { status: { code: '400', message: 'failed' } } } })
  const { id } = await made({ data: { url: URL_ } })
  const both = { subscription_id: id, subscription: { data: { url: URL_ } } }
  expect((await project.post(`${PATH}/test`, both)).status).toBe(400)
  const data = { url: URL_, auth_mode: 'authorization' }
  expect((await project.post(`${PATH}/test`, { subscription: { data } })).status).toBe(400)
  expect((await project.post(`${PATH}/test`, { subscription: { data, secret: 'Bearer x\n' } })).status).toBe(400)
})

test('viewers see subscriptions without their secrets and change nothing', async () => {
  const host = await newPerson()
  const { body } = await host.ask('POST', '/webhooks/subscriptions', { subscription: { data: { url: URL_ } } })
  const ask = actIn(host, await newMember(host, 'viewer'))
  const seen = await ask('GET', `/webhooks/subscriptions/${body.subscription.id}`)
  expect(seen.status).toBe(200)
  expect(seen.body.subscription.secret).toBeUndefined()
  const { id } = body.subscription
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/stop`],
    ['POST', '/test'],
  ] as const)
    expect(await ask(method, `/webhooks/subscriptions${path}`, {})).toMatchObject({
      status: 403,
      body: { detail: expect.any(String) },
    })
})
