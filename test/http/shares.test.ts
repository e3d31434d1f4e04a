import { expect, inject, test } from 'vitest'
import { type Answer, ask, eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const repeated = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** A query with as much work before the first row as is allowed. */
const EXPENSIVE = {
  filtering: {
    operator: 'or',
    conditions: repeated(22, index => ({ field: 'attributes', key: `a${index}`, operator: 'not_in', value: [index] })),
  },
}

const timed = async (work: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> => {
  const begin = performance.now()
  return { answer: await work(), ms: performance.now() - begin }
}

/**
 * Whether a server has died, or ended a statement because another one has: those of the cluster's tests may, and are
 * started again (`packages/clickhouse-server/DECISIONS.md`).
 */
const isAway = ({ status, text }: Answer): boolean =>
  inject('target').set === 'cluster' && status === 503 && text.includes('ClickHouse')

test('a flood of expensive queries in one project is refused there and unnoticed elsewhere', async () => {
  const [flooding, quiet] = [await newProject(), await newProject()]
  const traceId = newTraceId()
  await quiet.store(otlpSpan({ traceId, name: 'root' }))
  const read = () => timed(() => quiet.get(`/api/traces/${traceId}`))
  const { apiUrl } = inject('target')
  const before: number[] = []
  for (let i = 0; i < 5; i++) before.push((await read()).ms)

  let isOver = false
  const flood = Promise.all(repeated(300, () => flooding.post('/api/spans/query', EXPENSIVE))).finally(() => {
    isOver = true
  })
  const during: number[] = []
  const readiness: number[] = []
  const reads: Answer[] = []
  do {
    const { answer, ms } = await read()
    reads.push(answer)
    if (isAway(answer)) continue
    expect([answer.status, answer.body.count ?? answer.text]).toEqual([200, 1])
    during.push(ms)
    readiness.push((await ask(`${apiUrl}/api/ready`)).status)
  } while (!isOver)

  const all = await flood
  if (![...all, ...reads].some(isAway)) expect(new Set(readiness)).toEqual(new Set([200]))
  const answers = all.filter(answer => !isAway(answer))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused) {
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(body.detail).toMatch(/of this project/)
  }
  expect(during.length).toBeGreaterThan(1)
  expect(Math.max(...during)).toBeLessThan(1_000 + 20 * Math.max(...before))
  expect((await flooding.post('/api/spans/query', { windowing: { limit: 1 } })).status).toBe(200)
  expect((await ask(`${apiUrl}/metrics`)).text).toMatch(
    /share_refused_total\{share="read",code="too_many_requests"\} \d/,
  )
})

test('a client that asks for 60 traces at once gets them', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  await project.store(otlpSpan({ traceId, name: 'root' }))
  const answers = await Promise.all(repeated(60, () => project.get(`/api/traces/${traceId}`)))
  expect(answers.map(({ status }) => status)).toEqual(repeated(60, () => 200))
})

test('who hangs up leaves no slot taken', async () => {
  const project = await newProject()
  const { apiUrl } = inject('target')
  const leaving = new AbortController()
  const headers = { authorization: `ApiKey ${project.apiKey}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(EXPENSIVE), signal: leaving.signal }
  const left = repeated(40, () => ask(`${apiUrl}/api/spans/query`, request).catch(() => 'left'))
  await Promise.race(left)
  leaving.abort()
  expect(await Promise.all(left)).toContain('left')
  // ClickHouse ends the statements of the callers that left a moment later.
  await eventually(async () => (await project.post('/api/spans/query', { windowing: { limit: 1 } })).status === 200)
})

const listen = async ({ apiKey }: TestProject, signal: AbortSignal): Promise<Response> => {
  const { apiUrl } = inject('target')
  return fetch(`${apiUrl}/api/spans/tail`, { headers: { authorization: `ApiKey ${apiKey}` }, signal })
}

test('a project with its maximum of listeners is refused another one, and no other project is', async () => {
  const [greedy, other] = [await newProject(), await newProject()]
  const stopping = new AbortController()
  const listening = await Promise.all(repeated(20, () => listen(greedy, stopping.signal)))
  expect(listening.map(({ status }) => status)).toEqual(repeated(20, () => 200))
  const refused = await listen(greedy, stopping.signal)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  const others = new AbortController()
  expect((await listen(other, others.signal)).status).toBe(200)
  stopping.abort()
  await expect.poll(async () => (await listen(greedy, others.signal)).status).toBe(200)
  others.abort()
})

test.each([
  ['conditions', { filtering: { conditions: repeated(450, i => ({ field: 'attributes', key: `a${i}`, value: i })) } }],
  [
    'patterns',
    {
      filtering: {
        conditions: repeated(20, () => ({ field: 'span_name', operator: 'like', value: '%a'.repeat(9e3) })),
      },
    },
  ],
  [
    'values',
    {
      filtering: {
        conditions: repeated(3, i => ({
          field: 'attributes',
          key: `a${i}`,
          operator: 'in',
          value: repeated(1e5, n => `v${n + 1e6}`),
        })),
      },
    },
  ],
])('a query with too many %s is refused before it runs, with its bound', async (_name, body) => {
  const project = await newProject()
  const { answer, ms } = await timed(() => project.post('/api/spans/query', body))
  expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(/at most \d+/)])
  expect(ms).toBeLessThan(10_000)
})
