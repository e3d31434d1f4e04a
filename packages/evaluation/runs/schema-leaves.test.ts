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
      properties: { a: { type: ['number', 'null'] }, b: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    ['a numeric/continuous', 'b string'],
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
      },
    },
    [],
  ],
  ['a scalar at the root', { type: 'number' }, [' numeric/continuous']],
  ['no schema', null, []],
])('%s', (_name, schema, leaves) => {
  expect(schemaLeaves(schema).map(({ path, type }) => `${path.join('/')} ${type}`)).toEqual(leaves)
})
