import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

let project: TestProject

beforeAll(async () => {
  project = await newProject()
  await project.store(otlpSpan({ traceId: newTraceId() }))
})

/** Both endpoints answer alike. */
async function expectRefused(body: unknown, status: number, detail: unknown): Promise<void> {
  for (const family of ['spans', 'traces']) {
    const answer = await project.post(`/api/${family}/query`, body)
    expect(answer).toMatchObject({ status, body: { detail } })
  }
}

test.each([
  [{ filterin: {} }, 'body.filterin: unknown member'],
  [{ Filtering: {} }, 'body.Filtering: unknown member'],
  [{ conditions: [] }, 'body.conditions: unknown member'],
  [{ windowing: { limt: 1 } }, 'body.windowing.limt: unknown member'],
  [{ windowing: '{"limt":1}' }, 'body.windowing.limt: unknown member'],
  [{ query_ref: { slug: 'x' }, limits: 1 }, 'body.limits: unknown member'],
  [{ filtering: { condition: [] } }, 'body.filtering.condition: unknown member'],
  [{ filter: { conditons: [] } }, 'body.filter.conditons: unknown member'],
  [{ filtering: { operators: 'or', conditions: [] } }, 'body.filtering.operators: unknown member'],
  [
    { filtering: { conditions: [{ field: 'span_name', operator: 'is_not', valeu: 'x' }] } },
    'body.filtering.conditions.0.valeu: unknown member',
  ],
  [
    { filtering: { conditions: [{ field: 'span_name', operator: 'contains', value: 'x', options: { case: true } }] } },
    'body.filtering.conditions.0.options.case: unknown member',
  ],
])('%j is refused by the name of the member, at all addresses', async (body, message) => {
  for (const path of ['/spans/query', '/traces/query', '/tracing/traces/query'])
    expect(await project.post(`/api${path}`, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(message) },
    })
})

test.each([
  {},
  { filter: { conditions: [] }, limit: 1, order: 'ascending', oldest: null, newest: null, next: null, rate: 1 },
  { filtering: {}, windowing: { limit: 1, order: 'descending', interval: 60 } },
  { filtering: '{}', windowing: '{"limit":1}' },
  { focus: 'trace', format: 'agenta', interval: 60, limit: 1 },
])('%j has only known members', async body => {
  for (const path of ['/spans/query', '/traces/query', '/tracing/traces/query'])
    expect(await project.post(`/api${path}`, body)).toMatchObject({ status: 200, body: { count: 1 } })
})

test.each(['/spans/analytics/query', '/tracing/analytics/query', '/tracing/spans/analytics', '/tracing/spans/query'])(
  '%s refuses a misspelt member by its name, too',
  async path => {
    for (const [body, loc] of [
      [{ filterin: {} }, ['body', 'filterin']],
      [{ windowing: { limt: 1 } }, ['body', 'windowing', 'limt']],
      [{ formatting: { fokus: 'span' } }, ['body', 'formatting', 'fokus']],
    ] as const)
      expect(await project.post(`/api${path}`, body)).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'extra_forbidden', loc }] },
      })
    const misspelt = { filter: { conditions: [{ field: 'span_name', valeu: 'x' }] } }
    expect(await project.post(`/api${path}`, misspelt)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('body.filter.conditions.0.valeu: unknown member') },
    })
  },
)

const SHAPE: [body: unknown, loc: (string | number)[]][] = [
  [{ filtering: 1 }, ['filtering']],
  [{ filtering: 'x' }, ['filtering']],
  [{ filtering: [] }, ['filtering']],
  [{ filtering: { operator: 'xor', conditions: [] } }, ['filtering', 'operator']],
  [{ filtering: { operator: 'AND', conditions: [] } }, ['filtering', 'operator']],
  [{ filtering: { operator: 5 } }, ['filtering', 'operator']],
  [{ filtering: { conditions: {} } }, ['filtering', 'conditions']],
  [{ filtering: { conditions: 'x' } }, ['filtering', 'conditions']],
  [{ filtering: { conditions: [1] } }, ['filtering', 'conditions', 0]],
  [{ filtering: { conditions: [null] } }, ['filtering', 'conditions', 0]],
  [{ filtering: { conditions: [{}] } }, ['filtering', 'conditions', 0, 'field']],
  [{ filtering: { conditions: [{ operator: 'is', value: 1 }] } }, ['filtering', 'conditions', 0, 'field']],
  [{ filtering: { conditions: [{ value: 1 }] } }, ['filtering', 'conditions', 0, 'field']],
  [{ filtering: { conditions: [{ field: 5, value: 1 }] } }, ['filtering', 'conditions', 0, 'field']],
  [
    { filtering: { conditions: [{ field: 'span_name', operator: 'equals', value: 1 }] } },
    ['filtering', 'conditions', 0, 'operator'],
  ],
  [
    { filtering: { conditions: [{ field: 'span_name', value: 'x', options: 'y' }] } },
    ['filtering', 'conditions', 0, 'options'],
  ],
  [
    { filtering: { conditions: [{ field: 'span_name', value: 'x', options: { case_sensitive: 'maybe' } }] } },
    ['filtering', 'conditions', 0, 'options', 'case_sensitive'],
  ],
  [{ filtering: { conditions: [{ field: 'attributes', key: 5, value: 'x' }] } }, ['filtering', 'conditions', 0, 'key']],
  [
    { filtering: { conditions: [{ operator: 'or', conditions: [{ field: 'span_name', operator: '~', value: 1 }] }] } },
    ['filtering', 'conditions', 0, 'conditions', 0, 'operator'],
  ],
  [{ filter: 5 }, ['filter']],
  [{ filter: 'no json' }, ['filter']],
  [{ filter: '[]' }, ['filter']],
  [{ filtering: '[]' }, ['filtering']],
  [{ windowing: '[]' }, ['windowing']],
  [{ filter: { conditions: [{ value: 1 }] } }, ['filter', 'conditions', 0, 'field']],
  [{ windowing: 5 }, ['windowing']],
  [{ windowing: [] }, ['windowing']],
  [{ windowing: { limit: 'ten' } }, ['windowing', 'limit']],
  [{ windowing: { limit: 1.5 } }, ['windowing', 'limit']],
  [{ windowing: { limit: {} } }, ['windowing', 'limit']],
  [{ windowing: { order: 'up' } }, ['windowing', 'order']],
  [{ windowing: { order: 1 } }, ['windowing', 'order']],
  [{ windowing: { next: 'zz' } }, ['windowing', 'next']],
  [{ windowing: { next: 5 } }, ['windowing', 'next']],
  [{ windowing: { next: `${newTraceId()}0` } }, ['windowing', 'next']],
  [{ windowing: { rate: 2 } }, ['windowing', 'rate']],
  [{ windowing: { rate: -0.1 } }, ['windowing', 'rate']],
  [{ windowing: { rate: 'half' } }, ['windowing', 'rate']],
  [{ windowing: { interval: 0 } }, ['windowing', 'interval']],
  [{ windowing: { interval: -5 } }, ['windowing', 'interval']],
  [{ windowing: { oldest: 'yesterday' } }, ['windowing', 'oldest']],
  [{ windowing: { newest: '2026-13-01' } }, ['windowing', 'newest']],
  [{ windowing: { newest: '2026-02-30T00:00:00Z' } }, ['windowing', 'newest']],
  [{ windowing: { oldest: {} } }, ['windowing', 'oldest']],
  [{ windowing: { oldest: true } }, ['windowing', 'oldest']],
  [{ limit: 'ten' }, ['limit']],
  [{ order: 'up' }, ['order']],
  [{ oldest: 'yesterday' }, ['oldest']],
  [{ newest: [] }, ['newest']],
  [{ next: 'zz' }, ['next']],
  [{ rate: 5 }, ['rate']],
]

describe('a body of another shape is 422 and says where', () => {
  test.each(SHAPE)('%j', (body, loc) =>
    expectRefused(
      body,
      422,
      expect.arrayContaining([
        {
          type: expect.any(String),
          loc: ['body', ...loc],
          msg: expect.any(String),
          input: expect.toSatisfy(input => input !== undefined),
        },
      ]),
    ),
  )
})

type Condition = Record<string, unknown>

/** Each names its field in `detail`. */
const MEANING: Condition[] = [
  { field: 'name', operator: 'is', value: 'x' },
  { field: 'status.code', operator: 'is', value: 'x' },
  { field: 'SPAN_NAME', operator: 'is', value: 'x' },
  { field: '', operator: 'is', value: 'x' },
  { field: 'constructor', operator: 'is', value: 'x' },
  ...['gt', 'btwn', 'contains', 'like', 'has', 'exists'].flatMap(operator =>
    ['trace_id', 'span_id', 'parent_id', 'trace_type', 'span_type', 'span_kind', 'status_code'].map(field => ({
      field,
      operator,
    })),
  ),
  ...['span_name', 'status_message', 'session_id', 'user_id', 'agent_id'].map(field => ({ field, operator: 'has' })),
  ...['start_time', 'end_time', 'created_at', 'updated_at', 'deleted_at'].flatMap(field => [
    { field, operator: 'has', value: 'x' },
    { field, operator: 'exists' },
  ]),
  ...['created_by_id', 'updated_by_id', 'deleted_by_id'].flatMap(field => [
    { field, operator: 'gt', value: 'x' },
    { field, operator: 'contains', value: 'x' },
    { field, operator: 'has', value: 'x' },
  ]),
  ...['references', 'links', 'hashes', 'events'].flatMap(field => [
    { field, operator: 'is', value: [] },
    { field, operator: 'eq', value: 'x' },
    { field, operator: 'contains', value: 'x' },
  ]),
  ...['is', 'eq', 'in', 'has', 'exists', 'startswith', 'matches'].map(operator => ({
    field: 'content',
    operator,
    value: 'x',
  })),
  { field: 'trace_type', operator: 'is', value: 'evaluation' },
  { field: 'span_type', operator: 'in', value: ['chat', 'novel'] },
  { field: 'span_kind', operator: 'is', value: 'SERVER' },
  { field: 'status_code', operator: 'is', value: 'OK' },
  { field: 'status_code', operator: 'is', value: 2 },
  { field: 'trace_id', operator: 'is', value: null },
  { field: 'trace_id', operator: 'is' },
  { field: 'trace_id', operator: 'is', value: 'xyz' },
  { field: 'trace_id', operator: 'is', value: 5 },
  { field: 'trace_id', operator: 'is', value: newTraceId().slice(16) },
  { field: 'trace_id', operator: 'in', value: newTraceId() },
  { field: 'trace_id', operator: 'in', value: [newTraceId(), 'xyz'] },
  { field: 'trace_id', operator: 'in' },
  { field: 'span_id', operator: 'is', value: null },
  { field: 'span_id', operator: 'not_in', value: ['zz'] },
  { field: 'parent_id', operator: 'is', value: 'zz' },
  { field: 'span_name', operator: 'in', value: 'x' },
  { field: 'span_name', operator: 'in', value: null },
  { field: 'span_name', operator: 'in', value: ['x', null] },
  { field: 'span_name', operator: 'gt', value: null },
  { field: 'span_name', operator: 'contains', value: null },
  { field: 'span_name', operator: 'contains' },
  { field: 'span_name', operator: 'is', value: { a: 1 } },
  { field: 'span_name', operator: 'btwn', value: ['a'] },
  { field: 'span_name', operator: 'exists', value: 'x' },
  { field: 'session_id', operator: 'not_exists', value: false },
  { field: 'start_time', operator: 'gt', value: 'yesterday' },
  { field: 'start_time', operator: 'gt', value: 12345 },
  { field: 'start_time', operator: 'gt', value: '12345678901' },
  { field: 'start_time', operator: 'is', value: '2026-02-30T00:00:00Z' },
  { field: 'start_time', operator: 'startswith', value: 5 },
  { field: 'start_time', operator: 'contains', value: null },
  { field: 'start_time', operator: 'btwn', value: ['2026-02-03T00:00:00Z'] },
  { field: 'start_time', operator: 'in', value: ['2026-02-03T00:00:00Z', 'x'] },
  { field: 'created_by_id', operator: 'is', value: 'nobody' },
  { field: 'created_by_id', operator: 'in', value: [null] },
  { field: 'created_by_id', operator: 'exists', value: 'x' },
  { field: 'attributes', operator: 'is', value: 'x' },
  { field: 'attributes', key: '', operator: 'exists' },
  { field: 'attributes', key: null, operator: 'exists' },
  { field: 'attributes', key: 'a', operator: 'exists', value: 1 },
  { field: 'attributes', key: 'a', operator: 'in', value: 5 },
  { field: 'attributes', key: 'a', operator: 'btwn', value: [1] },
  { field: 'attributes', key: 'a', operator: 'btwn', value: [1, 2, 3] },
  { field: 'attributes', key: 'a', operator: 'btwn', value: 1 },
  { field: 'attributes', key: 'a', operator: 'gt', value: {} },
  { field: 'attributes', key: 'a', operator: 'contains', value: {} },
  { field: 'attributes', key: 'a', operator: 'startswith' },
  { field: 'references', key: 'slug', operator: 'in', value: [] },
  { field: 'references', key: 'slug', operator: 'exists' },
  { field: 'references', operator: 'has', value: 'x' },
  { field: 'references', key: 'slug', operator: 'has', value: 'x' },
  { field: 'references', operator: 'in', value: { slug: 'x' } },
  { field: 'references', operator: 'in', value: ['x'] },
  { field: 'references', operator: 'in', value: [1] },
  { field: 'references', operator: 'in', value: [{ id: 'no uuid' }] },
  { field: 'references', operator: 'exists', value: 1 },
  { field: 'links', key: 'attributes.key', operator: 'exists' },
  { field: 'links', operator: 'in', value: [{ trace_id: 'xyz' }] },
  { field: 'links', operator: 'in', value: [{ trace_id: newTraceId(), span_id: 'xyz' }] },
  { field: 'links', key: 'key', operator: 'has', value: 'x' },
  { field: 'hashes', operator: 'in', value: ['zz'] },
  { field: 'hashes', operator: 'in', value: 'zz' },
  { field: 'events', operator: 'in', value: 'exception' },
  { field: 'events', key: 'name', operator: 'has', value: 'x' },
  { field: 'content', operator: 'contains', value: 5 },
  { field: 'content', operator: 'contains', value: null },
  { field: 'content', operator: 'contains', value: ['x'] },
]

describe('a filter that makes no sense is 400 and names the field', () => {
  test.each(MEANING)('%j', async condition => {
    const named = expect.stringContaining(condition.field as string)
    await expectRefused({ filtering: { conditions: [condition] } }, 400, named)
    const inside = { operator: 'or', conditions: [{ field: 'span_name', value: 'x' }, { conditions: [condition] }] }
    await expectRefused({ filter: inside }, 400, named)
  })

  test('a `not` takes one member', () =>
    expectRefused(
      {
        filtering: {
          operator: 'not',
          conditions: [
            { field: 'span_name', value: 'a' },
            { field: 'span_name', value: 'b' },
          ],
        },
      },
      400,
      expect.stringContaining('not'),
    ))
})

describe('a filter without bounds is refused, not tried', () => {
  const name = { field: 'span_name', value: 'x' }
  test.each([
    ['depth', Array.from({ length: 500 }).reduce((inner: object) => ({ conditions: [inner] }), name)],
    ['conditions', { conditions: Array(20_000).fill(name) }],
    ['values', { conditions: [{ ...name, operator: 'in', value: Array(200_000).fill('x') }] }],
    ['text', { conditions: [{ ...name, value: 'x'.repeat(5_000_000) }] }],
    ['key', { conditions: [{ field: 'attributes', key: 'a.'.repeat(100_000), operator: 'exists' }] }],
    ['content', { conditions: [{ field: 'content', operator: 'contains', value: 'word '.repeat(100_000) }] }],
  ])('%s', async (_bound, filtering) => {
    const body = JSON.stringify({ filtering: 'conditions' in filtering ? filtering : { conditions: [filtering] } })
    const answer = await project.post('/api/spans/query', body)
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.any(String) } })
    expect(answer.text.length).toBeLessThan(2000)
  })
})

test('a saved query that does not exist selects nothing, never everything', async () => {
  for (const name of ['query_ref', 'query_variant_ref', 'query_revision_ref'])
    for (const reference of [{ id: '0d9f8e7c-1111-4222-8333-944455556666' }, { slug: 'nothing' }]) {
      const spans = await project.post('/api/spans/query', { [name]: reference })
      expect(spans).toMatchObject({ status: 200, text: '{"count":0,"spans":[]}' })
      const traces = await project.post('/api/traces/query', { [name]: reference })
      expect(traces).toMatchObject({ status: 200, text: '{"count":0,"traces":[]}' })
    }
})
