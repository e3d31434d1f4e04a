import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '../address.ts'
import { readSessionSearch, readSessionsSearch, SESSION_ORDERS } from '../session/search.ts'
import {
  addressOf,
  METRICS,
  openRow,
  PERIODS,
  readFilterSearch,
  readSearch,
  readTraceSearch,
  TABS,
  VIEWS,
} from './search.ts'

const absent = fc.constant(undefined)
const text = fc.option(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }), { nil: undefined })
const flag = fc.constantFrom(undefined, true)
const one = <T>(values: readonly T[]) => fc.constantFrom(undefined, ...values)
const window = fc.oneof(
  fc.record({ since: one(Object.keys(PERIODS)), from: absent, to: absent }),
  fc.tuple(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 1e9 })).map(([from, ms]) => ({
    since: undefined,
    from: new Date(from).toISOString(),
    to: new Date(from + ms).toISOString(),
  })),
)
const trace = fc.record({
  span: text,
  view: one(VIEWS),
  tab: one(TABS),
  zoom: one(['0-1', '0.25-0.5']),
  short: flag,
  critical: flag,
  metric: one(METRICS),
})
const filter = fc.tuple(window, text).map(([bounds, q]) => ({ ...bounds, q }))
const list = fc
  .tuple(
    filter,
    trace,
    fc.record({
      focus: one(['span'] as const),
      order: one(['duration', 'tokens', 'costs'] as const),
      live: flag,
      columns: text,
      trace: text,
    }),
  )
  .map(([one, other, more]) => ({ ...one, ...other, ...more }))
const sessions = fc
  .tuple(filter, fc.record({ order: one(SESSION_ORDERS.slice(1)), all: flag }))
  .map(([one, more]) => ({ ...one, ...more }))

const restored = (search: object): Record<string, unknown> => parseSearch(stringifySearch(search))

test.each<[string, fc.Arbitrary<object>, (given: Record<string, unknown>) => object]>([
  ['the list', list, readSearch],
  ['a trace', trace, readTraceSearch],
  ['the dashboard', filter, readFilterSearch],
  ['the sessions', sessions, readSessionsSearch],
  ['a session', fc.record({ turn: text, steps: text }), readSessionSearch],
])('the address restores the state of %s', (_name, states, read) => {
  fc.assert(
    fc.property(states, state => {
      expect(read(restored(state))).toEqual(state)
    }),
  )
})

test('a malformed address is one without what is malformed', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('q', 'from', 'to', 'since', 'order', 'focus', 'view', 'zoom'), fc.jsonValue()),
      given => {
        const first = readSearch(given)
        expect(readSearch(restored(first))).toEqual(first)
      },
    ),
  )
})

/** Ids that could be read as numbers. */
const DIGITS = ['12345678901234567890123456789012', '1234567890123456', '0000000000000012', '12345678901234e0', '12']

test('an id of digits stands in an address as it is; quoted, as in older links, it is the same', () => {
  for (const id of DIGITS)
    for (const text of [id, `%22${id}%22`]) {
      expect(readSearch(parseSearch(`?trace=${text}&span=${text}`))).toMatchObject({ trace: id, span: id })
      expect(readSessionSearch(parseSearch(`?turn=${text}`))).toMatchObject({ turn: id })
    }
  expect(stringifySearch({ trace: DIGITS[0], span: undefined })).toBe(`?trace=${DIGITS[0]}`)
})

test('the address of a row is that of its list with the row open', () => {
  const id = fc.oneof(fc.constantFrom(...DIGITS), fc.uuid())
  fc.assert(
    fc.property(list, id, fc.option(id, { nil: undefined }), (state, trace, span) => {
      const closed = { ...state, trace: undefined, span: undefined }
      const address = new URL(addressOf(`/w/traces${stringifySearch(closed)}`, { trace, span }), 'http://host')
      expect(readSearch(parseSearch(address.search))).toEqual({ ...closed, trace, span })
    }),
  )
})

test('of a list of spans the row of the span is open, and the first one of its trace while it has none', () => {
  const rows = ['a1', 'a2', 'b1', 'a3'].map(id => ({ trace_id: id.slice(0, 1), span_id: id }))
  expect(openRow({ focus: 'span', trace: 'a', span: 'a3' }, rows)).toBe(3)
  expect(openRow({ focus: 'span', trace: 'a', span: 'another' }, rows)).toBe(0)
  expect(openRow({ trace: 'b', span: 'a3' }, rows)).toBe(2)
  expect(openRow({ focus: 'span', trace: 'c', span: 'a3' }, rows)).toBe(-1)
  expect(openRow({}, rows)).toBe(-1)
})
