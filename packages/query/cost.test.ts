import { Problem } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileAggregation } from './aggregation.ts'
import { parseAnalyticsQuery } from './analytics/analytics-query.ts'
import { bucketsOf } from './analytics/buckets.ts'
import { compileAnalytics } from './analytics/compile-analytics.ts'
import { compileFilters } from './compile/compile-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'
import { parseSpanQuery } from './page/span-query.ts'
import { compileSpanQuery, compileTraceQuery } from './page/statements.ts'
import { NOON, openTable, PROJECT, type TestTable } from './query.testing.ts'
import { COST_MAX, costOf, PAGE_COST_MAX, printSql, type Sql, sql } from './sql.ts'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
})
afterAll(() => table.close())

const repeated = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const spansOf = (filtering: object): Sql =>
  compileSpanQuery({ project_id: PROJECT, columns: [sql`span_name`], query: parseSpanQuery({ filtering }, 'span') })

/** The maximum time of a query. On an idle machine, accepted queries take a thirtieth of it. */
const ANALYSIS_MS_MAX = 15_000

/** Runs a statement on the empty table. False when it was refused with its bound. */
async function isAccepted(make: () => Sql): Promise<boolean> {
  let statement: Sql
  try {
    statement = make()
    printSql(statement)
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
    expect([(error as Problem).code, (error as Problem).message]).toEqual([
      'query_limit',
      expect.stringMatching(/at most \d+ are allowed\.$/),
    ])
    return false
  }
  const begin = performance.now()
  expect(await table.run(statement)).toEqual([])
  expect(performance.now() - begin).toBeLessThan(ANALYSIS_MS_MAX)
  return true
}

const KEYS = ['a', '0', '17', 'x-y', 'ag', 'data']
const path = fc
  .integer({ min: 1, max: 60 })
  .chain(length => fc.constantFrom(...KEYS).map(key => repeated(length, () => key).join('.')))
const attributes = (operator: string, value: fc.Arbitrary<unknown>) =>
  fc.record({ field: fc.constant('attributes'), key: path, operator: fc.constant(operator), value })
const values = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 20 })
const scalar = fc.oneof(fc.integer(), fc.string({ maxLength: 20 }), fc.boolean())
const structure = fc.oneof(
  fc.array(scalar, { maxLength: 5 }),
  fc.dictionary(fc.string({ maxLength: 5 }), scalar, { maxKeys: 5 }),
)
/** One condition of each kind. */
const condition = fc.oneof(
  attributes('is', fc.oneof(scalar, structure)),
  attributes('not_in', values(fc.oneof(scalar, structure))),
  attributes('btwn', fc.tuple(fc.integer(), fc.integer())),
  attributes('gt', fc.constant(1e20)),
  attributes('contains', fc.string({ maxLength: 500 })),
  attributes(
    'like',
    fc.integer({ min: 1, max: 1_000 }).map(length => `%${'a'.repeat(length - 1)}`),
  ),
  fc.record({ field: fc.constant('span_name'), operator: fc.constant('like'), value: fc.constant('%a_'.repeat(50)) }),
  fc.record({ field: fc.constant('start_time'), operator: fc.constant('contains'), value: fc.constant('2026') }),
  fc.record({ field: fc.constant('trace_id'), operator: fc.constant('in'), value: fc.constant(['1'.repeat(32)]) }),
  fc.record({
    field: fc.constant('references'),
    operator: fc.constant('not_in'),
    value: fc.constant([{ slug: 'a' }, { id: PROJECT }]),
  }),
  fc.record({
    field: fc.constant('events'),
    operator: fc.constant('has'),
    key: fc.constant('attributes.a.b'),
    value: scalar,
  }),
  fc.record({
    field: fc.constant('content'),
    operator: fc.constant('contains'),
    value: fc.integer({ min: 1, max: 9 }).map(words => repeated(words, word => `word${word}`).join(' or ')),
  }),
)
const filter = fc.record({
  operator: fc.constantFrom('and', 'or', 'nand', 'nor'),
  conditions: fc.tuple(condition, fc.integer({ min: 1, max: 400 })).map(([one, count]) => repeated(count, () => one)),
})

test('whatever is accepted is analysed in little time, and what is not is refused with its bound', async () => {
  const seen = { accepted: 0, refused: 0 }
  const property = fc.asyncProperty(filter, async filtering => {
    const parsed = parsedOrRefused(filtering)
    if (!parsed) return
    const { windowing } = parseSpanQuery({ windowing: { oldest: NOON / 1e6 } }, 'trace')
    const query = { focus: 'trace', filter: parsed, windowing } as const
    for (const make of [() => spansOf(filtering), () => compileTraceQuery({ project_id: PROJECT, query })])
      if (await isAccepted(make)) seen.accepted++
      else seen.refused++
  })
  await fc.assert(property, { numRuns: 40, seed: 11 })
  expect(seen.accepted).toBeGreaterThan(10)
  expect(seen.refused).toBeGreaterThan(10)
})

function parsedOrRefused(filtering: object) {
  try {
    return parseFilter(filtering, ['filtering'])
  } catch (error) {
    expect((error as Problem).code).toBe('invalid')
    return undefined
  }
}

test('a path does not cost more the longer it is', () => {
  const cost = (segments: number): number => {
    const key = repeated(segments, () => '0').join('.')
    return costOf(spansOf({ conditions: [{ field: 'attributes', key, operator: 'not_in', value: ['x'] }] }))
  }
  expect(cost(62)).toBe(cost(2))
})

test('many conditions are given to the engine in one piece, few as they are', () => {
  const filters = (count: number) =>
    repeated(count, index => parseFilter({ conditions: [{ field: 'span_name', value: `n${index}` }] }, []) as never)
  expect(compileFilters(filters(9))).toHaveLength(9)
  const [whole, ...others] = compileFilters(filters(40)) as [Sql]
  expect(others).toEqual([])
  expect(printSql(whole).text).toMatch(/^if\(.*, true, false\)$/)
})

test('a filter that would be analysed for longer than a page may take is refused, though it stands in one statement', () => {
  const conditions = (count: number) =>
    repeated(count, index => ({ field: 'attributes', key: `a.b${index}`, operator: 'is', value: `n${index}` }))
  expect(() => spansOf({ conditions: conditions(300) })).toThrow(`at most ${PAGE_COST_MAX} are allowed.`)
  expect(costOf(spansOf({ conditions: conditions(100) }))).toBeLessThan(PAGE_COST_MAX)
})

test('500 conditions on the same field are accepted', async () => {
  const conditions = repeated(500, index => ({ field: 'span_name', operator: 'is', value: `n${index}` }))
  for (const operator of ['and', 'or', 'nand', 'nor'])
    expect(await isAccepted(() => spansOf({ operator, conditions }))).toBe(true)
})

test.each([
  ['50 of one kind', repeated(50, index => ({ type: 'numeric/continuous', path: `a.${index}`, bins: 1_000 })), true],
  ['50 of which the kind is left open', repeated(50, index => ({ type: '*', path: `a.${index}`, bins: 1_000 })), false],
])('measures of centuries minute by minute: %s', async (_name, specs, isTaken) => {
  const windowing = { oldest: '1970-01-01T00:00:00Z', newest: '2200-01-01T00:00:00Z', interval: 1 }
  const query = parseAnalyticsQuery({}, { specs, windowing })
  const buckets = bucketsOf(query.windowing, NOON)
  expect(buckets.count).toBeLessThanOrEqual(1024)
  expect(
    await isAccepted(() =>
      compileAggregation(compileAnalytics({ project_id: PROJECT, query, buckets, specs: query.specs })),
    ),
  ).toBe(isTaken)
})

test('the lists of a filter have a bound together', () => {
  const value = repeated(100_000, index => `v${index}`)
  const lists = (count: number) => ({
    conditions: repeated(count, index => ({ field: 'attributes', key: `a${index}`, operator: 'in', value })),
  })
  expect(parseFilter(lists(2), [])).toBeDefined()
  expect(() => parseFilter(lists(3), [])).toThrow('filtering: at most 200000 values are allowed')
})

test('the bound lies above what a statement without a filter costs', () => {
  expect(costOf(spansOf({})) * 10).toBeLessThan(PAGE_COST_MAX)
  expect(PAGE_COST_MAX).toBeLessThan(COST_MAX)
})
