import type { Json, Span } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { compileAggregation } from '../aggregation.ts'
import { compileFilter } from '../compile/compile-filter.ts'
import type { Filter } from '../filter/filter.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { compileFacets } from '../page/facets.ts'
import { compileGroups } from '../page/groups.ts'
import { compileCount, compileMeasured } from '../page/rows.ts'
import { parseSpanQuery } from '../page/span-query.ts'
import { fromSpans } from '../page/statements.ts'
import { NOON, openTable, PROJECT, printed, spanId, type TestTable, traceId } from '../query.testing.ts'
import { allOf, type Sql, sql } from '../sql.ts'
import { compileSearchHints, isOfRoots } from './search-hints.ts'
import { MANY_TERMS, searchTermsOf } from './search-terms.ts'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
})
afterAll(() => table.close())

const parse = (...conditions: object[]): Filter => parseFilter({ conditions }, ['body', 'filtering']) as Filter
const hintsOf = (...conditions: object[]): number => (compileSearchHints(parse(...conditions))[0] as Sql[]).length
const attribute = (key: string, value: unknown, operator = 'is') => ({ field: 'attributes', key, operator, value })
const spanOf = (differences: object): Span => ({ attributes: { ag: {} }, ...differences }) as unknown as Span

test.each<[number, object]>([
  [1, attribute('a.b', 'x')],
  [1, attribute('a.b', 5)],
  [1, attribute('a.b', null)],
  [1, attribute('a.b', ['x', 5], 'in')],
  [1, attribute('ag.meta.model', 'm')],
  [1, attribute('ag.session.id', 's')],
  [1, attribute('ag.user.id', ['u', 'v'], 'in')],
  [0, attribute('ag.session.id', '')],
  [0, attribute('ag.session.id', 5)],
  [0, attribute('ag.user.id', ['u', null], 'in')],
  [0, attribute('ag.session.id', 's', 'is_not')],
  [0, attribute('ag.agent.id', 'a')],
  [1, { field: 'references', operator: 'in', value: [{ slug: 'x' }, { slug: 'y', version: '1' }] }],
  [1, { field: 'links', operator: 'in', value: [{ trace_id: traceId(1) }] }],
  [1, { field: 'session_id', operator: 'is', value: 's' }],
  [2, { operator: 'and', conditions: [attribute('a', 1), { conditions: [attribute('b', 1)] }] }],
  [0, attribute('a.b', 'x', 'is_not')],
  [0, attribute('a.b', ['x'], 'not_in')],
  [0, attribute('a.0', 'x')],
  [0, attribute('a', { b: 'x' })],
  [0, attribute('a', ['x', { b: 1 }], 'in')],
  [0, attribute('a', 2 ** 53)],
  [0, attribute('a', 'x'.repeat(300))],
  [0, attribute('ag.data.outputs', 'x')],
  [1, attribute('ag.data.outputs', 'long')],
  [0, attribute('ag.metrics.tokens.incremental.total', 5)],
  [0, { field: 'references', operator: 'in', value: [{ version: '1' }] }],
  [0, { field: 'links', operator: 'in', value: [{ span_id: spanId(1) }] }],
  [0, { operator: 'or', conditions: [attribute('a', 1), attribute('b', 1)] }],
  [0, { operator: 'not', conditions: [attribute('a', 1)] }],
])('%i hints for %j', (count, condition) => expect(hintsOf(condition)).toBe(count))

test('sessions and users have no terms, since their columns have indexes', () => {
  const attributes = { ag: { session: { id: 's' }, user: { id: 'u' }, meta: { model: 'm' } } }
  expect(searchTermsOf(spanOf({ attributes, session_id: 's', user_id: 'u' }))).toHaveLength(1)
})

test('the terms of a root are asked for alone where only roots are wanted', () => {
  const wanted = (...conditions: object[]) => printed(compileSearchHints(parse(...conditions))[0]?.[0] as Sql)
  expect(wanted(attribute('a', 1)).match(/\d{3,}/g)).toHaveLength(2)
  expect(wanted(attribute('a', 1), { field: 'parent_id', operator: 'is', value: null }).match(/\d{3,}/g)).toHaveLength(
    1,
  )
})

test.each([
  [true, { field: 'session_id', operator: 'is', value: 's' }],
  [true, { field: 'user_id', operator: 'in', value: ['u', 'v'] }],
  [false, { field: 'user_id', operator: 'is_not', value: 'u' }],
  [false, { field: 'user_id', operator: 'not_exists' }],
  [false, attribute('ag.user.id', 'u')],
])('only roots can satisfy: %s for %j', (isOf, condition) => expect(isOfRoots(parse(condition))).toBe(isOf))

test('a span with more attributes than have room has the term that stands for all', () => {
  const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))
  expect(searchTermsOf(spanOf({ attributes: { ag: {}, wide } }))).toEqual([MANY_TERMS])
})

const scalar = fc.oneof(
  fc.constantFrom('x', 'y', '', '5', 'null', 'é\u0000"', '\ud800', 0, -0, 5, 5.5, 1e-7, true, false, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 3 }),
)
const value = fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) })
const key = fc.constantFrom('a', 'b', '0', 'k.d')
const attributes = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value, { maxKeys: 2 })), { maxKeys: 3 })

test('no hint hides a span that satisfies the filter', async () => {
  const condition = fc.oneof(
    fc
      .record({ path: fc.array(key, { minLength: 1, maxLength: 2 }), value: scalar })
      .map(one => attribute(one.path.join('.'), one.value)),
    fc
      .record({
        path: fc.array(key, { minLength: 1, maxLength: 2 }),
        value: fc.array(scalar, { minLength: 1, maxLength: 3 }),
      })
      .map(one => attribute(one.path.join('.'), one.value, 'in')),
  )
  let next = 1
  await fc.assert(
    fc.asyncProperty(
      fc.array(attributes, { minLength: 1, maxLength: 8 }),
      fc.array(condition, { minLength: 1, maxLength: 8 }),
      async (spans, conditions) => {
        const project_id = `33333333-3333-4333-8333-${String(next++).padStart(12, '0')}`
        await table.insert(
          spans.map((one, at) => ({
            project_id,
            trace_id: traceId(at + 1),
            span_id: spanId(at + 1),
            start_time: NOON + at,
            parent_id: at % 2 ? spanId(99) : '',
            attributes: { ag: {}, ...(one as Record<string, Json>) },
          })),
        )
        for (const one of conditions) {
          const filter = parse(one)
          const found = await idsOf(project_id, [compileFilter(filter)])
          expect(await idsOf(project_id, [...(compileSearchHints(filter)[0] as Sql[]), compileFilter(filter)])).toEqual(
            found,
          )
        }
      },
    ),
    { numRuns: sampledRuns(25) },
  )
})

const idsOf = (project_id: string, conditions: Sql[]) =>
  table.run<{ id: string }>(sql`SELECT hex(span_id) AS id ${fromSpans(project_id, [allOf(conditions)])} ORDER BY id`)

test('the index finds a rare attribute, also while updates are not merged, and what an update changed', async () => {
  await table.command(`INSERT INTO spans (project_id, start_time, trace_id, span_id, attributes, search_terms)
    SELECT '${PROJECT}', now64(6) + number, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
    '{"ag":{}}', [number % 100 + 1] FROM numbers(50000)`)
  await table.insert([{ trace_id: traceId(70_000), span_id: spanId(70_000), attributes: { ag: {}, customer: 'rare' } }])
  await table.command('OPTIMIZE TABLE spans FINAL')
  const filter = parse(attribute('customer', 'rare'))
  const conditions = [...(compileSearchHints(filter)[0] as Sql[]), compileFilter(filter)]
  const granules = async () => {
    const plan = await table.run<{ explain: string }>(
      sql`EXPLAIN indexes = 1 SELECT span_id ${fromSpans(PROJECT, conditions)}`,
    )
    const text = plan.map(line => Object.values(line)[0]).join('\n')
    return Number(/by_search_term\s[\s\S]*?Granules: (\d+)\//.exec(text)?.[1])
  }
  expect(await granules()).toBeLessThanOrEqual(2)
  await table.command(
    `UPDATE spans SET tokens_cumulative_total = 5 WHERE project_id = '${PROJECT}' AND span_id = unhex('${spanId(3)}')`,
  )
  expect(await granules()).toBeLessThanOrEqual(2)
  const terms = searchTermsOf(spanOf({ attributes: { ag: {}, customer: 'rare' } }))
  await table.command(`UPDATE spans SET search_terms = CAST('[${terms.join()}]' AS Array(UInt32)), attributes = '{"ag":{},"customer":"rare"}'
    WHERE project_id = '${PROJECT}' AND span_id = unhex('${spanId(4)}')`)
  expect(await idsOf(PROJECT, conditions)).toEqual([{ id: spanId(4) }, { id: spanId(70_000).toUpperCase() }])
})

test('what adds up the spans with an attribute reads only what the index finds', async () => {
  const project_id = '55555555-5555-4555-8555-555555555555'
  await table.command(`INSERT INTO spans (project_id, start_time, trace_id, span_id, attributes, search_terms)
    SELECT '${project_id}', now64(6) + number, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
    '{"ag":{}}', [number % 100 + 1] FROM numbers(50000)`)
  await table.insert([
    {
      project_id,
      trace_id: traceId(7),
      span_id: spanId(7),
      span_type: 'tool',
      attributes: { ag: {}, customer: 'rare' },
    },
  ])
  const query = parseSpanQuery({ filtering: { conditions: [attribute('customer', 'rare')] } }, 'span')
  const groups = { by: 'span_type', amounts: 'total', order_by: 'count', values: 10, count_min: 1 } as const
  const statements = [
    compileAggregation(compileCount(project_id, query)),
    compileAggregation(compileFacets({ project_id, query, among: 1000, facets: ['span_type'], limit: 10 })),
    compileAggregation(compileGroups(project_id, { query, ...groups })),
    compileMeasured({ project_id, query, by: 'tokens' }),
  ]
  // Rejected if the index excludes little.
  const limits = sql`, max_rows_to_read = 4096, use_skip_indexes_on_data_read = 0`
  const answers = await Promise.all(statements.map(one => table.run(sql`${one}${limits}`)))
  expect(answers).toMatchObject([
    [{ count: 1 }],
    [{ facet: 'span_type', value: 'tool', count: 1 }],
    [{ value: 'tool', count: 1 }],
    [{ span_id: spanId(7) }],
  ])
})

test('the index finds the spans of a user, also one that an update gave them', async () => {
  const project_id = '44444444-4444-4444-8444-444444444444'
  await table.command(`INSERT INTO spans (project_id, is_root, start_time, trace_id, span_id, user_id)
    SELECT '${project_id}', true, now64(6) + number, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
    concat('user-', toString(intDiv(number, 10))) FROM numbers(50000)`)
  await table.command('OPTIMIZE TABLE spans FINAL')
  const [hints] = compileSearchHints(parse({ field: 'user_id', operator: 'is', value: 'user-7' }))
  // Rejected if the index excludes little.
  const limits = sql`SETTINGS max_rows_to_read = 8192, use_skip_indexes_on_data_read = 0`
  const ofUser = async () =>
    (await table.run<{ id: string }>(sql`SELECT hex(span_id) AS id ${fromSpans(project_id, hints)} ${limits}`)).length
  expect(await ofUser()).toBe(10)
  await table.command(
    `UPDATE spans SET user_id = 'user-7' WHERE project_id = '${project_id}' AND span_id = unhex('${spanId(30_000)}')`,
  )
  expect(await idsOf(project_id, hints as Sql[])).toHaveLength(11)
})
