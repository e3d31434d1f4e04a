import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MatchableSpan, MatchTooLong, MatchWork, matchSpan, parseFilter } from '../index.ts'

const spanOf = (name: string, attributes: object = {}): MatchableSpan => ({
  fields: { span_name: name },
  attributes: attributes as MatchableSpan['attributes'],
  data: {},
  columns: {},
  lists: {},
})

const matches = (condition: object, span: MatchableSpan, work?: MatchWork): boolean =>
  matchSpan(parseFilter({ conditions: [condition] }, ['body']) as never, span, work)

const like = (value: string): object => ({
  field: 'span_name',
  operator: 'like',
  value,
  options: { case_sensitive: true },
})

test('like is what the pattern says, character by character', () => {
  const unit = fc.constantFrom('a', 'b', '😀', '%', '_', '\\')
  const expected = (value: string[], pattern: string[]): boolean => {
    const [head, ...rest] = pattern
    if (head === undefined) return value.length === 0
    if (head === '%') return expected(value, rest) || (value.length > 0 && expected(value.slice(1), pattern))
    const isEscape = head === '\\' && rest.length > 0
    const [wanted, ...after] = isEscape ? rest : pattern
    return value.length > 0 && ((wanted === '_' && !isEscape) || wanted === value[0]) && expected(value.slice(1), after)
  }
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), fc.array(unit, { maxLength: 6 }), (value, pattern) => {
      expect(matches(like(pattern.join('')), spanOf(value.join('')))).toBe(expected(value, pattern))
    }),
    { numRuns: 2_000 },
  )
})

const LONG = 200_000
test.each<[string, object, MatchableSpan]>([
  ['like with many %', like('%a%a%a%a%a%ab'), spanOf('a'.repeat(LONG))],
  ['like with _ before a long literal', like(`%__${'a'.repeat(990)}b%`), spanOf('a'.repeat(LONG))],
  ['like with _ where little of it is found', like('%ab_d_f%'), spanOf('abc'.repeat(LONG / 3))],
  ['like with a long literal', like(`%${'a'.repeat(490)}b${'a'.repeat(490)}%`), spanOf('a'.repeat(LONG))],
  [
    'contains',
    { field: 'span_name', operator: 'contains', value: `${'a'.repeat(8_000)}b${'a'.repeat(8_000)}` },
    spanOf('a'.repeat(LONG)),
  ],
  [
    'a number that is none',
    { field: 'attributes', key: 'n', operator: 'gt', value: 5 },
    spanOf('', { n: `${'1'.repeat(LONG)}x` }),
  ],
  [
    'a phrase that never ends',
    { field: 'content', operator: 'contains', value: `"${'a '.repeat(98)}b"` },
    spanOf('', { text: `b ${'a '.repeat(LONG)}` }),
  ],
])('%s: in linear time', (_name, condition, span) => {
  const begin = process.cpuUsage()
  expect(matches(condition, span)).toBe(false)
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(1_000)
})

test.each<[string, object, MatchableSpan]>([
  ['places to try', like(`%${'a'.repeat(100)}_${'a'.repeat(890)}b%`), spanOf('a'.repeat(LONG))],
  [
    'values of a list',
    { field: 'attributes', key: 'n', operator: 'in', value: Array.from({ length: 500 }, (_, at) => at) },
    spanOf('', { n: Array(LONG).fill(-1) }),
  ],
  [
    'a long text for each condition',
    { field: 'attributes', key: 'n', operator: 'in', value: Array(500).fill('x') },
    spanOf('', { n: 'a'.repeat(LONG) }),
  ],
  [
    'values without any text',
    { field: 'content', operator: 'contains', value: 'a' },
    spanOf('', { n: Array(120_000).fill({}) }),
  ],
  ['short texts', { field: 'content', operator: 'contains', value: 'a' }, spanOf('', { n: Array(60_000).fill('b') })],
])('too many %s: given up', (_name, condition, span) => {
  expect(() => matches(condition, span, new MatchWork(2_000_000))).toThrow(MatchTooLong)
})
