import { createHmac } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { ask, call, newProject } from '../harness.ts'
import { newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

const { apiUrl, receiverUrl, adminKey, tokenKey } = inject('target')

const UNAUTHORIZED = { status: 401, body: { detail: { message: 'Unauthorized' } } }
const NIL = '00000000-0000-0000-0000-000000000000'

const list = (authorization: string | undefined, parameters = '') =>
  call(apiUrl, 'POST', `/api/spans/query${parameters}`, authorization, {})

describe('the Authorization header', () => {
  test('may name the scheme ApiKey or none', async () => {
    const { apiKey } = await newProject()
    expect(await list(`ApiKey ${apiKey}`)).toMatchObject({ status: 200, body: { count: 0, spans: [] } })
    expect(await list(apiKey)).toMatchObject({ status: 200, body: { count: 0, spans: [] } })
    for (const header of [`ApiKey ${apiKey}`, apiKey])
      expect(await call(receiverUrl, 'GET', '/api/otlp/v1/traces', header)).toMatchObject({ status: 200 })
  })

  test('is refused in every other form', async () => {
    const { apiKey } = await newProject()
    const [prefix, secret] = apiKey.split('.') as [string, string]
    const flipped = secret.startsWith('0') ? `1${secret.slice(1)}` : `0${secret.slice(1)}`
    const headers = [
      undefined,
      'ApiKey',
      'ApiKey ',
      `apikey ${apiKey}`,
      `APIKEY ${apiKey}`,
      `ApiKey  ${apiKey}`,
      `Apikey:${apiKey}`,
      `Bearer ${apiKey}`,
      `Basic ${Buffer.from(`x:${apiKey}`).toString('base64')}`,
      `Access ${apiKey}`,
      `Access ${adminKey}`,
      `ApiKey ${adminKey}`,
      adminKey,
      `ApiKey ${prefix}`,
      `ApiKey ${prefix}.`,
      `ApiKey ${prefix}.${flipped}`,
      `ApiKey ${prefix}.${secret.slice(1)}`,
      `ApiKey ${apiKey}0`,
      `ApiKey ${apiKey} ${apiKey}`,
      `ApiKey ${prefix.toUpperCase()}x.${secret}`,
      `ApiKey .${secret}`,
      "ApiKey ' OR 1=1 --",
      `ApiKey ${'x'.repeat(5000)}`,
    ]
    for (const header of headers) expect(await list(header), header).toMatchObject(UNAUTHORIZED)
    expect((await list(undefined)).headers.get('www-authenticate')).toBeNull()
  })

  test('of an exporter may have the forms that exporters send', async () => {
    const { apiKey } = await newProject()
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
    const forms = [
      ...[`apikey ${apiKey}`, `APIKEY ${apiKey}`, `ApiKey  ${apiKey}`, `ApiKey: ${apiKey}`, ` ApiKey ${apiKey} `],
      ...[`Bearer ${apiKey}`, `bearer ${apiKey}`, basic(`user:${apiKey}`), basic(`${apiKey}:`), basic(apiKey)],
      ...[`ApiKey%20${apiKey}`, encodeURIComponent(`ApiKey ${apiKey}`), encodeURIComponent(basic(`pk:${apiKey}`))],
    ].map(authorization => ({ authorization }))
    const others = [{ 'x-api-key': apiKey }, { authorization: 'Bearer other', 'x-api-key': apiKey }]
    const ready = (headers: Record<string, string>) => ask(`${receiverUrl}/api/otlp/v1/traces`, { headers })
    for (const headers of [...forms, ...others] as Record<string, string>[])
      expect(await ready(headers), JSON.stringify(headers)).toMatchObject({ status: 200 })
  })

  test('of an exporter is refused without a valid key, whatever its form', async () => {
    const { apiKey } = await newProject()
    const half = apiKey.slice(0, 40)
    for (const authorization of [
      ...['ApiKey', 'Bearer', 'Basic', 'Basic %%%', 'ApiKey %zz', `Bearer ${half}`, `ApiKey ${apiKey}0`, adminKey],
      ...[`Basic ${Buffer.from(`${half}:${half}`).toString('base64')}`, `Access ${adminKey}`, `Bearer ${adminKey}`],
      ...[`ApiKey ${apiKey} ${apiKey}`, `Digest ${apiKey}`, `ApiKey ${'x'.repeat(5000)}`],
    ])
      expect(await call(receiverUrl, 'GET', '/api/otlp/v1/traces', authorization), authorization).toMatchObject(
        UNAUTHORIZED,
      )
    expect(await ask(`${receiverUrl}/api/otlp/v1/traces`, { headers: { 'x-api-key': half } })).toMatchObject(
      UNAUTHORIZED,
    )
  })

  test('never selects a project by parameter when it has a key', async () => {
    const [mine, theirs] = await Promise.all([newProject(), newProject()])
    await theirs.store(otlpSpan({ traceId: newTraceId() }))
    for (const parameters of [`?project_id=${theirs.projectId}`, `?workspace_id=${newTraceId()}`, '?project_id=x'])
      expect(await list(`ApiKey ${mine.apiKey}`, parameters)).toMatchObject({ status: 200, body: { count: 0 } })
  })

  test.each([
    `project_id=${NIL}`,
    'project_id=null',
    `workspace_id=${NIL}`,
    'workspace_id=null',
    `a=1&project_id=${NIL}`,
  ])('does not count beside ?%s', async parameters => {
    const { apiKey } = await newProject()
    expect(await list(`ApiKey ${apiKey}`, `?${parameters}`)).toMatchObject(UNAUTHORIZED)
    const otlp = await call(receiverUrl, 'POST', `/api/otlp/v1/traces?${parameters}`, `ApiKey ${apiKey}`, {})
    expect(otlp).toMatchObject(UNAUTHORIZED)
  })
})

describe('a Secret token', () => {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const mint = (claims: object, { key = tokenKey, alg = 'HS256' } = {}): string => {
    const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`
    return `Secret ${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

  async function newClaims(): Promise<{ user_id: string; project_id: string }> {
    const email = `${newTraceId()}@example.test`
    const made = await call(apiUrl, 'POST', '/api/admin/simple/accounts/', `Access ${adminKey}`, {
      accounts: { one: { user: { email } } },
    })
    const { user, projects } = made.body.accounts.one
    return { user_id: user.id, project_id: projects.prj.id }
  }

  test('that is signed with the deployment’s key speaks for its user and project', async () => {
    const claims = await newClaims()
    expect(await list(mint({ ...claims, exp: inSeconds(60) }))).toMatchObject({ status: 200, body: { count: 0 } })
  })

  test('is refused with a reason', async () => {
    const claims = await newClaims()
    const refused = (reason: string) => ({ status: 401, body: { detail: { message: 'Unauthorized', reason } } })
    expect(await list(mint({ ...claims, exp: inSeconds(-1) }))).toMatchObject(refused('expired_signature'))
    const bad = [
      mint({ ...claims, exp: inSeconds(60) }, { key: 'another key' }),
      // Whoever has guessed the admin key makes no tokens with it.
      mint({ ...claims, exp: inSeconds(60) }, { key: adminKey }),
      mint({ ...claims, exp: inSeconds(60) }, { alg: 'none' }),
      mint({ ...claims, exp: inSeconds(-1) }, { key: 'another key' }),
      mint(claims),
      mint({ exp: inSeconds(60) }),
      mint({ ...claims, user_id: NIL, exp: inSeconds(60) }),
      `${mint({ ...claims, exp: inSeconds(60) })}x`,
      'Secret nonsense',
      'Secret a.b.c',
    ]
    for (const header of bad) expect(await list(header), header).toMatchObject(refused('invalid_token'))
  })

  test('opens no admin path', async () => {
    const header = mint({ ...(await newClaims()), exp: inSeconds(60) })
    expect(await call(apiUrl, 'POST', '/api/admin/simple/accounts/', header, {})).toMatchObject(UNAUTHORIZED)
  })
})

describe('without valid credentials', () => {
  test.each([undefined, 'ApiKey nonsense', 'Bearer x', 'Access x'])('everything is 401, with %s', async header => {
    const cases: [string, string, unknown?][] = [
      ['PUT', '/api/spans/query', {}],
      ['GET', '/api/traces/query'],
      ['POST', '/api/spans/query', 'no json'],
      ['POST', '/api/traces/query', { filtering: 1 }],
      ['GET', '/api/traces/not-an-id'],
      ['GET', `/api/spans/${newTraceId()}/${newSpanId()}`],
      ['GET', '/api/spans/'],
      ['GET', '/api/traces/'],
      ['GET', '/api/keys'],
      ['POST', '/api/keys'],
      ['DELETE', '/api/keys/abcdefgh'],
      ['POST', '/api/admin/simple/accounts/', { accounts: {} }],
      ['DELETE', '/api/admin/simple/accounts/', 'no json'],
      ['GET', '/api/admin/nothing'],
    ]
    for (const [method, path, body] of cases)
      expect(await call(apiUrl, method, path, header, body), `${method} ${path}`).toMatchObject(UNAUTHORIZED)
  })

  test.each(['/api/nothing/here', '/nothing', '/api/healthy', '/api/preview/health', '/api/spans/a/b/c'])(
    '%s, which nothing has, is 404 and not 401',
    async path => {
      for (const header of [undefined, 'ApiKey nonsense'])
        for (const method of ['GET', 'POST', 'DELETE'])
          expect(await call(apiUrl, method, path, header)).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
    },
  )

  test('an export is refused in JSON, whatever its encoding', async () => {
    for (const type of ['application/json', 'application/x-protobuf']) {
      const answer = await ask(`${receiverUrl}/api/otlp/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: 'ApiKey nonsense' },
        body: 'nonsense',
      })
      expect(answer).toMatchObject(UNAUTHORIZED)
    }
  })

  test('a large body is not read first', async () => {
    const answer = await call(apiUrl, 'POST', '/api/spans/query', 'ApiKey nonsense', Buffer.alloc(1024 * 1024, ' '))
    expect(answer).toMatchObject(UNAUTHORIZED)
  })
})

describe('admin paths', () => {
  test('take the admin key and nothing else', async () => {
    const { apiKey } = await newProject()
    const email = `${newTraceId()}@example.test`
    const post = (header: string | undefined) =>
      call(apiUrl, 'POST', '/api/admin/simple/accounts/', header, { accounts: { one: { user: { email } } } })
    for (const header of [undefined, adminKey, `ApiKey ${adminKey}`, `ApiKey ${apiKey}`, apiKey, `Bearer ${adminKey}`])
      expect(await post(header), header).toMatchObject(UNAUTHORIZED)
    for (const header of ['Access', 'Access ', `Access ${adminKey}x`, `Access  ${adminKey}`, `access ${adminKey}`])
      expect(await post(header), header).toMatchObject(UNAUTHORIZED)
    expect((await post(`Access ${adminKey}`)).status).toBe(200)
  })

  test('are 404 and 405 for the administrator like any other', async () => {
    const header = `Access ${adminKey}`
    expect((await call(apiUrl, 'GET', '/api/admin/nothing', header)).status).toBe(404)
    expect((await call(apiUrl, 'GET', '/api/admin/simple/accounts/', header)).status).toBe(405)
  })
})
