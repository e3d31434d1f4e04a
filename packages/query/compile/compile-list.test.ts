import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compileJson,
  expectedOf,
  type FilterCase,
  OTHER_PROJECT,
  openTable,
  printedCases,
  selectedBy,
  spanId,
  type TestTable,
  traceId,
} from '../query.testing.ts'

const APP = 'a0000000-0000-4000-8000-000000000001'
const JUDGE = 'b0000000-0000-4000-8000-000000000002'
const REVISION = 'c0000000-0000-4000-8000-000000000003'
const HASH = '5f0d2c55-8a3e-4b1f-9c67-0f6b8d1e2a34'

const reference = (key: string, members: Record<string, string>) => ({ ...members, attributes: { key } })

let table: TestTable
beforeAll(async () => {
  table = await openTable()
  await table.insert([
    {
      trace_id: traceId(1),
      span_id: spanId(1),
      references: [
        reference('application', { id: APP, slug: 'geo-bot' }),
        reference('application_revision', { id: REVISION, slug: 'geo-bot-r', version: '3' }),
      ],
      links: [
        { trace_id: traceId(9), span_id: spanId(9), attributes: { key: 'invocation' } },
        { trace_id: traceId(9), span_id: spanId(256) },
      ],
      hashes: [{ id: HASH, attributes: { key: 'indirect' } }],
      events: [
        {
          name: 'exception',
          timestamp: 5,
          attributes: { 'exception.type': 'ValueError', 'exception.nested': { a: [1] } },
        },
        { name: "it's 100%", timestamp: 6 },
      ],
    },
    {
      trace_id: traceId(2),
      span_id: spanId(2),
      references: [
        reference('evaluator', { id: JUDGE, slug: 'judge' }),
        reference('evaluator_revision', { slug: 'geo-bot', version: '3' }),
      ],
      links: [{ trace_id: traceId(256), span_id: spanId(9), attributes: { key: 'other' } }],
      events: [{ name: 'token', timestamp: 5, attributes: { exception: { type: 'Nested' } } }],
    },
    { trace_id: traceId(3), span_id: spanId(3), references: [reference('workflow', { id: APP })] },
    // A span without any lists, stored as empty text, as the writer does.
    { trace_id: traceId(4), span_id: spanId(4), references: undefined, links: undefined },
    {
      trace_id: traceId(5),
      span_id: spanId(5),
      project_id: OTHER_PROJECT,
      references: [reference('application', { id: APP, slug: 'geo-bot' })],
    },
  ])
})
afterAll(() => table.close())

const refs = (operator: string, value?: unknown, more: object = {}): object => ({
  field: 'references',
  operator,
  ...(value === undefined ? {} : { value }),
  ...more,
})
const lists = (field: string, operator: string, value?: unknown, more: object = {}): object => ({
  ...refs(operator, value, more),
  field,
})
const ALL = { options: { all: true } }

const CASES: Record<string, FilterCase[]> = {
  references: [
    [refs('in', [{ id: APP }]), [1, 3]],
    [refs('in', [{ id: `0x${APP.replaceAll('-', '').toUpperCase()}` }]), [1, 3]],
    [refs('in', [{ slug: 'geo-bot' }]), [1, 2]],
    // The members of one item are matched by the same reference.
    [refs('in', [{ slug: 'geo-bot', version: '3' }]), [2]],
    [refs('in', [{ slug: 'geo-bot-r', version: 3 }]), [1]],
    [refs('in', [{ id: APP, slug: 'judge' }]), []],
    [refs('in', [{ id: JUDGE }, { slug: 'geo-bot-r', version: '3' }, { version: '9' }]), [1, 2]],
    [refs('in', [{ slug: 'geo-bot' }, { version: '3' }], ALL), [1, 2]],
    [refs('in', [{ id: APP }, { id: REVISION }], ALL), [1]],
    [refs('in', [{ id: APP }, { id: JUDGE }], ALL), []],
    // The key counts for items without an id, and three kinds are equal.
    [refs('in', [{ slug: 'geo-bot', attributes: { key: 'application' } }]), [1]],
    [refs('in', [{ slug: 'geo-bot', 'attributes.key': 'workflow' }]), [1]],
    [refs('in', [{ slug: 'geo-bot', 'attributes.key': 'workflow_revision' }]), [2]],
    [refs('in', [{ slug: 'geo-bot', attributes: { key: 'testset' } }]), []],
    [refs('in', [{ id: APP, attributes: { key: 'testset' } }]), [1, 3]],
    [refs('in', [{ attributes: { key: 'application' } }]), [1, 2, 3]],
    [refs('in', []), []],
    [refs('in', [], ALL), []],
    [refs('in', [{}, { name: 'x' }, { id: null }]), []],
    [refs('not_in', [{ id: APP }]), [2, 4]],
    [refs('not_in', [{ id: APP }, { id: REVISION }], ALL), [2, 3, 4]],
    [refs('not_in', []), [1, 2, 3, 4]],
    [refs('has', 'evaluator', { key: 'attributes.key' }), [2]],
    [refs('has_not', 'evaluator', { key: 'attributes.key' }), [1, 3, 4]],
    [refs('exists'), [1, 2, 3]],
    [refs('not_exists'), [4]],
    [refs('in', [{ slug: "geo'bot\\" }, { slug: '%' }]), []],
  ],
  links: [
    [lists('links', 'in', [{ trace_id: traceId(9), span_id: spanId(9) }]), [1]],
    [lists('links', 'in', [{ trace_id: traceId(9), span_id: spanId(8) }]), []],
    [lists('links', 'in', [{ trace_id: `0x${traceId(256)}` }]), [2]],
    [lists('links', 'in', [{ span_id: spanId(9) }]), [1, 2]],
    [lists('links', 'in', [{ span_id: spanId(9), attributes: { key: 'other' } }]), [1, 2]],
    [lists('links', 'in', [{ span_id: spanId(9) }, { span_id: spanId(256) }], ALL), [1]],
    [lists('links', 'in', [{}]), [1, 2]],
    [lists('links', 'in', [{}, { span_id: spanId(256) }], ALL), [1]],
    [lists('links', 'not_in', [{ span_id: spanId(9) }]), [3, 4]],
    [lists('links', 'not_in', [{}]), [3, 4]],
    [lists('links', 'in', []), []],
    [lists('links', 'has', 'invocation', { key: 'attributes.key' }), [1]],
    [lists('links', 'has_not', 'invocation', { key: 'attributes.key' }), [2, 3, 4]],
    [lists('links', 'exists'), [1, 2]],
    [lists('links', 'not_exists'), [3, 4]],
  ],
  hashes: [
    [lists('hashes', 'in', [HASH]), [1]],
    [lists('hashes', 'in', [{ id: HASH, attributes: { key: 'indirect' } }]), [1]],
    [lists('hashes', 'in', [{ id: HASH, attributes: { key: 'direct' } }]), []],
    [lists('hashes', 'not_in', [HASH]), [2, 3, 4]],
    [lists('hashes', 'has', HASH.toUpperCase(), { key: 'id' }), [1]],
    [lists('hashes', 'has', 'indirect', { key: 'attributes.key' }), [1]],
    [lists('hashes', 'has_not', HASH, { key: 'id' }), [2, 3, 4]],
    [lists('hashes', 'exists'), [1]],
    [lists('hashes', 'not_exists'), [2, 3, 4]],
  ],
  events: [
    [lists('events', 'in', [{ name: 'exception' }]), [1]],
    [lists('events', 'in', [{ name: "it's 100%", timestamp: 9, attributes: { a: 1 } }]), [1]],
    [lists('events', 'in', [{ name: 'exception' }, { name: 'token' }]), [1, 2]],
    [lists('events', 'in', [{ name: 'exception' }, { name: 'token' }], ALL), []],
    [lists('events', 'in', [{ attributes: { a: 1 } }]), []],
    [lists('events', 'not_in', [{ name: 'exception' }]), [2, 3, 4]],
    [lists('events', 'has', 'ValueError', { key: 'attributes.exception.type' }), [1]],
    [lists('events', 'has', 'Nested', { key: 'attributes.exception.type' }), [2]],
    [lists('events', 'has', { a: [1.0] }, { key: 'attributes.exception.nested' }), [1]],
    [lists('events', 'has_not', 'ValueError', { key: 'attributes.exception.type' }), [2, 3, 4]],
    [lists('events', 'exists'), [1, 2]],
    [lists('events', 'not_exists'), [3, 4]],
  ],
}

test.each(Object.keys(CASES))('%s: selects', async name => {
  const cases = CASES[name] ?? []
  expect(await selectedBy(table, cases)).toEqual(expectedOf(cases))
})

test.each(Object.keys(CASES))('%s: SQL', async name => {
  await expect(printedCases(CASES[name] ?? [])).toMatchFileSnapshot(`../snapshots/list-${name}.sql`)
})

test('takes 100,000 items of several forms', async () => {
  const items = Array.from({ length: 100_000 }, (_, index) =>
    index % 2 === 0
      ? { slug: `s${index}`, version: '1' }
      : { id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` },
  )
  const select = (value: unknown[]) => table.spanIds(compileJson({ conditions: [refs('in', value)] }))
  expect(await select(items)).toEqual([])
  expect(await select([...items.slice(1), { slug: 'geo-bot', version: '3' }])).toEqual([spanId(2)])
})
