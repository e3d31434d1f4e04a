import { MICROS_MAX, Problem, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSpanCursor, positionToNext, traceNumber } from './cursor.ts'
import { namesSavedQuery, parseSavedQuery, parseSpanQuery } from './span-query.ts'
import { nextWindowing, pageLimit, parseWindowing } from './windowing.ts'

const LOC = ['body', 'windowing']
const NOON = 1_770_110_100_000_000
const UUID = '0123456789abcdef0123456789abcdef'

test.each<[unknown, number]>([
  ['2026-02-03T09:15:00Z', NOON],
  ['2026-02-03T09:15:00.000001Z', NOON + 1],
  ['2026-02-03T10:15:00+01:00', NOON],
  ['2026-02-03', Date.UTC(2026, 1, 3) * 1000],
  [1770110100, NOON],
  [1770110100.25, NOON + 250_000],
  [1770110100250, NOON + 250_000],
  [1770110100000001, NOON + 1],
  [parseJson('1770110100000001999'), NOON + 1],
  ['1770110100', NOON],
  ['1770110100.5', NOON + 500_000],
  [0, 0],
  [-5, 0],
  ['0001-01-01T00:00:00Z', 0],
  ['1969-12-31', 0],
  ['9999-12-31T23:59:59.999999Z', MICROS_MAX],
  [10_000_000_000, MICROS_MAX],
])('reads the time %j', (value, micros) => {
  expect(parseWindowing({ newest: value }, 'span', LOC)).toEqual({ order: 'descending', newest: micros })
})

test('reads everything, and ignores what it does not know', () => {
  const json = {
    oldest: 1,
    limit: '5',
    order: 'ascending',
    interval: 60,
    rate: 0.25,
    next: UUID,
    colour: 'red',
    newest: null,
  }
  expect(parseWindowing(json, 'trace', LOC)).toEqual({
    oldest: 1_000_000,
    limit: 5,
    order: 'ascending',
    interval: 60,
    rate: 0.25,
    next: UUID,
  })
  expect(parseWindowing(null, 'span', LOC)).toEqual({ order: 'descending' })
})

test('the least and the greatest values are taken', () => {
  for (const [interval, rate] of [
    [1, 0],
    ['1', '1'],
  ])
    expect(parseWindowing({ interval, rate }, 'span', LOC)).toMatchObject({ interval: 1, rate: Number(rate) })
})

test.each([[0], [-7], [1]])('a limit of %d is 1', limit => {
  expect(parseWindowing({ limit }, 'span', LOC).limit).toBe(1)
})

test.each<[string, object, string, string]>([
  ['a time that is none', { newest: 'noon' }, 'newest', 'datetime_parsing'],
  ['a time that is a list', { oldest: [] }, 'oldest', 'datetime_parsing'],
  ['an unknown order', { order: 'desc' }, 'order', 'enum'],
  ['a limit that is a text', { limit: 'all' }, 'limit', 'int_parsing'],
  ['a limit that is a number beside other text', { limit: '5 rows' }, 'limit', 'int_parsing'],
  ['a limit that is no decimal number', { limit: '0x10' }, 'limit', 'int_parsing'],
  ['a limit with an exponent', { limit: '1e3' }, 'limit', 'int_parsing'],
  ['a limit with a fraction', { limit: 1.5 }, 'limit', 'int_type'],
  ['no interval', { interval: 0 }, 'interval', 'greater_than'],
  ['a negative interval', { interval: -5 }, 'interval', 'greater_than'],
  ['a rate above 1', { rate: 1.01 }, 'rate', 'less_than_equal'],
  ['a rate below 0', { rate: -0.1 }, 'rate', 'greater_than_equal'],
  ['a rate that is an empty text', { rate: ' ' }, 'rate', 'float_parsing'],
  ['a rate that is a boolean', { rate: true }, 'rate', 'float_type'],
  ['a cursor that is a text', { next: 'page 2' }, 'next', 'uuid_parsing'],
  ['a cursor that is a number', { next: 7 }, 'next', 'uuid_parsing'],
  ['a span id as cursor of traces', { next: '0123456789abcdef' }, 'next', 'uuid_parsing'],
])('422: %s', (_name, json, member, type) => {
  const problem = problemOf(() => parseWindowing(json, 'trace', LOC))
  expect(problem.code).toBe('unprocessable')
  expect(problem.detail).toEqual([expect.objectContaining({ type, loc: [...LOC, member] })])
})

function problemOf(act: () => unknown): Problem {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('limits have a default and a maximum', () => {
  const none = parseWindowing(undefined, 'span', LOC)
  expect([pageLimit(none, 'span'), pageLimit(none, 'trace')]).toEqual([10_000, 1_000])
  expect(pageLimit(parseWindowing({ limit: 100_000 }, 'span', LOC), 'span')).toBe(100_000)
  expect(problemOf(() => parseWindowing({ limit: 100_001 }, 'span', LOC)).detail).toBe(
    'limit: at most 100000 spans per page',
  )
  expect(problemOf(() => parseWindowing({ limit: 10_001 }, 'trace', LOC)).code).toBe('invalid')
})

test.each([
  ['0123456789abcdef', { spanId: '0123456789abcdef' }],
  [' 0123456789abcdef\n', { spanId: '0123456789abcdef' }],
  ['0123456789ABCDEF0123456789ABCDEF', { spanId: '0123456789abcdef' }],
  ['01234567-89ab-cdef-0123-456789abcdef', { spanId: '0123456789abcdef' }],
  ['00000000-0000-0005-0123-456789abcdef', { spanId: '0123456789abcdef', traceNumber: 5n }],
])('reads the span cursor %s', (next, cursor) => {
  expect(parseSpanCursor(parseWindowing({ next }, 'span', LOC).next ?? '')).toEqual(cursor)
})

const hex = (digits: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map(all => all.join(''))

test('a span cursor gives back what went in', () => {
  fc.assert(
    fc.property(hex(32), hex(16), (trace_id, span_id) => {
      const next = positionToNext({ time: 0, trace_id, span_id }, 'span')
      const cursor = { spanId: span_id, traceNumber: traceNumber(trace_id) }
      expect(parseSpanCursor(parseWindowing({ next }, 'span', LOC).next ?? '')).toEqual(cursor)
    }),
  )
})

test('trace ids that differ in one half have different numbers', () => {
  fc.assert(
    fc.property(hex(16), fc.uniqueArray(hex(16), { minLength: 2, maxLength: 2 }), (half, [one = '', other = '']) => {
      expect(traceNumber(half + one)).not.toBe(traceNumber(half + other))
      expect(traceNumber(one + half)).not.toBe(traceNumber(other + half))
    }),
  )
})

const TRACE = '7c1e9a0b52d84f6ea3b0c4d5e6f70811'
const last = { time: NOON + 1, trace_id: TRACE, span_id: 'a1b2c3d4e5f60718' }

test.each<[string, 'span' | 'trace', object, object]>([
  [
    'descending',
    'trace',
    { newest: NOON / 1e6 + 60, oldest: NOON / 1e6, limit: 1 },
    {
      newest: '2026-02-03T09:15:00.000001Z',
      next: '7c1e9a0b-52d8-4f6e-a3b0-c4d5e6f70811',
      limit: 1,
      order: 'descending',
      oldest: '2026-02-03T09:15:00Z',
    },
  ],
  [
    'ascending, sampled',
    'trace',
    { newest: NOON / 1e6 + 60, limit: 1, order: 'ascending', rate: 0.5 },
    {
      oldest: '2026-02-03T09:15:00.000001Z',
      next: '7c1e9a0b-52d8-4f6e-a3b0-c4d5e6f70811',
      limit: 1,
      order: 'ascending',
      newest: '2026-02-03T09:16:00Z',
      rate: 0.5,
    },
  ],
  [
    'of spans',
    'span',
    { limit: 1 },
    { newest: '2026-02-03T09:15:00.000001Z', next: positionToNext(last, 'span'), limit: 1, order: 'descending' },
  ],
])('the next page: %s', (_name, focus, json, next) => {
  const query = { focus, windowing: parseWindowing(json, focus, LOC) }
  expect(nextWindowing(query, [last])).toEqual(next)
  expect(parseWindowing(nextWindowing(query, [last]), focus, LOC).limit).toBe(1)
})

test('there is no next page after one that is not full', () => {
  const query = { focus: 'span' as const, windowing: parseWindowing({ limit: 2 }, 'span', LOC) }
  expect(nextWindowing(query, [last])).toBeUndefined()
  expect(nextWindowing(query, [])).toBeUndefined()
})

const FILTER = { conditions: [{ field: 'span_name', value: 'x' }] }

test('a query is read nested, flat, or both', () => {
  const nested = parseSpanQuery({ filtering: FILTER, windowing: { limit: 5, oldest: NOON } }, 'span')
  expect(nested.windowing).toEqual({ order: 'descending', limit: 5, oldest: NOON })
  expect(parseSpanQuery({ filter: FILTER, limit: 5, oldest: NOON }, 'span')).toEqual(nested)
  expect(parseSpanQuery({ filter: JSON.stringify(FILTER), limit: '5', windowing: { oldest: NOON } }, 'span')).toEqual(
    nested,
  )
  expect(
    parseSpanQuery({ filter: FILTER, filtering: FILTER, windowing: { limit: 5 }, limit: 5, oldest: NOON }, 'span'),
  ).toEqual(nested)
  for (const body of [null, undefined, {}, { filtering: null, windowing: null, filter: null, colour: 'red' }]) {
    expect(parseSpanQuery(body, 'trace')).toEqual({
      focus: 'trace',
      filter: undefined,
      windowing: { order: 'descending' },
    })
  }
})

test.each<[string, unknown, string[]]>([
  ['a body that is a list', [], ['body']],
  ['two filters', { filtering: FILTER, filter: {} }, ['body', 'filter']],
  ['two limits', { windowing: { limit: 5 }, limit: 6 }, ['body', 'limit']],
  ['two orders', { windowing: { order: 'ascending' }, order: 'descending' }, ['body', 'order']],
  ['broken JSON text', { filter: '{"conditions":' }, ['body', 'filter']],
  ['JSON text nested too deep', { filter: `${'['.repeat(200_000)}1234567890123456` }, ['body', 'filter']],
  ['a windowing that is a text', { windowing: 'x' }, ['body', 'windowing']],
  ['a bad flat bound', { newest: 'x' }, ['body', 'newest']],
  ['a bad condition in JSON text', { filter: '{"conditions":[{}]}' }, ['body', 'filter', 'conditions', '0', 'field']],
])('422: %s', (_name, body, loc) => {
  const problem = problemOf(() => parseSpanQuery(body, 'span'))
  expect(problem.code).toBe('unprocessable')
  expect(problem.detail).toEqual([expect.objectContaining({ loc: loc.map(one => (one === '0' ? 0 : one)) })])
})

test('a saved query is named by any of its references', () => {
  expect(namesSavedQuery({ query_variant_ref: { slug: 'x' } })).toBe(true)
  expect(namesSavedQuery({ query_ref: null, filtering: {} })).toBe(false)
  expect(namesSavedQuery(null)).toBe(false)
})

test.each<[order: 'ascending' | 'descending', saved: object, sent: object, begin: object]>([
  ['descending', { newest: 5, oldest: 1 }, { newest: 3, oldest: 2 }, { newest: 3, oldest: 1 }],
  ['descending', { newest: 5, oldest: 1 }, { newest: 9, oldest: 0 }, { newest: 5, oldest: 1 }],
  ['descending', { oldest: 1 }, { newest: 3 }, { newest: 3, oldest: 1 }],
  ['ascending', { newest: 5, oldest: 1 }, { newest: 4, oldest: 3 }, { newest: 5, oldest: 3 }],
  ['ascending', { newest: 5, oldest: 1 }, { newest: 9, oldest: 0 }, { newest: 5, oldest: 1 }],
  ['ascending', { newest: 5 }, { oldest: 3 }, { newest: 5, oldest: 3 }],
])('a page of a saved query, %s, begins at its cursor within the saved window', (order, saved, sent, begin) => {
  const rest = { limit: 2, order, rate: 0.5 }
  const body = { windowing: { ...sent, order: 'descending', limit: 3, rate: 1, next: UUID } }
  expect(parseSavedQuery({ windowing: { ...saved, ...rest } }, 'trace', { body }).windowing).toEqual({
    ...parseWindowing({ ...begin, ...rest }, 'trace', LOC),
    limit: 3,
    next: UUID,
  })
})

test.each([
  [{ windowing: { limit: 3 } }, { limit: 3, order: 'descending' }],
  [null, { order: 'descending' }],
])('a query that is saved without a window has that of the request: %j', (body, windowing) => {
  expect(parseSavedQuery({}, 'trace', { body })).toEqual({ focus: 'trace', filter: undefined, windowing })
})
