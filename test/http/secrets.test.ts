import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { call } from '../harness.ts'
import { actIn, newMember, newPerson, type Person } from './people.ts'

const { apiUrl } = inject('target')
const MASK = '********'

const providerKey = (kind = 'openai', key = 'sk-plain') => ({ kind: 'provider_key', data: { kind, provider: { key } } })
const create = async (person: Person, secret: object, header: object = {}): Promise<any> => {
  const made = await person.ask('POST', '/secrets/', { header, secret })
  expect([made.status, made.text]).toEqual([200, expect.any(String)])
  return made.body
}

describe('each kind', () => {
  test.each<[string, object, object, object]>([
    ['a provider key', providerKey(), {}, { header: { name: 'OpenAI' }, data: { provider: { key: 'sk-plain' } } }],
    [
      'with models',
      {
        kind: 'provider_key',
        data: { kind: 'mistralai', provider: { key: 'k' }, models: [{ slug: 'm', extras: { a: 1 } }], harnesses: [] },
      },
      { description: 'Ours' },
      {
        header: { name: 'Mistral AI', description: 'Ours' },
        data: { kind: 'mistral', provider: { key: 'k' }, models: [{ slug: 'm', extras: { a: 1 } }], harnesses: [] },
      },
    ],
    [
      'a provider of one’s own',
      {
        kind: 'custom_provider',
        data: { kind: 'togetherai', provider: { url: 'https://models.test/v1', key: 'k' }, models: [{ slug: 'big' }] },
      },
      { name: 'Lab' },
      {
        header: { name: 'Lab' },
        data: {
          kind: 'together_ai',
          provider: { url: 'https://models.test/v1', key: 'k' },
          models: [{ slug: 'big' }],
          provider_slug: 'Lab',
          model_keys: ['Lab/together_ai/big'],
        },
      },
    ],
    [
      'single sign-on',
      {
        kind: 'sso_provider',
        data: { provider: { client_id: 'i', client_secret: 's', issuer_url: 'https://i.test', scopes: ['openid'] } },
      },
      { name: 'SSO' },
      { data: { provider: { client_id: 'i', client_secret: 's', issuer_url: 'https://i.test', scopes: ['openid'] } } },
    ],
    [
      'a webhook key',
      { kind: 'webhook_provider', data: { provider: { key: 'k' } } },
      { name: 'webhook-x' },
      { header: { name: 'webhook-x' }, data: { provider: { key: 'k' } } },
    ],
    [
      'text',
      { kind: 'custom_secret', data: { secret: { format: 'text', content: ' {"a":\n' } } },
      { name: 'T' },
      { data: { secret: { format: 'text', content: ' {"a":\n' } } },
    ],
    [
      'json',
      { kind: 'custom_secret', data: { secret: { format: 'json', content: { a: 'b', n: 1, t: true, x: null } } } },
      { name: 'J' },
      { data: { secret: { format: 'json', content: { a: 'b', n: 1, t: true, x: null } } } },
    ],
  ])('%s', async (_name, secret, header, expected) => {
    const person = await newPerson()
    const made = await create(person, secret, header)
    expect(made).toMatchObject({ id: expect.any(String), kind: (secret as any).kind, ...expected })
    expect(Object.keys(made.lifecycle)).toEqual(['created_at'])
    expect((await person.ask('GET', `/secrets/${made.id}`)).body).toEqual(made)
    expect((await person.ask('GET', '/secrets/')).body).toEqual([made])
  })
})

test('a provider’s keys are named and numbered, and the slug is made of the name', async () => {
  const person = await newPerson()
  const made = [
    await create(person, providerKey()),
    await create(person, providerKey()),
    await create(person, providerKey(), { name: 'Größe & co' }),
    await create(person, providerKey()),
  ]
  expect(made.map(one => one.header.name)).toEqual(['OpenAI', 'OpenAI 2', 'Größe & co', 'OpenAI 3'])
  expect(made[0].slug).toMatch(/^openai-[0-9a-f]{12}$/)
  expect(made[1].slug).toMatch(/^openai-2-[0-9a-f]{12}$/)
  expect((await person.ask('GET', `/secrets/${made[1].slug}`)).body).toEqual(made[1])
  expect((await person.ask('GET', `/secrets/${made[1].id.replaceAll('-', '').toUpperCase()}`)).body).toEqual(made[1])
})

test('a key may be for a gateway of one’s own', async () => {
  const person = await newPerson()
  const provider = { key: 'sk-plain', url: 'https://gateway.example.org/v1' }
  const data = { kind: 'anthropic', provider }
  const { body } = await person.ask('POST', '/secrets', { header: {}, secret: { kind: 'provider_key', data } })
  expect(body.data).toEqual(data)
})

test('twenty keys at once have twenty names', async () => {
  const person = await newPerson()
  const made = await Promise.all(Array.from({ length: 20 }, () => create(person, providerKey('groq'))))
  expect(new Set(made.map(one => one.header.name)).size).toBe(20)
})

test('a change replaces what is given and keeps the slug', async () => {
  const person = await newPerson()
  const models = [{ slug: 'm' }]
  const data = { kind: 'custom', provider: { url: 'https://a.test', key: 'k' }, models, harnesses: ['h'] }
  const made = await create(person, { kind: 'custom_provider', data }, { name: 'One' })
  const put = async (body: object) => (await person.ask('PUT', `/secrets/${made.id}`, body)).body
  const renamed = await put({ header: { name: 'Two', description: 'D' } })
  expect(renamed).toMatchObject({
    slug: made.slug,
    header: { name: 'Two', description: 'D' },
    data: { provider: { key: 'k' }, models, provider_slug: 'Two', model_keys: ['Two/custom/m'] },
    lifecycle: { created_at: made.lifecycle.created_at, updated_at: expect.any(String) },
  })
  const other = { kind: 'custom_provider', data: { kind: 'azure', provider: { key: 'new' } } }
  expect(await put({ secret: other })).toMatchObject({
    header: { name: 'Two', description: 'D' },
    data: { kind: 'azure', provider: { key: 'new' }, models, harnesses: ['h'], model_keys: ['Two/azure/m'] },
  })
  expect((await put({ secret: { ...other, data: { ...other.data, models: [], harnesses: [] } } })).data).toEqual({
    kind: 'azure',
    provider: { key: 'new' },
    models: [],
    harnesses: [],
    provider_slug: 'Two',
    model_keys: [],
  })
})

test('what is not there, and what is deleted', async () => {
  const [person, stranger] = [await newPerson(), await newPerson()]
  const made = await create(person, providerKey())
  for (const id of [made.id, made.slug, randomUUID(), 'nothing'])
    expect(await stranger.ask('GET', `/secrets/${id}`)).toMatchObject({
      status: 404,
      body: { detail: expect.any(String) },
    })
  expect((await stranger.ask('PUT', `/secrets/${made.id}`, {})).status).toBe(404)
  expect((await stranger.ask('DELETE', `/secrets/${made.id}`)).status).toBe(204)
  for (const [method, id] of [
    ['PUT', made.slug],
    ['DELETE', 'zz'],
  ] as const) {
    const malformed = await person.ask(method, `/secrets/${id}`, {})
    expect(malformed).toMatchObject({ status: 422, body: { detail: [{ loc: ['path', 'id'] }] } })
    expect(malformed.text).not.toContain('"input"')
  }
  expect(await person.ask('DELETE', `/secrets/${made.id}`)).toMatchObject({ status: 204, text: '' })
  expect((await person.ask('DELETE', `/secrets/${made.id}`)).status).toBe(204)
  expect((await person.ask('GET', '/secrets')).body).toEqual([])
})

test('a slug of one’s own is taken once a project', async () => {
  const [person, other] = [await newPerson(), await newPerson()]
  const body = { slug: 'mine', header: {}, secret: providerKey() }
  expect((await person.ask('POST', '/secrets', body)).body.slug).toBe('mine')
  expect(await person.ask('POST', '/secrets', body)).toMatchObject({
    status: 409,
    body: { detail: { conflict: { slug: 'mine' } } },
  })
  expect((await other.ask('POST', '/secrets', body)).status).toBe(200)
})

describe('who may see what', () => {
  test('viewers see masks, editors and workers see values, and none of the viewers write', async () => {
    const host = await newPerson()
    const [viewer, editor] = [await newMember(host, 'viewer'), await newMember(host, 'editor')]
    const made = [
      await create(host, providerKey('openai', 'plain-1')),
      await create(
        host,
        {
          kind: 'custom_provider',
          data: {
            kind: 'bedrock',
            provider: { key: 'plain-2', extras: { aws_secret_access_key: 'plain-3', more: { a: ['plain-6'] }, n: 1 } },
            models: [{ slug: 'm', extras: { token: 'plain-4', size: 1 } }],
          },
        },
        { name: 'B' },
      ),
      await create(
        host,
        { kind: 'custom_secret', data: { secret: { format: 'json', content: { a: 'plain-5' } } } },
        { name: 'C' },
      ),
    ]
    const worker = await actIn(host, viewer)('GET', '/secrets')
    expect(worker.body).toEqual(made)
    const check = '/access/permissions/check?action=view_secret&resource_type=local_secrets'
    const credentialsOf = async (person: Person) => (await actIn(host, person)('GET', check)).body.credentials
    const [asViewer, asEditor] = [await credentialsOf(viewer), await credentialsOf(editor)]
    const list = (credentials: string) => call(apiUrl, 'GET', '/api/secrets', credentials)
    expect((await list(asEditor)).body).toEqual(made)
    const masked = await list(asViewer)
    expect(masked.status).toBe(200)
    expect(masked.text).not.toContain('plain-')
    expect(masked.body.map((one: any) => one.data)).toMatchObject([
      { kind: 'openai', provider: { key: MASK } },
      {
        provider: { key: MASK, extras: { aws_secret_access_key: MASK, more: { a: [MASK] }, n: 1 } },
        models: [{ slug: 'm', extras: { token: MASK, size: 1 } }],
      },
      { secret: { format: 'json', content: MASK } },
    ])
    const one = await call(apiUrl, 'GET', `/api/secrets/${made[0].id}`, asViewer)
    expect(one.body.data.provider.key).toBe(MASK)
    for (const [method, path, body] of [
      ['POST', '/secrets', { header: {}, secret: providerKey() }],
      ['POST', '/secrets', undefined],
      ['PUT', `/secrets/${made[0].id}`, { header: { name: 'x' } }],
      ['DELETE', `/secrets/${made[0].id}`, undefined],
    ] as const)
      expect((await call(apiUrl, method, `/api${path}`, asViewer, body)).status).toBe(403)
  })
})

describe('refused', () => {
  const secretOf = (kind: string, data: unknown) => ({ header: { name: 'N' }, secret: { kind, data } })
  const custom = (provider: object, rest: object = { models: [] }) =>
    secretOf('custom_provider', { kind: 'custom', provider: { key: 'TOP-SECRET', ...provider }, ...rest })
  test.each<[string, unknown, string]>([
    ['no body', undefined, 'body'],
    ['no JSON', '{"secret": {"data": "TOP-SECRET', 'body.31'],
    ['no header', { secret: providerKey('openai', 'TOP-SECRET') }, 'body.header'],
    ['no secret', { header: {} }, 'body.secret'],
    ['another kind', secretOf('other', { key: 'TOP-SECRET' }), 'body.secret.kind'],
    [
      'no key',
      secretOf('provider_key', { kind: 'openai', provider: { kye: 'TOP-SECRET' } }),
      'body.secret.data.provider.key',
    ],
    [
      'a key for a private address',
      secretOf('provider_key', { kind: 'openai', provider: { key: 'TOP-SECRET', url: 'https://10.0.0.1/v1' } }),
      'body.secret.data.provider.url',
    ],
    ['an unknown provider', { header: {}, secret: providerKey('TOP-SECRET', 'TOP-SECRET') }, 'body.secret.data.kind'],
    [
      'azure as a standard provider',
      { header: {}, secret: providerKey('azure', 'TOP-SECRET') },
      'body.secret.data.kind',
    ],
    [
      'a key of another type',
      { header: {}, secret: { kind: 'provider_key', data: { kind: 'openai', provider: { key: ['TOP-SECRET'] } } } },
      'body.secret.data.provider.key',
    ],
    ['a provider without a name', { header: {}, secret: custom({}).secret }, 'body.header.name'],
    [
      'a text without a name',
      { header: {}, secret: secretOf('custom_secret', { secret: { format: 'text', content: 'TOP-SECRET' } }).secret },
      'body.header.name',
    ],
    ['a provider without models', custom({}, {}), 'body.secret.data.models'],
    ['a model without a slug', custom({}, { models: [{ name: 'TOP-SECRET' }] }), 'body.secret.data.models.0.slug'],
    ...[
      ...[
        'https://10.0.0.1',
        'https://127.0.0.1:8080/v1',
        'https://192.168.1.1',
        'https://172.20.0.1',
        'https://[::1]/',
      ],
      ...['https://169.254.169.254/latest', 'https://2130706433/', 'https://0x7f.1', 'https://[::ffff:10.0.0.1]/'],
      ...['https://[fd00::1]', 'ftp://a.test', 'http://a.test', 'https://user:TOP-SECRET@a.test', 'no address'],
    ].map((url): [string, unknown, string] => [url, custom({ url }), 'body.secret.data.provider.url']),
    [
      'half a sign-on',
      secretOf('sso_provider', { provider: { client_id: 'i', client_secret: 'TOP-SECRET', issuer_url: 'u' } }),
      'body.secret.data.provider.scopes',
    ],
    [
      'nested JSON',
      secretOf('custom_secret', { secret: { format: 'json', content: { a: { b: 'TOP-SECRET' } } } }),
      'body.secret.data.secret.content',
    ],
    [
      'a list as JSON',
      secretOf('custom_secret', { secret: { format: 'json', content: ['TOP-SECRET'] } }),
      'body.secret.data.secret.content',
    ],
    [
      'another format',
      secretOf('custom_secret', { secret: { format: 'xml', content: 'TOP-SECRET' } }),
      'body.secret.data.secret.format',
    ],
  ])('%s', async (_name, body, loc) => {
    const person = await newPerson()
    const answer = await person.ask('POST', '/secrets', body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail.map((one: any) => one.loc.join('.'))).toContain(loc)
    expect(answer.text).not.toContain('TOP-SECRET')
    if (body !== undefined && typeof body !== 'string') expect(answer.text).not.toContain('"input"')
  })

  test.each(['https://8.8.8.8', 'https://models.test:8443/v1', 'https://[2606:4700::1]/v1'])(
    'but not %s',
    async url => {
      await create(
        await newPerson(),
        { kind: 'custom_provider', data: { kind: 'custom', provider: { url }, models: [] } },
        { name: 'N' },
      )
    },
  )
})

test('the older path leads to the same', async () => {
  const person = await newPerson()
  const made = await person.ask('POST', '/vault/v1/secrets/', { header: {}, secret: providerKey() })
  expect(made.status).toBe(200)
  expect((await person.ask('GET', `/vault/v1/secrets/${made.body.id}`)).body).toEqual(made.body)
  expect((await person.ask('GET', '/secrets')).body).toEqual([made.body])
})

test('credentials are tried out where they may be stored, and never repeated', async () => {
  const person = await newPerson()
  const probe = (kind: string, provider: object) => person.ask('POST', '/providers/probe', { kind, provider })
  expect(await probe('vertex_ai', { extras: { credentials: '{}' } })).toMatchObject({
    status: 200,
    body: { kind: 'vertex_ai', status: 'unknown', message: expect.any(String) },
  })
  for (const [kind, provider] of [
    ['custom', { url: 'https://169.254.169.254/latest', key: 'TOP-SECRET' }],
    ['custom', { url: 'http://models.test', key: 'TOP-SECRET' }],
    ['nobody', { key: 'TOP-SECRET' }],
    ['openai', { key: ['TOP-SECRET'] }],
  ] as const) {
    const answer = await probe(kind, provider)
    expect([answer.status, answer.text]).toEqual([422, expect.not.stringMatching('TOP-SECRET|"input"')])
  }
})
