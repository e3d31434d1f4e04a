import type { Json } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileFilter } from '../compile/compile-filter.ts'
import type { Filter } from '../filter/filter.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { fromSpans } from '../page/statements.ts'
import { openTable, PROJECT, printed, spanId, type TestTable, traceId } from '../query.testing.ts'
import { allOf, anyOf, type Sql, sql } from '../sql.ts'
import { compileSearchHints } from './search-hints.ts'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
})
afterAll(() => table.close())

const parse = (condition: object): Filter => parseFilter({ conditions: [condition] }, ['body', 'filtering']) as Filter
const content = (value: string) => ({ field: 'content', operator: 'contains', value })
const data = (operator: string, value: unknown, key = 'ag.data.outputs') => ({
  field: 'attributes',
  key,
  operator,
  value,
})
/** The runs that the index is searched for. */
const askedBy = (condition: object): string[] =>
  (compileSearchHints(parse(condition))[0] as Sql[]).flatMap(hint =>
    [...printed(hint).matchAll(/"%(\w+)%"/g)].map(([, run]) => run as string),
  )

test.each<[object, string[]]>([
  [content('Perihelion'), ['perihelion']],
  [content('"order 48213" of'), ['order', '48213']],
  [content('brûlée'), []],
  [content('Straßenbahn'), ['enbahn', 'stra']],
  [content('rust or golang'), ['rust', 'golang']],
  [content('rust or go'), []],
  [content('rust -golang'), ['rust']],
  [content('-rust'), []],
  [content('four seven fifteen twelve'), ['fifteen', 'twelve', 'seven']],
  [{ operator: 'or', conditions: [content('rust'), data('contains', 'golang')] }, ['rust', 'golang']],
  [{ operator: 'or', conditions: [content('rust'), data('contains', 'go')] }, []],
  [{ operator: 'not', conditions: [content('rust')] }, []],
  [data('contains', 'a\nPerihelion!'), ['perihelion']],
  [data('like', '%peri_helion\\%'), ['helion', 'peri']],
  [data('startswith', 'rust'), ['rust']],
  [data('is', 'rust'), ['rust']],
  [data('eq', 'rust'), ['rust']],
  [data('is_not', 'rust'), []],
  // The engine writes numbers and U+2028 and U+2029 differently from how they are stored.
  [data('contains', '48213'), []],
  [data('contains', '1000e0'), []],
  [data('contains', 'u2028rust'), ['rust']],
  [data('is', 7_777_777), []],
  ...['other', 'ag.meta.data', 'other.data'].map(
    key => [{ ...data('contains', 'rust'), key }, []] as [object, string[]],
  ),
])('%j asks for %j', (condition, runs) => expect(askedBy(condition)).toEqual(runs))

const piece = fc.constantFrom(
  ...[
    'word',
    'Perihelion',
    'KILO',
    'Straße',
    'ſilk',
    'role',
    'İstanbul',
    'Σ',
    '\u212aelvin',
    'é',
    '日本',
    '😀',
    '\ud800',
  ],
  ...['\n', '\t', '\\', '\\n', '"', '\u0001', '\u001b[31m', '\u2028', '\u0085', '“', '”', '—', ' ', ' ', ' '],
  ...['2028', 'u2028', '028', '12345', '1e21', '0.5', '-', '{', '}', '[', ']', ':', ',', '/', '_', '%'],
)
const text = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''))
const number = fc.constantFrom(12345, 1e21, 1.23456e-7, 123456.5, 2 ** 53 + 2)
const scalar = fc.oneof({ weight: 6, arbitrary: text }, number, fc.constantFrom(true, null))
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(text, scalar, { maxKeys: 2 }),
)
const needle = fc.oneof(text, piece, fc.constantFrom('12345', '0000001', '000000', 'perihel', 'silk', 'kelvin'))
const operator = fc.constantFrom('contains', 'startswith', 'endswith', 'matches', 'like', 'is', 'eq')
const condition = fc.oneof(
  needle.map(content),
  fc
    .record({ operator, needle, key: fc.constantFrom('ag.data.outputs', 'ag.data', 'ag.data.outputs.0') })
    .map(one => data(one.operator, one.operator === 'like' ? `%${one.needle}%` : one.needle, one.key)),
)

test('no hint hides a span that satisfies the filter', async () => {
  let next = 1
  const property = fc.asyncProperty(
    fc.array(fc.tuple(value, value, value), { minLength: 60, maxLength: 60 }),
    fc.array(condition, { minLength: 40, maxLength: 40 }),
    async (spans, conditions) => {
      const project_id = `33333333-3333-4333-8333-${String(next++).padStart(12, '0')}`
      await table.insert(
        spans.map(([outputs, attribute, event], at) => ({
          project_id,
          trace_id: traceId(at + 1),
          span_id: spanId(at + 1),
          data: { outputs },
          attributes: { ag: {}, attribute },
          events: at % 3 === 0 ? [event] : [],
        })) as { trace_id: string; span_id: string; attributes: { [key: string]: Json } }[],
      )
      for (const one of conditions) {
        const filter = parse(one)
        if (askedBy(one).length === 0) continue
        const found = await idsOf(project_id, [compileFilter(filter)])
        expect(await idsOf(project_id, hinted(filter)), JSON.stringify(one)).toEqual(found)
      }
    },
  )
  await fc.assert(property, { numRuns: 4 })
})

const hinted = (filter: Filter): Sql[] => [anyOf(compileSearchHints(filter).map(allOf)), compileFilter(filter)]

const idsOf = (project_id: string, conditions: Sql[]) =>
  table.run<{ id: string }>(sql`SELECT hex(span_id) AS id ${fromSpans(project_id, [allOf(conditions)])} ORDER BY id`)

test('the index finds a rare word, also while updates are not merged, and what an update changed', async () => {
  await table.command(`INSERT INTO spans (project_id, start_time, trace_id, span_id, data)
    SELECT '${PROJECT}', now64(6) + number, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
    if(number = 777, '{"outputs":"a\\\\nPerihelion"}', concat('{"outputs":"', repeat('water ', 100), '"}')) FROM numbers(20000)`)
  await table.command('OPTIMIZE TABLE spans FINAL')
  const filter = parse(content('perihelion'))
  const conditions = hinted(filter)
  const rare = spanId(777).toUpperCase()
  expect(await idsOf(PROJECT, conditions)).toEqual([{ id: rare }])
  const plan = await table.run(
    sql`EXPLAIN indexes = 1 SELECT span_id ${fromSpans(PROJECT, compileSearchHints(filter)[0])}`,
  )
  expect(JSON.stringify(plan)).toContain('by_words')
  const update = (set: string, span: number) =>
    table.command(
      `UPDATE spans SET ${set} WHERE project_id = '${PROJECT}' AND is_root = false AND span_id = unhex('${spanId(span)}')`,
    )
  await update('tokens_cumulative_total = 5', 3)
  expect(await idsOf(PROJECT, conditions)).toEqual([{ id: rare }])
  await update(`data = '{"outputs":"no perihelion here"}'`, 4)
  await update(`data = '{"outputs":"nothing"}'`, 777)
  expect(await idsOf(PROJECT, conditions)).toEqual([{ id: spanId(4) }])
})
