import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Json, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { validateAgainst } from '../index.ts'
import { schemaMistake } from './validate-against.ts'

const OWNER = 'a project'
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
  ['a pattern that would go back', { pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`, [[]]],
  [
    'names that are patterns',
    { patternProperties: { '^(a+)+$': false } },
    { aa: 1, [`${'a'.repeat(90)}!`]: 1 },
    [['aa']],
  ],
  ['two patterns', { allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ab', []],
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
])('%s', async (_name, schema, value, places) => {
  const violations = await validateAgainst(schema, value, OWNER)
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
  ['looking ahead', { pattern: '^(?=a)b' }, 'b', /cannot be used.*syntax/],
  ['back references', { patternProperties: { '(a)\\1': true } }, {}, /cannot be used.*escape/],
  ['references that double', { $defs: { ...doubling, d40: {} }, $ref: '#/$defs/d0' }, 1, /too long/],
])('%s: refused in bounded time', async (_name, schema, value, message) => {
  const violations = await validateAgainst(schema, value, OWNER)
  expect(violations).toMatchObject([{ type: TYPE, loc: [], msg: expect.stringMatching(message) }])
})

test('schemas do not see each other, whatever their names', async () => {
  const named = (type: string): Json => ({ $id: 'https://example.test/one', type })
  expect(await validateAgainst(named('string'), 1, OWNER)).toHaveLength(1)
  expect(await validateAgainst(named('number'), 1, OWNER)).toHaveLength(0)
  expect(await validateAgainst({ $ref: 'https://example.test/one' }, 1, OWNER)).toMatchObject([
    { msg: expect.stringContaining('cannot be used') },
  ])
})

test('of many violations only some are reported', async () => {
  expect(await validateAgainst({ items: { type: 'string' } }, Array(1000).fill(1), OWNER)).toHaveLength(50)
})

const lists = (count: number): Json[] => Array.from({ length: count }, (_, at) => [at])

test('what takes for ever is ended, while others are answered and nothing is held up', async () => {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const begin = performance.now()
  const slow = Array.from({ length: 3 }, () => validateAgainst({ uniqueItems: true }, lists(60_000), 'a slow one'))
  const quick = await validateAgainst({ type: 'string' }, 1, OWNER)
  expect(quick).toHaveLength(1)
  expect(performance.now() - begin).toBeLessThan(3_000)
  for (const violations of await Promise.all(slow))
    expect(violations).toMatchObject([{ msg: expect.stringMatching(/too long/) }])
  expect(delays.max / 1e6).toBeLessThan(1_000)
  delays.disable()
})

test('a schema that takes too long to be checked itself is a mistake', async () => {
  const schema = { $schema: 'http://json-schema.org/draft-04/schema#', enum: lists(40_000) }
  expect(await schemaMistake(schema, OWNER)).toMatch(/too long/)
  expect(await schemaMistake({ $schema: '#'.repeat(1_000_000) }, OWNER)).toBe(null)
  expect(await schemaMistake({ type: 'objet' }, OWNER)).toMatch(/type/)
  const deep = Array.from({ length: 100_000 }).reduce<Json>(below => ({ not: below }), {})
  expect(await schemaMistake(deep, OWNER)).toBe('is nested too deeply')
})

test('of one owner only so many checks wait', async () => {
  const asked = Array.from({ length: 150 }, () => validateAgainst({ type: 'string' }, 'x', 'a greedy one'))
  const results = await Promise.allSettled(asked)
  const refused = results.filter(one => one.status === 'rejected')
  expect(refused.length).toBeGreaterThan(40)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'overloaded' })
  expect(results.filter(one => one.status === 'fulfilled').every(one => one.value.length === 0)).toBe(true)
})
