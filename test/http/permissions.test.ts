import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Answer, ask, call } from '../harness.ts'
import { actIn, newMember, newPerson, type Person, secretFor } from './people.ts'

const { apiUrl, receiverUrl } = inject('target')

/** Weakest first: each may do what those before it may. */
const ROLES = ['viewer', 'annotator', 'editor', 'developer', 'admin', 'owner'] as const
type Role = (typeof ROLES)[number]

const id = randomUUID()

/** One endpoint for each permission that is in use, with the weakest role that has it. */
const WEAKEST: [role: Role, method: string, path: string, body?: unknown][] = [
  ['viewer', 'POST', '/spans/query', {}],
  ['viewer', 'GET', `/traces/${id}`],
  ['viewer', 'POST', '/spans/analytics/query', {}],
  ['viewer', 'GET', '/secrets'],
  ['viewer', 'POST', '/workflows/query', {}],
  ['viewer', 'POST', '/applications/query', {}],
  ['viewer', 'POST', '/evaluators/query', {}],
  ['viewer', 'POST', '/testsets/query', {}],
  ['viewer', 'POST', '/queries/query', {}],
  ['viewer', 'POST', '/environments/query', {}],
  ['viewer', 'POST', '/folders/query', {}],
  ['viewer', 'POST', '/evaluations/runs/query', {}],
  ['viewer', 'POST', '/evaluations/scenarios/query', {}],
  ['viewer', 'POST', '/evaluations/results/query', {}],
  ['viewer', 'POST', '/evaluations/metrics/query', {}],
  ['viewer', 'POST', '/evaluations/queues/query', {}],
  ['viewer', 'POST', '/simple/evaluations/query', {}],
  ['viewer', 'GET', `/evaluations/runs/${id}/queues/default`],
  ['annotator', 'POST', '/evaluations/runs', { runs: [] }],
  ['annotator', 'POST', '/evaluations/scenarios', { scenarios: [] }],
  ['annotator', 'PATCH', '/evaluations/results', { results: [] }],
  ['annotator', 'POST', '/evaluations/metrics/refresh', { metrics: {} }],
  ['annotator', 'DELETE', '/evaluations/queues', { queue_ids: [] }],
  ['annotator', 'POST', '/simple/queues', { queue: {} }],
  ['annotator', 'POST', `/simple/evaluations/${id}/start`],
  ['annotator', 'POST', '/traces/ingest', {}],
  ['annotator', 'POST', '/simple/traces', {}],
  ['editor', 'POST', '/secrets', {}],
  ['editor', 'PUT', `/secrets/${id}`, {}],
  ['editor', 'DELETE', `/secrets/${id}`],
  ['editor', 'POST', '/providers/probe', {}],
  ['editor', 'POST', '/workflows', {}],
  ['editor', 'POST', '/applications', {}],
  ['editor', 'POST', '/simple/evaluators', {}],
  ['editor', 'POST', '/simple/testsets', {}],
  ['editor', 'POST', '/simple/queries', {}],
  ['editor', 'POST', '/folders', {}],
  ['developer', 'GET', '/keys'],
  ['developer', 'POST', '/keys'],
  ['developer', 'DELETE', '/keys/abcdefgh'],
  ['developer', 'POST', '/simple/environments', {}],
  ['developer', 'POST', '/environments/revisions/commit', {}],
  ['admin', 'POST', '/projects', {}],
  ['admin', 'POST', '/profile/reset-password'],
]

/** Open to every authenticated user: about themselves, or authorized by the named resource. */
const OPEN = new Set([
  ...['get /projects', 'get /projects/current', 'get /projects/{project_id}'],
  ...['get /profile', 'put /profile/username', 'get /access/roles'],
  ...['get /workspaces', 'get /workspaces/roles', 'get /workspaces/permissions'],
  ...['get /organizations', 'post /organizations'],
])

/** What is the same for everybody. */
const CATALOGUE = /\/catalog\/|^\/simple\/evaluators\/templates$/

/** By path: what is decided after the request was read, because it names whose rights are meant. */
const JUDGED_LATER = [/^\/(projects|workspaces|organizations)(\/|$)/]

let host: Person
const members = new Map<Role, Person>()
let operations: { method: string; path: string }[]
beforeAll(async () => {
  host = await newPerson()
  for (const role of ROLES) members.set(role, role === 'owner' ? host : await newMember(host, role))
  const { body } = await ask(`${apiUrl}/api/openapi.json`)
  operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => ({ method, path })),
  )
})

describe.each(ROLES)('%s', role => {
  test.each(WEAKEST)('%s or more: %s %s', async (weakest, method, path, body) => {
    const answer = await actIn(host, members.get(role) as Person)(method, path, body)
    const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(weakest)
    if (isAllowed) expect([401, 403, 404, 405, 500], answer.text).not.toContain(routed(answer))
    else expect([answer.status, answer.body]).toEqual([403, { detail: expect.any(String) }])
  })

  test('annotator or more: exports', async () => {
    const { user_id } = members.get(role) as Person
    const header = secretFor(user_id, host.project_id)
    const answer = await call(receiverUrl, 'POST', '/api/otlp/v1/traces', header, { resourceSpans: [] })
    expect(answer.status === 403).toBe(role === 'viewer')
  })
})

/** A record that is not there is no sign of a missing route. */
const routed = (answer: Answer): number =>
  answer.status === 404 && answer.body.detail !== 'Not Found' ? 200 : answer.status

const urlOf = (path: string): string => path.replace(/\{[^}]+\}/g, randomUUID())
const isForAdmins = (path: string): boolean => path.startsWith('/admin/')
const isPublic = (path: string): boolean =>
  ['/', '/health', '/ready', '/metrics'].includes(path) ||
  path.startsWith('/auth/') ||
  /^\/services\/(.*\/)?(health|openapi\.json)$/.test(path)

test('every documented operation refuses who does not say who they are', async () => {
  expect(operations.length).toBeGreaterThan(50)
  for (const { method, path } of operations.filter(one => !isPublic(one.path))) {
    const answer = await call(apiUrl, method.toUpperCase(), `/api${urlOf(path)}`, undefined)
    expect([`${method} ${path}`, answer.status]).toEqual([`${method} ${path}`, 401])
  }
})

test('every operation of a project refuses non-members, whatever the request looks like', async () => {
  const stranger = actIn(host, await newPerson())
  const open: string[] = []
  for (const { method, path } of operations.filter(one => !isPublic(one.path) && !isForAdmins(one.path))) {
    const name = `${method} ${path}`
    if (OPEN.has(name) || CATALOGUE.test(path)) continue
    const answer = await stranger(method.toUpperCase(), urlOf(path))
    const isRefused = answer.status === 403 || (answer.status >= 400 && JUDGED_LATER.some(place => place.test(path)))
    if (!isRefused) open.push(`${answer.status} ${name}`)
  }
  expect(open).toEqual([])
})

test('administration is closed to every role', async () => {
  for (const { method, path } of operations.filter(one => isForAdmins(one.path)))
    for (const member of members.values())
      expect((await actIn(host, member)(method.toUpperCase(), urlOf(path))).status).toBe(401)
})
