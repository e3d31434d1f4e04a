import { Problem, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { parseWindowing } from '../query/page/windowing.ts'
import { list, validate, windowing, z } from './index.ts'

function detailOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  throw new Error('nothing was refused')
}

test.each<[string, unknown]>([
  ['no object', 'x'],
  ['a list', []],
  ['a time that is none', { newest: 'noon' }],
  ['a time that is a boolean', { oldest: true }],
  ['a time that is a list', { oldest: [] }],
  ['a time that is large', { newest: 'x'.repeat(1_000) }],
  ['an unknown order', { order: 'desc' }],
  ['a limit with a fraction', { limit: 1.5 }],
  ['a limit that is a list', { limit: [1] }],
  ['a limit that is an object', { limit: {} }],
  ['a rate past 2^53', { rate: parseJson('9007199254740993') }],
  ['no interval', { interval: 0 }],
  ['a rate that is a boolean', { rate: true }],
  ['a rate above 1', { rate: 1.5 }],
  ['a rate below 0', { rate: -0.5 }],
  ['a cursor that is none', { next: 'page 2' }],
])('%s is refused by a schema and by the reader of queries in the same words', (_name, value) => {
  const inQuery = detailOf(() => parseWindowing(value, 'trace', ['body', 'windowing']))
  const body = z.object({ windowing })
  expect(detailOf(() => validate(body, { windowing: value }, 'body'))).toEqual(inQuery)
})

test.each([
  '"2026-02-03T09:15:00Z"',
  '"2026-02-03"',
  '1770110100',
  '1770110100.25',
  '"1770110100.5"',
  '1770110100250',
  '1770110100000001',
  '1770110100000001999',
  '0',
  '-5',
  '"9999-12-31T23:59:59Z"',
])('%s is the same time for both', json => {
  const value = { newest: parseJson(json) }
  const { newest } = parseWindowing(value, 'trace', ['body'])
  expect(validate(windowing, value, 'body').newest).toBe(newest)
})

test('a schema says its own words where it has some, and the interface says the rest', () => {
  const schema = z.object({
    own: z.number().max(3, 'Three at most'),
    above: z.number().lt(3),
    many: list(z.string(), { max: 1 }),
    text: z.string().min(2),
    long: z.string().max(1),
    few: list(z.string(), { min: 1 }),
    like: z.string().regex(/^a/),
    one: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
    none: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
    neither: z.string().min(1).max(3),
    twice: z.int().max(5),
  })
  const body = {
    own: 4,
    above: 3,
    many: ['a', 'b'],
    text: 'a',
    long: 'ab',
    few: [],
    like: 'b',
    one: { kind: 'b' },
    none: {},
    neither: [],
    twice: 1e300,
  }
  expect(detailOf(() => validate(schema, body, 'body'))).toEqual([
    { type: 'less_than_equal', loc: ['body', 'own'], msg: 'Three at most', input: 4 },
    { type: 'less_than', loc: ['body', 'above'], msg: 'Input should be less than 3', input: 3 },
    {
      type: 'too_long',
      loc: ['body', 'many'],
      msg: 'List should have at most 1 item after validation, not 2',
      input: ['a', 'b'],
    },
    { type: 'string_too_short', loc: ['body', 'text'], msg: 'String should have at least 2 characters', input: 'a' },
    { type: 'string_too_long', loc: ['body', 'long'], msg: 'String should have at most 1 character', input: 'ab' },
    {
      type: 'too_short',
      loc: ['body', 'few'],
      msg: 'List should have at least 1 item after validation, not 0',
      input: [],
    },
    { type: 'string_pattern_mismatch', loc: ['body', 'like'], msg: "String should match pattern '^a'", input: 'b' },
    { type: 'enum', loc: ['body', 'one', 'kind'], msg: 'Input should be one of a', input: 'b' },
    { type: 'missing', loc: ['body', 'none', 'kind'], msg: 'Field required', input: {} },
    // One violation in each place.
    { type: 'string_type', loc: ['body', 'neither'], msg: 'Input should be a valid string', input: [] },
    { type: 'less_than_equal', loc: ['body', 'twice'], msg: expect.any(String), input: 1e300 },
  ])
})
