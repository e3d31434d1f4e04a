import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Answer, ask, call, eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId } from '../otlp.ts'
import { newPerson, type Person } from './people.ts'

const { apiUrl, receiverUrl, adminKey } = inject('target')

let person: Person
let project: TestProject
beforeAll(async () => {
  person = await newPerson()
  project = await newProject()
})

/** For a busy machine; requests that are refused or take turns need a tenth of it. */
const WAIT_MS_MAX = 3_000

/** The answer, and a check that other requests were answered meanwhile. */
async function watched(work: Promise<Answer>, url = apiUrl): Promise<Answer> {
  let isDone = false
  const answer = work.finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const start = performance.now()
    expect((await ask(`${url}/api/health`)).status).toBe(200)
    longest = Math.max(longest, performance.now() - start)
  }
  expect(longest).toBeLessThan(WAIT_MS_MAX)
  return answer
}

/** Sends a body compressed, as somebody who wants to do harm does. */
const zipped = (path: string, body: string, authorization?: string): Promise<Answer> =>
  watched(
    ask(`${apiUrl}/api${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        ...(authorization && { authorization }),
      },
      body: gzipSync(body),
    }),
  )

const MILLION = 1_000_000
/** A list of so many values. */
const listOf = (length: number, value: string): string => `[${`${value},`.repeat(length - 1)}${value}]`

describe('a small body that becomes large', () => {
  test.each([
    ['/folders/query', `{"folder":{"ids":${listOf(90_000, '1')}}}`],
    ['/folders/query', `{"folder":{"kinds":${listOf(900_000, '1')}}}`],
    ['/workflows/query', `{"workflow":{"slugs":${listOf(900_000, '""')}}}`],
    ['/applications/revisions/query', `{"application_revision":{"dates":${listOf(900_000, '[]')}}}`],
    ['/annotations/query', `{"annotation_links":${listOf(90_000, '{"trace_id":1}')}}`],
    ['/tracing/spans/ingest', `{"spans":${listOf(900_000, '{}')}}`],
    ['/traces/ingest', `{"traces":${listOf(450_000, '{"spans":1}')}}`],
    ['/simple/traces/', `{"trace":{"data":{},"links":${listOf(450_000, '{"trace_id":1}')}}}`],
    ['/workflows/', `{"workflow":{"slug":"a","tags":${listOf(900_000, '{}')}}}`],
  ])('%s: a violation in each of its elements', async (path, body) => {
    const answer = await zipped(path, body, person.authorization)
    expect(answer.status, answer.text.slice(0, 500)).toBe(422)
    expect(answer.body.detail.length).toBeLessThanOrEqual(21)
    expect(answer.text.length).toBeLessThan(20_000)
  })

  test('the list of violations says that there are more', async () => {
    const { body } = await zipped('/folders/query', `{"folder":{"ids":${listOf(30, '1')}}}`, person.authorization)
    expect(body.detail).toHaveLength(21)
    expect(body.detail[19]).toMatchObject({ type: 'string_type', loc: ['body', 'folder', 'ids', 19] })
    expect(body.detail[20]).toMatchObject({ loc: ['body'], msg: expect.stringContaining('and more') })
  })

  test.each([
    ['/tracing/spans/ingest', () => `{"spans":${listOf(3_000, `{"attributes":{"a":${listOf(3_000, '{}')}}}`)}}`],
    ['/folders/query', () => `{"folder":{"ids":${listOf(3 * MILLION, '1')}}}`],
    ['/spans/query', () => `{"filtering":{"conditions":${listOf(2 * MILLION, '{}')}}}`],
    ['/secrets', () => listOf(300_000, '{}')],
    ['/spans/query', () => ' '.repeat(40 * MILLION)],
  ])('%s: more values, or bytes, than are ever taken', async (path, body) => {
    const answer = await zipped(path, body(), person.authorization)
    expect([answer.status, typeof answer.body.detail]).toEqual([413, 'string'])
  })

  test('nine million objects in four bodies of 36 KB at once are refused one by one', async () => {
    const span = `{"attributes":{"a":${listOf(3_000, '{}')}}}`
    const body = `{"spans":${listOf(3_000, span)}}`
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => zipped('/tracing/spans/ingest', body, person.authorization)),
    )
    // The value after the last one allowed, or the project's share of the room, whichever is met first.
    for (const { status } of answers) expect([413, 429]).toContain(status)
    expect((await person.ask('POST', '/tracing/spans/ingest', { spans: [] })).status).toBe(202)
  })

  test.each([() => listOf(10 * MILLION, '{}'), () => `{"token":"${'x'.repeat(70_000)}"}`, () => listOf(30_000, '[]')])(
    'without a credential',
    async body => expect((await zipped('/auth/reset-password', body())).status).toBe(413),
  )

  test('an object with more members than are ever taken', async () => {
    const members = Array.from({ length: 400_000 }, (_, at) => `"m${at}":1`)
    const answer = await zipped(
      '/workflows/',
      `{"workflow":{"slug":"a","meta":{${members.join()}}}}`,
      person.authorization,
    )
    const violation = { type: 'json_invalid', loc: ['body', 'workflow', 'meta', 'm100000'] }
    expect(answer).toMatchObject({ status: 422, body: { detail: [violation] } })
    expect(answer.text).toContain('at most 100000 members')
  })

  test('what is no JSON is found out bit by bit', async () => {
    const body = `{"traces":${listOf(900_000, '{}')}`
    const answer = await zipped('/traces/ingest', body, person.authorization)
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'json_invalid', loc: ['body', body.length] }] },
    })
  })
})

test('thirty megabytes are taken, and others are answered meanwhile', async () => {
  const trace_id = newTraceId()
  const values = Array.from({ length: 25 }, (_, at) => `${at} é ${'x'.repeat(300)}`)
  const spans = Array.from({ length: 3_500 }, () => ({
    trace_id,
    span_id: newSpanId(),
    parent_id: newSpanId(),
    span_name: 'large',
    attributes: { values },
  }))
  const body = JSON.stringify({ spans })
  expect(body.length).toBeGreaterThan(25 * MILLION)
  const answer = await watched(project.post('/api/tracing/spans/ingest', body))
  expect([answer.status, answer.body.count]).toEqual([202, 3_500])
})

describe('depth and digits', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const secret = (extras: string) =>
    `{"header":{"name":"s"},"secret":{"kind":"custom_provider","data":{"kind":"custom","provider":{"key":"k","extras":${extras}},"models":[]}}}`
  const account = (metadata: string) =>
    `{"accounts":{"a":{"user":{"email":"${newTraceId()}@corp.test"},"organization":{"name":"o","metadata":${metadata}}}}}`
  const record = (member: string) => (value: string) => {
    const members: Record<string, string> = { data: '{"outputs":1}', [member]: value }
    const written = Object.entries(members).map(([name, value]) => `"${name}":${value}`)
    return `{"trace":{${written.join()}}}`
  }
  const sent: [where: string, member: string, send: (value: string) => Promise<Answer>][] = [
    [
      ...(['an organization', 'flags'] as const),
      value => person.ask('PATCH', `/organizations/${person.organization_id}`, `{"flags":${value}}`),
    ],
    ['a secret', 'extras', value => person.ask('POST', '/secrets', secret(value))],
    [
      ...(['an account', 'metadata'] as const),
      value => call(apiUrl, 'POST', '/api/admin/simple/accounts/', `Access ${adminKey}`, account(value)),
    ],
    ...['meta', 'tags', 'data'].map(
      member =>
        [
          `a simple trace's ${member}`,
          member,
          (value: string) => person.ask('POST', '/simple/traces/', record(member)(value)),
        ] as [string, string, (value: string) => Promise<Answer>],
    ),
    [
      'a folder',
      'meta',
      value => person.ask('POST', '/folders/', `{"folder":{"slug":"f","name":"f","meta":${value}}}`),
    ],
    [
      ...(['a workflow', 'meta'] as const),
      value => person.ask('POST', '/workflows/', `{"workflow":{"slug":"w","meta":${value}}}`),
    ],
  ]

  test.each(sent)('%s is refused where it is too deep', async (_where, member, send) => {
    for (const levels of [300, 1_900, 2_100, 5_500, 100_000]) {
      const answer = await send(deep(levels))
      expect(answer.status, `${levels}: ${answer.text.slice(0, 300)}`).toBe(422)
      // Beyond two thousand levels the first four names are told.
      if (levels < 2_000) expect(answer.body.detail[0].loc).toContain(member)
      expect(answer.body.detail[0].loc.length).toBeGreaterThan(1)
    }
  })

  test('a number has a thousand digits at most, as JSON and in OTLP', async () => {
    const trace_id = newTraceId()
    const span = (number: string) =>
      `{"spans":[{"trace_id":"${trace_id}","span_id":"${newSpanId()}","attributes":{"n":${number}}}]}`
    expect((await project.post('/api/tracing/spans/ingest', span('1'.repeat(400)))).status).toBe(202)
    for (const digits of [1_001, 8 * MILLION]) {
      const answer = await watched(project.post('/api/tracing/spans/ingest', span('1'.repeat(digits))))
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'spans', 0, 'attributes', 'n'] }] },
      })
      for (const value of [`{"intValue":${'1'.repeat(digits)}}`, `{"intValue":"${'1'.repeat(digits)}"}`]) {
        const attributes = `[{"key":"n","value":${value}}]`
        const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":${attributes}}]}]}]}`
        expect((await watched(project.export(body), receiverUrl)).status).toBe(400)
      }
    }
  })

  test('digits in a JSON text stay a text', async () => {
    const trace_id = newTraceId()
    const inputs = `{"n":${'1'.repeat(3 * MILLION)}}`
    const attributes = { 'ag.data.inputs': inputs }
    const spans = [{ trace_id, span_id: newSpanId(), attributes }]
    expect((await project.post('/api/tracing/spans/ingest', { spans })).status).toBe(202)
    const { body } = await eventually(async () => {
      const answer = await project.get(`/api/traces/${trace_id}`)
      return answer.body.count > 0 ? answer : null
    })
    expect(JSON.stringify(body)).toContain('1'.repeat(MILLION))
  })
})

describe('times', () => {
  const nines = '9'.repeat(400)
  const times = [
    '1e999',
    '-1e999',
    '1e300',
    nines,
    `"${nines}"`,
    `"${'9'.repeat(300)}"`,
    `"1${'.0'.repeat(9)}"`,
    '"NaN"',
    `"${' '.repeat(1e6)}"`,
  ]
  const queries = [
    ...['/spans/query', '/traces/query', '/tracing/spans/query', '/spans/analytics/query', '/tracing/sessions/query'],
    ...['/testcases/query', '/workflows/query', '/simple/traces/query'],
  ]
  test.each(queries)('%s takes none that is none', async path => {
    for (const time of times)
      for (const member of ['oldest', 'newest']) {
        const answer = await person.ask('POST', path, `{"windowing":{"${member}":${time}}}`)
        expect([400, 422], `${member} ${time.slice(0, 20)} ${answer.text.slice(0, 200)}`).toContain(answer.status)
      }
  })

  test('nor does a query string', async () => {
    for (const time of ['1e999', nines, '9'.repeat(300), 'Infinity', 'NaN'])
      for (const path of ['/spans/', '/traces/', '/tracing/spans/analytics']) {
        const answer = await person.ask('GET', `${path}?oldest=${time}`)
        expect([400, 404, 405, 422], `${path} ${time.slice(0, 20)}`).toContain(answer.status)
      }
  })
})

describe('bodies that are on their way', () => {
  const BYTES = 31 * MILLION

  /** Sends all of a large body but the end. */
  function startSending(
    authorization: string,
    path = '/api/traces',
  ): { sending: ClientRequest; status: Promise<number> } {
    const headers = { authorization, 'content-type': 'application/json', 'content-length': BYTES }
    const sending = request(`${apiUrl}${path}`, { method: 'POST', headers })
    const { promise, resolve } = Promise.withResolvers<number>()
    sending.once('response', response => resolve(response.resume().statusCode as number))
    sending.on('error', () => resolve(0))
    sending.write(Buffer.alloc(BYTES - 1, ' '))
    return { sending, status: promise }
  }

  test('one project fills its share of the room; another finds room, and so does it afterwards', async () => {
    const [one, other] = await Promise.all([newPerson(), newPerson()])
    const senders = Array.from({ length: 6 }, () => startSending(one.authorization))
    const refused = await Promise.race(senders.map(({ status }) => status))
    expect(refused).toBe(503)
    expect((await other.ask('POST', '/spans/query', { filtering: {} })).status).toBe(200)
    for (const { sending } of senders) sending.destroy()
    await eventually(async () => {
      const { status } = await one.ask('POST', '/spans/query', `{}${' '.repeat(7 * MILLION)}`)
      return status === 200
    })
  })

  test('a public endpoint refuses a large one unread', async () => {
    const { sending, status } = startSending('', '/api/auth/reset-password')
    expect([413, 0]).toContain(await status)
    sending.destroy()
  })

  test('one that hardly grows any more is cut off', async () => {
    const { sending, status } = startSending(person.authorization)
    expect(await Promise.race([status, once(sending, 'close').then(() => 0)])).toBe(408)
  })
})

test('the OpenAPI document states the limits', async () => {
  const { body } = await call(apiUrl, 'GET', '/api/openapi.json', undefined)
  const limitOf = (path: string): number => body.paths[path]?.post?.['x-body-bytes-max']
  const paths = ['/auth/reset-password', '/secrets', '/spans/query', '/traces', '/simple/testsets/upload']
  expect(paths.map(limitOf)).toEqual([64 * 1024, 2 ** 20, 8 * 2 ** 20, 32 * 2 ** 20, 11 * 2 ** 20])
})
