import { beforeAll, describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const NINE = Date.parse('2026-02-03T09:00:00Z')
const iso = (second: number): string => new Date(NINE + second * 1000).toISOString()
const wire = (second: number): string => iso(second).replace('.000', '')

/** A span of a session and a user at a second after nine. */
const at = (second: number, session: string, user: string, more: Partial<OtlpSpan> = {}): OtlpSpan =>
  otlpSpan(
    {
      traceId: newTraceId(),
      startTimeUnixNano: `${NINE + second * 1000}000000`,
      endTimeUnixNano: `${NINE + second * 1000 + 500}000000`,
      ...more,
    },
    { 'ag.session.id': session, 'ag.user.id': user },
  )

let project: TestProject
beforeAll(async () => {
  project = await newProject()
  const first = at(0, 'long', 'ann')
  await project.store(
    ...[first, at(9, 'long', 'ann'), at(1, 'a', 'bob'), at(4, 'a', 'bob')],
    // Three in the same microsecond.
    ...[at(2, 'b', 'ann'), at(2, 'c', 'bob'), at(2, 'd', 'Ünï "x"')],
    at(5, 'late', 'cid'),
    // On a child only.
    at(7, 'child', 'dan', { traceId: first.traceId, parentSpanId: first.spanId }),
    otlpSpan({ traceId: newTraceId() }),
  )
})

const ask = async (body: object, path = '/api/spans/sessions/query') => {
  const answer = await project.post(path, body)
  expect(answer.status, answer.text).toBe(200)
  const { count, session_ids, user_ids, windowing } = answer.body
  const ids: string[] = session_ids ?? user_ids
  expect(count).toBe(ids.length)
  return { ids, line: ids.join(' '), windowing }
}

const ROWS: [body: object, ids: string][] = [
  // By first activity, the latest first.
  [{}, 'child late d c b a long'],
  [{ realtime: false, windowing: null }, 'child late d c b a long'],
  [{ windowing: { order: 'ascending' } }, 'long a b c d late child'],
  // By last activity.
  [{ realtime: true }, 'long child late a d c b'],
  [{ realtime: true, windowing: { order: 'ascending' } }, 'b c d a late child long'],
  // Newest is exclusive and oldest inclusive, and the other way round ascending; only what lies within counts.
  [{ windowing: { newest: iso(5) } }, 'd c b a long'],
  [{ windowing: { oldest: iso(2) } }, 'long child late a d c b'],
  [{ windowing: { oldest: iso(2), newest: iso(5) } }, 'a d c b'],
  [{ realtime: true, windowing: { newest: iso(9) } }, 'child late a d c b long'],
  [{ windowing: { oldest: iso(2), order: 'ascending' } }, 'a late child long'],
  [{ windowing: { newest: iso(2), order: 'ascending' } }, 'long a b c d'],
  [{ windowing: { limit: 2 } }, 'child late'],
  [{ windowing: { limit: 0 } }, 'child'],
  [{ windowing: { newest: iso(0) } }, ''],
  [{ filtering: { conditions: 1 }, extra: true }, 'child late d c b a long'],
]

test.each(ROWS)('%j', async (body, ids) => {
  expect((await ask(body)).line).toBe(ids)
  expect((await ask(body, '/api/tracing/sessions/query')).line).toBe(ids)
})

test('users', async () => {
  expect((await ask({}, '/api/spans/users/query')).ids).toEqual(['dan', 'cid', 'Ünï "x"', 'bob', 'ann'])
  expect((await ask({ realtime: true }, '/api/tracing/users/query')).ids).toEqual([
    ...['ann', 'dan', 'cid', 'bob', 'Ünï "x"'],
  ])
})

test('the windowing of a full page has its bounds; that of another is absent', async () => {
  const { windowing } = await ask({ windowing: { limit: 2, oldest: iso(1) } })
  expect(windowing).toEqual({ newest: wire(7), oldest: wire(1), limit: 2, next: expect.any(String) })
  const ascending = await ask({ windowing: { limit: 2, order: 'ascending', newest: iso(8) } })
  expect(ascending.windowing).toEqual({
    oldest: wire(1),
    newest: wire(8),
    limit: 2,
    order: 'ascending',
    next: expect.any(String),
  })
  expect((await ask({ windowing: { limit: 8 } })).windowing).toBeUndefined()
  // The times alone are understood as well.
  const { next: _, ...bare } = (await ask({ windowing: { limit: 2 } })).windowing
  expect((await ask({ windowing: bare })).line).toBe('d c')
})

describe('pages show every id once, in the order of one large page', () => {
  const windows = [{}, { oldest: iso(1) }, { newest: iso(9) }, { oldest: iso(1), newest: iso(7) }]
  const orders = ['ascending', 'descending']
  const cases = windows.flatMap(window =>
    [true, false].flatMap(realtime =>
      orders.flatMap(order => [1, 2, 3].map(limit => ({ realtime, windowing: { ...window, order, limit } }))),
    ),
  )
  test.each(cases)('%j', async ({ realtime, windowing }) => {
    const { limit, ...whole } = windowing
    const expected = (await ask({ realtime, windowing: whole })).ids
    const seen: string[] = []
    for (let next: object | undefined = windowing, pages = 0; next && pages < 10; pages++) {
      const page = await ask({ realtime, windowing: next })
      seen.push(...page.ids)
      next = page.windowing
    }
    expect(seen).toEqual(expected)
  })

  test('while spans of listed and unlisted sessions come in', async () => {
    const own = await newProject()
    await own.store(at(1, 'a', 'u'), at(2, 'b', 'u'), at(3, 'c', 'u'))
    const page = async (windowing: object) =>
      (await own.post('/api/spans/sessions/query', { realtime: true, windowing })).body
    const first = await page({ limit: 1 })
    await own.store(at(10, 'a', 'u'), at(11, 'c', 'u'))
    const second = await page(first.windowing)
    const third = await page(second.windowing)
    expect([first, second, third].map(one => one.session_ids.join())).toEqual(['c', 'b', 'a'])
  })
})

test.each<[unknown, unknown[]]>([
  [undefined, ['body']],
  [[], ['body']],
  [{ realtime: 'yes' }, ['body', 'realtime']],
  [{ windowing: 5 }, ['body', 'windowing']],
  [{ windowing: { limit: 'ten' } }, ['body', 'windowing', 'limit']],
  [{ windowing: { order: 'up' } }, ['body', 'windowing', 'order']],
  [{ windowing: { oldest: 'yesterday' } }, ['body', 'windowing', 'oldest']],
  [{ windowing: { next: 'x' } }, ['body', 'windowing', 'next']],
  [{ windowing: { next: 5 } }, ['body', 'windowing', 'next']],
])('%j is refused', async (body, loc) => {
  for (const path of ['/api/spans/sessions/query', '/api/tracing/users/query']) {
    const answer = await project.post(path, body)
    expect(answer.status, answer.text).toBe(422)
    expect(answer.body.detail[0].loc).toEqual(loc)
  }
})

test('another project sees none of them', async () => {
  const other = await newProject()
  const answer = await other.post('/api/spans/sessions/query', {})
  expect(answer.body).toEqual({ count: 0, session_ids: [] })
})

test('a trace whose session and user are known below its root is found by them and shows them', async () => {
  const root = otlpSpan({ traceId: newTraceId(), name: 'POST /ask', kind: 2 })
  const child = at(20, 'below a server', 'eve', { traceId: root.traceId, parentSpanId: root.spanId })
  await project.store(root, child)
  for (const [field, value] of [
    ['session_id', 'below a server'],
    ['user_id', 'eve'],
  ]) {
    for (const condition of [{ value }, { operator: 'in', value: [value] }, { operator: 'startswith', value }]) {
      const { body } = await project.post('/api/traces/query', {
        filtering: { conditions: [{ field, ...condition }] },
      })
      expect(body.traces.map(({ trace_id }: any) => trace_id)).toEqual([root.traceId])
      expect(body.traces[0].spans['POST /ask']).toMatchObject({ session_id: 'below a server', user_id: 'eve' })
    }
  }
  const { body } = await project.post('/api/traces/query', {
    filtering: { operator: 'not', conditions: [{ field: 'session_id', operator: 'exists' }] },
  })
  expect(body.traces.map(({ trace_id }: any) => trace_id)).toContain(root.traceId)
})

test('a root shows the session of a span that comes later, in lists, groups and filters, until it has its own', async () => {
  const own = await newProject()
  const root = otlpSpan({ traceId: newTraceId(), name: 'POST /ask', kind: 2 })
  const child = at(20, 'below', 'eve', { traceId: root.traceId, parentSpanId: root.spanId })
  const shown = async (): Promise<unknown[]> => {
    const roots = { filtering: { conditions: [{ field: 'parent_id', value: null }] } }
    const [{ body: spans }, { body: rows }, { body: groups }] = await Promise.all([
      own.post('/api/spans/query', roots),
      own.post('/api/spans/rows', { focus: 'trace' }),
      own.post('/api/spans/groups', { focus: 'trace', by: 'session_id' }),
    ])
    const values = groups.groups.map(({ value, count }: any) => [value, count])
    return [spans.spans[0].session_id, spans.spans[0].user_id, rows.rows[0].session_id, ...values]
  }
  const found = async (value: string): Promise<number> => {
    const filtering = { conditions: [{ field: 'session_id', value }] }
    return (await own.post('/api/spans/query', { filtering })).body.count
  }
  await own.store(root)
  expect(await shown()).toEqual([undefined, undefined, undefined, [undefined, 1]])
  await own.store(child)
  await eventually(async () => (await found('below')) === 1)
  expect(await shown()).toEqual(['below', 'eve', 'below', ['below', 1]])
  await own.store({ ...root, attributes: [{ key: 'session.id', value: { stringValue: 'its own' } }] })
  await eventually(async () => (await found('its own')) === 1)
  expect(await found('below')).toBe(0)
  expect(await shown()).toEqual(['its own', 'eve', 'its own', ['its own', 1]])
})
