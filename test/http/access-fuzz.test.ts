import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, inject, test } from 'vitest'
import { type Answer, ask, call } from '../harness.ts'
import { sampledRuns } from '../sets/sample.ts'
import { newPerson, type Person } from './people.ts'

const { apiUrl, adminKey } = inject('target')
const MINE = /^\/(admin\/(simple\/)?accounts|keys|projects|workspaces|organizations|profile|access|secrets|auth)(\/|$)/

let person: Person
let operations: { method: string; path: string; query: string[] }[]
beforeAll(async () => {
  person = await newPerson()
  const { body } = await ask(`${apiUrl}/api/openapi.json`)
  operations = Object.entries<any>(body.paths)
    // A change of the SQL readers restarts ClickHouse. Files that follow could not change them either: that is limited.
    .filter(([path]) => MINE.test(path) && !path.endsWith('/sql-reader'))
    .flatMap(([path, methods]) =>
      Object.entries<any>(methods).map(([method, { parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters.filter((one: any) => one.in === 'query').map((one: any) => one.name),
      })),
    )
  expect(operations.length).toBeGreaterThan(50)
})

const text = fc.oneof(
  fc.constantFrom('', 'null', 'a\u0000b', '\ud800', '__proto__', 'x'.repeat(400), '../..', 'owner', 'a@b.test'),
  fc.string(),
)
const names = fc.constantFrom(
  ...['name', 'email', 'role', 'roles', 'slug', 'flags', 'header', 'secret', 'kind', 'data', 'provider', 'key', 'user'],
  ...[
    'options',
    'accounts',
    'users',
    'organizations',
    'target',
    'user_ids',
    'ref',
    'id',
    'token',
    'password',
    'membership',
  ],
  ...[
    'user_ref',
    'project_ref',
    'api_key',
    'expires_at',
    'organization',
    'workspace',
    'project',
    '__proto__',
    'dry_run',
  ],
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(null, true, 0, -1, 1e300, randomUUID()),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
}))
const parameter = fc.oneof(
  fc.constantFrom(randomUUID(), 'current', '%00', '%ff', 'a%2Fb', '00000000-0000-0000-0000-000000000000'),
  text.map(one => encodeURIComponent(one.toWellFormed()) || '_'),
)

interface Sent {
  method: string
  path: string
  body?: unknown
}

/** No defect of the server, and JSON that says why. */
async function expectClear({ method, path, body }: Sent): Promise<void> {
  const header = path.startsWith('/admin/') ? `Access ${adminKey}` : person.authorization
  const answer: Answer = await call(apiUrl, method, `/api${path}`, header, body && JSON.stringify(body))
  expect([answer.status, answer.text], `${method} ${path} ${JSON.stringify(body)}`).toEqual([
    expect.toSatisfy(status => status < 500 || status === 501),
    expect.anything(),
  ])
  if (answer.status >= 400) expect(answer.body.detail, `${method} ${path}`).toBeDefined()
}

test('any body and parameter at any operation', async () => {
  const request = fc.record({ index: fc.nat(), parameter, body: value, withBody: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(request, async ({ index, parameter, body, withBody }) => {
      const { method, path, query } = operations[index % operations.length] as (typeof operations)[number]
      const url = path.replace(/\{[^}]+\}/g, parameter)
      const search = query.length > 0 ? `?${query.map(name => `${name}=${parameter}`).join('&')}` : ''
      await expectClear({ method, path: url + search, body: withBody && method !== 'GET' ? body : undefined })
    }),
    { numRuns: sampledRuns(1000) },
  )
})

const incompressible = Array.from({ length: 200 }, () => randomUUID()).join('')
const spoiled = fc.oneof(value, text, fc.constant(incompressible))

/** Requests that would be carried out, of which one leaf is then replaced. */
const sound = (): Sent[] => {
  const email = `${randomUUID()}@corp.test`
  const organization_ref = { id: person.organization_id }
  const workspace_ref = { id: person.workspace_id }
  const identity = { method: 'email:otp', subject: email, claims: { a: 1 } }
  const inside = `/organizations/${person.organization_id}/workspaces/${person.workspace_id}`
  const membership = { organization_ref: { ref: 'o' }, user_ref: { ref: 'u' }, role: 'viewer' }
  const provider = { url: 'https://a.test', version: '1', key: 'k', extras: { a: 'b' } }
  return [
    {
      method: 'POST',
      path: '/admin/simple/accounts',
      body: { accounts: { a: { user: { email }, user_identities: [identity] } } },
    },
    {
      method: 'POST',
      path: '/admin/accounts',
      body: {
        users: { u: { email, username: 'u' } },
        organizations: { o: { name: 'O', slug: randomUUID(), metadata: { a: 1 } } },
        workspaces: { w: { name: 'W', slug: 's', organization_ref: { ref: 'o' } } },
        projects: { p: { name: 'P', organization_ref: { ref: 'o' }, workspace_ref: { ref: 'w' } } },
        organization_memberships: { m: membership },
      },
    },
    {
      method: 'POST',
      path: '/admin/simple/accounts/projects',
      body: { project: { name: 'P', organization_ref, workspace_ref } },
    },
    { method: 'DELETE', path: '/admin/accounts', body: { target: { user_ids: [randomUUID()], user_emails: [email] } } },
    { method: 'POST', path: '/projects', body: { name: 'P', make_default: false } },
    {
      method: 'PATCH',
      path: `/organizations/${person.organization_id}`,
      body: { name: 'O', description: 'D', flags: { a: 1 } },
    },
    { method: 'POST', path: `${inside}/invite`, body: [{ email, roles: ['viewer'] }] },
    { method: 'POST', path: `${inside}/invite/accept`, body: { token: 't', email } },
    {
      method: 'POST',
      path: `/workspaces/${person.workspace_id}/roles`,
      body: { email, organization_id: person.organization_id, role: 'viewer' },
    },
    { method: 'PUT', path: '/profile/username', body: { username: 'u' } },
    { method: 'POST', path: '/auth/reset-password', body: { token: 't', password: 'long-enough' } },
    {
      method: 'POST',
      path: '/secrets',
      body: {
        slug: randomUUID(),
        header: { name: 'N', description: 'D' },
        secret: {
          kind: 'custom_provider',
          data: { kind: 'custom', provider, models: [{ slug: 'm', extras: { b: 1 } }] },
        },
      },
    },
  ]
}

function replaceLeaf(body: any, by: unknown, choose: (count: number) => number): unknown {
  if (typeof body !== 'object' || body === null) return by
  const keys = Object.keys(body)
  const key = keys[choose(keys.length + 1)]
  if (key === undefined) return by
  const copy = Array.isArray(body) ? [...body] : { ...body }
  copy[key] = replaceLeaf(copy[key], by, choose)
  return copy
}

test('sound requests with one spoiled value', async () => {
  const request = fc.record({ index: fc.nat(), steps: fc.array(fc.nat(), { minLength: 8 }), by: spoiled })
  await fc.assert(
    fc.asyncProperty(request, async ({ index, steps, by }) => {
      const all = sound()
      const sent = all[index % all.length] as Sent
      const next = steps.values()
      await expectClear({ ...sent, body: replaceLeaf(sent.body, by, count => (next.next().value ?? 0) % count) })
    }),
    { numRuns: sampledRuns(700) },
  )
})
