import { type Json, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { validateAgainst } from './index.ts'

const TYPE = 'value_error.json_schema'

const OBJECT = {
  type: 'object',
  properties: {
    score: { type: 'number', maximum: 1 },
    items: { type: 'array', items: { type: 'string' } },
    'a/b~': { type: 'null' },
  },
  required: ['score'],
  additionalProperties: false,
}

test.each<[string, Json, Json, unknown[][]]>([
  ['all well', OBJECT, { score: 0.5 }, []],
  ['nothing is asked', true, { x: 1 }, []],
  ['a member is missing', OBJECT, {}, [[]]],
  ['too much', OBJECT, { score: 2, extra: 1 }, [[], ['score']]],
  ['in a list', OBJECT, { score: 1, items: ['a', 2] }, [['items', 1]]],
  ['under a strange name', OBJECT, { score: 1, 'a/b~': 1 }, [['a/b~']]],
  ['no value passes', false, 1, [[]]],
  ['a null', { type: 'string' }, null, [[]]],
  ['an integer past 2^53', { type: 'integer', minimum: 5 }, parseJson('12345678901234567890'), []],
  ['a format says nothing', { format: 'email' }, 'x', []],
  ['a pattern that only the lax mode reads', { pattern: '^a\\-b$' }, 'a-b', []],
  ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', maximum: 3, exclusiveMaximum: true }, 3, [[]]],
  ['draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }, [1], [[0]]],
  ['draft 2020', { prefixItems: [{ type: 'string' }], unevaluatedItems: false }, ['a', 1], [[]]],
  [
    'draft 2019',
    { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } },
    { a: 1 },
    [[]],
  ],
  [
    'recursive',
    { $defs: { n: { properties: { n: { $ref: '#/$defs/n' } }, additionalProperties: false } }, $ref: '#/$defs/n' },
    { n: { x: 1 } },
    [['n']],
  ],
])('%s', (_name, schema, value, places) => {
  const violations = validateAgainst(schema, value)
  expect(violations.map(one => one.loc).toSorted()).toEqual(places)
  for (const one of violations) expect(one.type).toBe(TYPE)
})

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [
    `d${i}`,
    { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
  ]),
)

test.each<[string, Json, Json, RegExp]>([
  ['malformed', { type: 'objet' }, 1, /malformed/],
  ['no schema at all', 'x', 1, /malformed/],
  ['outside of itself', { $ref: 'https://example.test/x' }, 1, /cannot be used.*example\.test/],
  ['asynchronous', { $async: true, type: 'string' }, 1, /must be string/],
  ['endless', { $ref: '#' }, 1, /too deeply/],
  ['too large', { description: 'x'.repeat(200_000) }, 1, /too large/],
  ['slow patterns', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`, /too long/],
  ['references that double', { $defs: { ...doubling, d40: {} }, $ref: '#/$defs/d0' }, 1, /too long/],
])('%s: refused in bounded time', (_name, schema, value, message) => {
  const violations = validateAgainst(schema, value)
  expect(violations).toMatchObject([{ type: TYPE, loc: [], msg: expect.stringMatching(message) }])
})

test('schemas do not see each other, whatever they call themselves', () => {
  const named = (type: string): Json => ({ $id: 'https://example.test/one', type })
  expect(validateAgainst(named('string'), 1)).toHaveLength(1)
  expect(validateAgainst(named('number'), 1)).toHaveLength(0)
  expect(validateAgainst({ $ref: 'https://example.test/one' }, 1)).toMatchObject([
    { msg: expect.stringContaining('cannot be used') },
  ])
})

test('of many violations only some are told', () => {
  expect(validateAgainst({ items: { type: 'string' } }, Array(1000).fill(1))).toHaveLength(50)
})
