import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { ColumnChanger, type ColumnChanges } from './columns.ts'

const changeColumns = (data: JsonObject, changes: ColumnChanges): JsonObject => new ColumnChanger(changes).change(data)

const ROW = { city: 'Oslo', days: 2, note: null }

test.each<[string, object, object | [string, unknown][]]>([
  ['nothing', {}, ROW],
  ['remove', { remove: ['days', 'unknown'] }, { city: 'Oslo', note: null }],
  [
    'rename in place',
    { replace: [['days', 'nights']] },
    [
      ['city', 'Oslo'],
      ['nights', 2],
      ['note', null],
    ],
  ],
  [
    'rename onto another, before',
    { replace: [['city', 'note']] },
    [
      ['note', 'Oslo'],
      ['days', 2],
    ],
  ],
  [
    'rename onto another, after',
    { replace: [['note', 'city']] },
    [
      ['days', 2],
      ['city', null],
    ],
  ],
  [
    'swap',
    {
      replace: [
        ['city', 'days'],
        ['days', 'city'],
      ],
    },
    [
      ['days', 'Oslo'],
      ['city', 2],
      ['note', null],
    ],
  ],
  ['rename to itself', { replace: [['city', 'city']] }, ROW],
  ['rename what is not there', { replace: [['x', 'city']] }, ROW],
  ['rename what is removed', { remove: ['days'], replace: [['days', 'x']] }, { city: 'Oslo', note: null }],
  ['add', { add: ['new', 'city', 'note'] }, { ...ROW, new: '' }],
  ['all of it', { remove: ['note'], replace: [['days', 'n']], add: ['note'] }, { city: 'Oslo', n: 2, note: '' }],
])('%s', (_name, changes, expected) => {
  const row = changeColumns(ROW, { remove: [], replace: [], add: [], ...changes })
  expect(Object.entries(row)).toEqual(Array.isArray(expected) ? expected : Object.entries(expected))
})

test('an empty row has no columns to change', () => {
  expect(changeColumns({}, { remove: [], replace: [], add: ['a'] })).toEqual({})
})

test('names that objects have of their own are columns like others', () => {
  const data = JSON.parse('{"__proto__":1,"constructor":2}')
  const row = changeColumns(data, { remove: [], replace: [['constructor', 'toString']], add: ['valueOf'] })
  expect(Object.entries(row)).toEqual([
    ['__proto__', 1],
    ['toString', 2],
    ['valueOf', ''],
  ])
})
