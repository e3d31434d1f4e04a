import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId, otlpSpan } from '../otlp.ts'
import { sampledRuns } from '../sets/sample.ts'

/** Both projects use the same ids; only the texts tell whose span it is. */
let mine: TestProject

const traceId = newTraceId()
const spanId = newSpanId()

beforeAll(async () => {
  const projects = await Promise.all([newProject(), newProject()])
  await Promise.all(
    projects.map((project, index) =>
      project.store(
        otlpSpan({ traceId, spanId, name: ['mine', 'theirs'][index] as string }, { k: ['mine', 'theirs'][index] }),
      ),
    ),
  )
  mine = projects[0] as TestProject
})

const FIELDS =
  'trace_id span_id parent_id trace_type span_type span_kind status_code span_name status_message session_id user_id agent_id start_time end_time created_at updated_at deleted_at created_by_id attributes references links hashes events content nothing'.split(
    ' ',
  )
const OPERATORS =
  'is is_not eq neq gt lt gte lte btwn startswith endswith contains matches like in not_in has has_not exists not_exists nothing'.split(
    ' ',
  )

const strange = fc.constantFrom(
  '',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '`',
  '{p0:String}',
  '\u0000',
  '\ud800',
  '😀',
  ') OR 1=1 --',
  '2026-02-03T09:00:00Z',
  '1e999',
  'SPAN_KIND_SERVER',
  traceId,
  spanId,
  'attributes.key',
)
const text = fc.oneof(strange, fc.string({ unit: 'binary', maxLength: 20 }))
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(0, -1, 2 ** 53, 1e308, 1_770_000_000))
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('id', 'slug', 'trace_id', 'span_id', 'name', 'attributes'), text),
      tie('value'),
      {
        maxKeys: 3,
      },
    ),
  ),
}))
const condition = fc.record(
  {
    field: fc.constantFrom(...FIELDS),
    operator: fc.constantFrom(...OPERATORS),
    key: fc.oneof(fc.constantFrom('k', 'ag.metrics.duration.cumulative', 'ag.data', 'attributes.key', 'a.0.b'), text),
    value: fc.oneof(value, fc.array(value, { maxLength: 3 })),
    options: fc.record(
      { case_sensitive: fc.boolean(), exact_match: fc.boolean(), all: fc.boolean() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['field', 'operator'] },
)
const { group } = fc.letrec(tie => ({
  group: fc.record(
    {
      operator: fc.constantFrom('and', 'or', 'not', 'nand', 'nor'),
      conditions: fc.array(fc.oneof({ maxDepth: 3 }, { weight: 4, arbitrary: condition }, tie('group')), {
        maxLength: 3,
      }),
    },
    { requiredKeys: ['conditions'] },
  ),
}))
const windowing = fc.record(
  {
    oldest: fc.oneof(scalar, fc.constant('2020-01-01T00:00:00Z')),
    newest: fc.oneof(scalar, fc.constant('2030-01-01T00:00:00Z')),
    next: fc.oneof(scalar, fc.uuid()),
    limit: fc.oneof(scalar, fc.integer()),
    order: fc.constantFrom('ascending', 'descending', 'sideways'),
    rate: fc.oneof(number, fc.constant(1)),
  },
  { requiredKeys: [] },
)
const body = fc.oneof(
  { weight: 6, arbitrary: fc.record({ filtering: group, windowing }, { requiredKeys: ['filtering'] }) },
  { weight: 2, arbitrary: fc.record({ filtering: value, windowing: value }, { requiredKeys: [] }) },
  fc.record({ filter: fc.oneof(group, fc.json()), limit: fc.integer() }, { requiredKeys: ['filter'] }),
  fc.anything().filter(any => JSON.stringify(any) !== undefined),
)

const SEEN = new Set<number>()

function expectSafe({ status, text: answered, body: json }: { status: number; text: string; body: any }): void {
  SEEN.add(status)
  expect([200, 400, 422]).toContain(status)
  if (status === 200) {
    expect(json.count).toBe((json.spans ?? json.traces).length)
    expect(answered).not.toContain('theirs')
  } else expect(json.detail).toBeTruthy()
}

test('any query is answered or refused, and shows nothing of another project', async () => {
  await fc.assert(
    fc.asyncProperty(body, async given => {
      const sent = JSON.stringify(given)
      for (const family of ['spans', 'traces']) expectSafe(await mine.post(`/api/${family}/query`, sent))
    }),
    { numRuns: sampledRuns(250) },
  )
  expect([...SEEN].sort()).toEqual([200, 400, 422])
})

test('any bytes sent as a query are answered or refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ minLength: 1 }), fc.json()), async sent => {
      const bytes = typeof sent === 'string' ? sent : Buffer.from(sent)
      expectSafe(await mine.post('/api/spans/query', bytes))
    }),
    { numRuns: sampledRuns(100) },
  )
})

test('any requested id is answered or refused', async () => {
  const part = fc.oneof(text, fc.constantFrom(traceId, spanId, '..', '.', 'query', 'null'))
  await fc.assert(
    fc.asyncProperty(part, part, fc.boolean(), async (one, other, isQuery) => {
      const [a, b] = [one, other].map(id => encodeURIComponent(id.toWellFormed()))
      const path = isQuery ? `/api/spans/?trace_id=${a}&span_ids=${b}` : `/api/spans/${a}/${b}`
      const answer = await mine.get(path)
      expect([200, 400, 404, 405]).toContain(answer.status)
      expect(answer.text).not.toContain('theirs')
    }),
    { numRuns: sampledRuns(100) },
  )
})
