import type { Json } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { schemaLeaves } from './schema-leaves.ts'

const words = { type: 'string', enum: ['a', 'b'] }

test.each<[string, Json, string[]]>([
  [
    'scalars',
    {
      type: 'object',
      properties: { n: { type: 'number' }, i: { type: 'integer' }, b: { type: 'boolean' }, s: { type: 'string' } },
    },
    ['n numeric/continuous', 'i numeric/discrete', 'b binary', 's string'],
  ],
  [
    'words',
    { type: 'object', properties: { one: words, many: { type: 'array', items: words } } },
    ['one categorical/single', 'many categorical/multiple'],
  ],
  [
    'numbers of a list',
    { type: 'object', properties: { one: { type: 'integer', enum: [1, 2] } } },
    ['one numeric/discrete'],
  ],
  [
    'objects inside',
    {
      type: 'object',
      properties: { a: { type: 'object', properties: { 'b.c': { type: 'number' } } }, d: { type: 'object' } },
    },
    ['a/b.c numeric/continuous', 'd json'],
  ],
  [
    'nullable',
    {
      type: 'object',
      properties: {
        a: { type: ['number', 'null'] },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        c: { oneOf: [{ type: 'null' }, { anyOf: [words] }] },
        d: { type: 'integer', anyOf: [{ minimum: 1 }, { maximum: 5 }] },
      },
    },
    ['a numeric/continuous', 'b string', 'c categorical/single', 'd numeric/discrete'],
  ],
  [
    'no metric',
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'number' } },
        b: {},
        c: { type: ['number', 'string'] },
        d: { type: 'constructor' },
        e: { oneOf: [{ type: 'number' }, { type: 'string' }] },
        f: { type: 'array', items: { type: 'string' } },
        g: { type: 'array', items: { type: 'number', enum: [1, 2] } },
      },
    },
    [],
  ],
  ['a scalar at the root', { type: 'number' }, [' numeric/continuous']],
  ['no schema', null, []],
])('%s', (_name, schema, leaves) => {
  expect(schemaLeaves(schema).map(({ path, type }) => `${path.join('/')} ${type}`)).toEqual(leaves)
})

test('of a schema, 50 levels are looked at and 1,000 leaves are taken', () => {
  const nested = (levels: number): Json =>
    levels === 0 ? { type: 'number' } : { type: 'object', properties: { a: nested(levels - 1) } }
  expect([50, 51].map(levels => schemaLeaves(nested(levels)).length)).toEqual([1, 0])
  const names = Array.from({ length: 1_001 }, (_, at) => [`n${at}`, { type: 'number' }])
  expect(schemaLeaves({ type: 'object', properties: Object.fromEntries(names) })).toHaveLength(1_000)
})
