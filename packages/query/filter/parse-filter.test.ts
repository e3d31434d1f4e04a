import { MICROS_MAX, Problem, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { spanId, traceId } from '../query.testing.ts'
import { FIELD_KINDS, FIELDS, OPERATORS } from './fields.ts'
import { parseFilter } from './parse-filter.ts'

const LOC = ['body', 'filtering']
const condition = (one: object) => parseFilter({ conditions: [one] }, LOC)

function problemOf(act: () => unknown): Problem {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['no conditions', { conditions: [] }],
  ['an operator alone', { operator: 'or' }],
  ['empty groups', { operator: 'not', conditions: [{ conditions: [{ operator: 'or', conditions: [] }] }] }],
])('%s restricts nothing', (_name, json) => {
  expect(parseFilter(json, LOC)).toBeUndefined()
})

test('a filter is a frozen tree with everything spelled out', () => {
  const filter = parseFilter(
    {
      operator: 'or',
      conditions: [
        { field: 'span_name', operator: 'matches', value: 'x', options: { exact_match: true } },
        { field: 'attributes', key: 'a.0', operator: 'in', value: [1, '1'] },
        { operator: 'not', conditions: [{ field: 'trace_id', value: traceId(1).toUpperCase() }] },
        { field: 'start_time', operator: 'gte', value: '2026-02-03T09:15:00.25Z' },
        { field: 'end_time', operator: 'lt', value: '9999-12-31T23:59:59Z' },
        { field: 'references', operator: 'in', value: [{ slug: 's', attributes: { key: 'evaluator_revision' } }] },
        { field: 'content', operator: 'contains', value: 'Fast -"Slow lane"' },
      ],
    },
    LOC,
  )
  expect(filter).toEqual({
    kind: 'group',
    operator: 'or',
    members: [
      { kind: 'column', field: 'span_name', test: { test: 'equals', text: 'x', caseSensitive: false } },
      { kind: 'attribute', path: ['a', '0'], test: { test: 'in', values: [1, '1'], all: false } },
      {
        kind: 'group',
        operator: 'not',
        members: [{ kind: 'column', field: 'trace_id', test: { test: 'eq', value: traceId(1) } }],
      },
      { kind: 'column', field: 'start_time', test: { test: 'gte', value: 1_770_110_100_250_000 } },
      { kind: 'column', field: 'end_time', test: { test: 'lt', value: MICROS_MAX } },
      {
        kind: 'list',
        field: 'references',
        test: { test: 'in', patterns: [{ slug: 's', role: 'workflow_revision' }], all: false },
      },
      { kind: 'content', query: [{ all: [['fast']], none: [['slow', 'lane']] }] },
    ],
  })
  expect(deepFrozen(filter)).toBe(true)
})

const deepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(deepFrozen))

test.each<[string, unknown, string, (string | number)[]]>([
  ['a filter that is a list', [], 'model_attributes_type', []],
  ['a filter that is a text', 'x', 'model_attributes_type', []],
  ['a condition in place of a group', { field: 'span_name', value: 'x' }, 'extra_forbidden', ['field']],
  ['conditions that are no list', { conditions: {} }, 'list_type', ['conditions']],
  ['conditions that are null', { conditions: null }, 'list_type', ['conditions']],
  ['an unknown group operator', { operator: 'xor', conditions: [] }, 'enum', ['operator']],
  ['a group operator that is a number', { operator: 1 }, 'enum', ['operator']],
  ['a condition that is a text', { conditions: ['x'] }, 'model_attributes_type', ['conditions', 0]],
  ['an empty condition', { conditions: [{}] }, 'missing', ['conditions', 0, 'field']],
  ['an operator without a field', { conditions: [{ operator: 'is' }] }, 'missing', ['conditions', 0, 'field']],
  ['a field that is null', { conditions: [{ field: null }] }, 'missing', ['conditions', 0, 'field']],
  ['a field that is a number', { conditions: [{ field: 1 }] }, 'string_type', ['conditions', 0, 'field']],
  [
    'a condition that is a group as well',
    { conditions: [{ field: 'span_name', conditions: [] }] },
    'extra_forbidden',
    ['conditions', 0, 'field'],
  ],
  [
    'an unknown operator, deep inside',
    { conditions: [{ conditions: [{ field: 'span_name', operator: 'regex' }] }] },
    'enum',
    ['conditions', 0, 'conditions', 0, 'operator'],
  ],
  [
    'a key that is a number',
    { conditions: [{ field: 'attributes', key: 1 }] },
    'string_type',
    ['conditions', 0, 'key'],
  ],
  [
    'options that are a list',
    { conditions: [{ field: 'span_name', options: [] }] },
    'model_attributes_type',
    ['conditions', 0, 'options'],
  ],
  [
    'an option that is a text',
    { conditions: [{ field: 'span_name', options: { all: 'yes' } }] },
    'bool_type',
    ['conditions', 0, 'options', 'all'],
  ],
])('422: %s', (_name, json, type, loc) => {
  const problem = problemOf(() => parseFilter(json, LOC))
  expect(problem.code).toBe('unprocessable')
  expect(problem.detail).toEqual([expect.objectContaining({ type, loc: [...LOC, ...loc], msg: expect.any(String) })])
})

test.each<[string, object, RegExp]>([
  ['an unknown field', { field: 'status.code', value: 'x' }, /^"status.code": unknown field$/],
  ['a field of the prototype', { field: 'constructor', value: 'x' }, /^"constructor": unknown field$/],
  ['an enum value outside the enum', { field: 'span_type', value: 'robot' }, /^span_type: "robot"/],
  ['an enum value of another type', { field: 'status_code', value: 2 }, /^status_code: 2/],
  ['an enum list with a stranger', { field: 'span_kind', operator: 'in', value: ['x'] }, /^span_kind: /],
  [
    'an operator that the field lacks',
    { field: 'span_type', operator: 'contains', value: 'x' },
    /^span_type: .*contains/,
  ],
  ['a trace id that is none', { field: 'trace_id', value: 'abc' }, /^trace_id: "abc"/],
  ['a trace id of null', { field: 'trace_id', value: null }, /^trace_id: /],
  ['a span id of null', { field: 'span_id', operator: 'is_not' }, /^span_id: /],
  ['a list with null', { field: 'parent_id', operator: 'in', value: [spanId(1), null] }, /^parent_id: null/],
  ['a list of users with null', { field: 'created_by_id', operator: 'in', value: [null] }, /^created_by_id: null/],
  ['a list that is none', { field: 'trace_id', operator: 'in', value: traceId(1) }, /^trace_id: .*list/],
  ['a list that is missing', { field: 'span_name', operator: 'not_in' }, /^span_name: .*list/],
  ['null by size', { field: 'span_name', operator: 'gt' }, /^span_name: null/],
  ['null by text', { field: 'span_name', operator: 'contains' }, /^span_name: /],
  ['an object as text', { field: 'span_name', value: { a: 1 } }, /^span_name: /],
  ['a value with existence', { field: 'span_name', operator: 'exists', value: true }, /^span_name: .*no value/],
  ['a key where there is none', { field: 'span_name', key: 'a', value: 'x' }, /^span_name: takes no key/],
  ['a time that is none', { field: 'start_time', value: 'yesterday' }, /^start_time: "yesterday"/],
  ['a time of 12 digits', { field: 'start_time', operator: 'gt', value: 177011010000 }, /^start_time: 177011010000/],
  ['a time with a fraction', { field: 'start_time', value: 1770110100.5 }, /^start_time: /],
  ['a boolean time', { field: 'end_time', value: true }, /^end_time: true/],
  ['a time by text of a number', { field: 'start_time', operator: 'contains', value: 2026 }, /^start_time: .*text/],
  ['one end only', { field: 'start_time', operator: 'btwn', value: [1770110100] }, /^start_time: .*two values/],
  ['three ends', { field: 'attributes', key: 'a', operator: 'btwn', value: [1, 2, 3] }, /^attributes a: .*two values/],
  [
    'ends of two types',
    { field: 'attributes', key: 'a', operator: 'btwn', value: [1, '2'] },
    /^attributes a: .*two str/,
  ],
  [
    'ends of other types',
    { field: 'attributes', key: 'a', operator: 'btwn', value: ['1', 2] },
    /^attributes a: .*two str/,
  ],
  ['an attribute without a key', { field: 'attributes', value: 5 }, /^attributes: `key`/],
  ['an attribute with an empty key', { field: 'attributes', key: '', value: 5 }, /^attributes: `key`/],
  ['an attribute by size of null', { field: 'attributes', key: 'a', operator: 'gt' }, /^attributes a: .*"gt"/],
  ['an attribute by size of true', { field: 'attributes', key: 'a', operator: 'gt', value: true }, /^attributes a: /],
  ['an attribute by text of a list', { field: 'attributes', key: 'a', operator: 'like', value: [] }, /^attributes a: /],
  ['a long pattern', { field: 'span_name', operator: 'like', value: `${'a'.repeat(1_000)}%` }, /^span_name: .*1000/],
  [
    'a pattern with many wildcards',
    { field: 'attributes', key: 'a', operator: 'like', value: '%_'.repeat(51) },
    /^attributes a: .*100 wildcards/,
  ],
  ['an attribute in a text', { field: 'attributes', key: 'a', operator: 'in', value: 'x' }, /^attributes a: .*list/],
  [
    'a number out of range',
    { field: 'attributes', key: 'a', value: Number.POSITIVE_INFINITY },
    /^attributes a: .*range/,
  ],
  [
    'an integer out of range',
    { field: 'attributes', key: 'a', operator: 'in', value: [parseJson(`1${'0'.repeat(400)}`)] },
    /^attributes a: .*range/,
  ],
  ['a key for in', { field: 'references', key: 'attributes.key', operator: 'in', value: [] }, /^references: .*key/],
  ['a key for exists', { field: 'links', key: 'attributes.key', operator: 'exists' }, /^links: .*key/],
  ['another key for has', { field: 'references', key: 'slug', operator: 'has', value: 'x' }, /^references: `key`/],
  ['a bare key for has', { field: 'events', key: 'attributes.', operator: 'has', value: 'x' }, /^events: `key`/],
  ['an id for has on links', { field: 'links', key: 'id', operator: 'has', value: 'x' }, /^links: `key`/],
  ['has without a value', { field: 'links', key: 'attributes.key', operator: 'has' }, /^links: .*required/],
  ['is on a list', { field: 'references', value: 'x' }, /^references: .*"is"/],
  ['texts in references', { field: 'references', operator: 'in', value: [traceId(1)] }, /^references: .*objects/],
  [
    'a reference with a bad id',
    { field: 'references', operator: 'in', value: [{ id: 'x' }] },
    /^references: "x".* id$/,
  ],
  [
    'a reference with an empty slug',
    { field: 'references', operator: 'in', value: [{ slug: '' }] },
    /^references: .*slug$/,
  ],
  ['a reference with a list', { field: 'references', operator: 'in', value: [{ version: [] }] }, /^references: /],
  ['a link with a bad id', { field: 'links', operator: 'in', value: [{ span_id: 'zz' }] }, /^links: "zz"/],
  ['a bad hash', { field: 'hashes', operator: 'has', key: 'id', value: 'zz' }, /^hashes: "zz"/],
  ['content by another operator', { field: 'content', operator: 'is', value: 'x' }, /^content: /],
  ['content without a text', { field: 'content', operator: 'contains', value: 5 }, /^content: .*string/],
  ['content with a key', { field: 'content', key: 'a', operator: 'contains', value: 'x' }, /^content: takes no key/],
  ['a text that is too long', { field: 'span_name', value: 'é'.repeat(20_000) }, /^span_name: .*32768 bytes/],
  ['too many words', { field: 'content', operator: 'contains', value: 'w '.repeat(101) }, /^content: at most 100/],
  ['too long a path', { field: 'attributes', key: 'a.'.repeat(64), operator: 'exists' }, /^attributes: .*64 segments/],
  [
    'too long a list',
    { field: 'span_name', operator: 'in', value: Array.from({ length: 100_001 }, () => 'x') },
    /^span_name: at most 100000/,
  ],
  ['two members under not', { operator: 'not', conditions: [{ conditions: [] }, { conditions: [] }] }, /`not`/],
])('400: %s', (_name, one, detail) => {
  const problem = problemOf(() => condition(one))
  expect(problem.code).toBe('invalid')
  expect(problem.detail).toMatch(detail)
})

test.each(['x'.repeat(32_768), 'é'.repeat(16_384)])('a text may have 32,768 bytes', text => {
  expect(condition({ field: 'span_name', value: text })).toMatchObject({ members: [{ test: { value: text } }] })
  expect(problemOf(() => condition({ field: 'span_name', value: `${text}x` })).detail).toMatch(/32768 bytes/)
})

test('a pattern may have 1,000 characters and 100 wildcards', () => {
  for (const value of ['a'.repeat(1_000), '%_'.repeat(50)])
    expect(condition({ field: 'span_name', operator: 'like', value })).toMatchObject({
      members: [{ test: { text: value } }],
    })
})

test.each<[string, [all: string[][], none: string[][]][]]>([
  ['a b c', [[[['a'], ['b'], ['c']], []]]],
  [
    'a b or c',
    [
      [[['a'], ['b']], []],
      [[['c']], []],
    ],
  ],
  ['a "or" b', [[[['a'], ['or'], ['b']], []]]],
  ['a "b or" c', [[[['a'], ['b', 'or'], ['c']], []]]],
  ['a -or b', [[[['a'], ['b']], [['or']]]]],
  [
    'or a OR or b or',
    [
      [[['or'], ['a']], []],
      [[['or'], ['b'], ['or']], []],
    ],
  ],
])('content: %s', (value, alternatives) => {
  const query = alternatives.map(([all, none]) => ({ all, none }))
  expect(condition({ field: 'content', operator: 'contains', value })).toMatchObject({ members: [{ query }] })
})

test('each field takes the operators of its kind and no other', () => {
  for (const field of FIELDS.values()) {
    for (const operator of OPERATORS.filter(one => !FIELD_KINDS[field.kind].has(one))) {
      const problem = problemOf(() => condition({ field: field.name, operator, value: 'x' }))
      expect(problem.detail).toBe(`${field.name}: operator "${operator}" is not allowed`)
    }
  }
})

const nest = (depth: number): object => {
  let filter: object = { conditions: [{ field: 'span_name', value: 'x' }] }
  for (let level = 1; level < depth; level++) filter = { conditions: [filter] }
  return filter
}

test('groups nest 250 deep and no deeper', () => {
  expect(parseFilter(nest(250), LOC)).toBeDefined()
  expect(problemOf(() => parseFilter(nest(251), LOC)).code).toBe('invalid')
  expect(problemOf(() => parseFilter(nest(100_000), LOC)).code).toBe('invalid')
})

test('values nest 32 deep and no deeper', () => {
  const list = (depth: number) => parseJson(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  const is = (value: unknown) => condition({ field: 'attributes', key: 'a', value })
  expect(is(list(32))).toBeDefined()
  expect(problemOf(() => is(list(33))).code).toBe('invalid')
  expect(problemOf(() => is(list(100_000))).code).toBe('invalid')
  expect(problemOf(() => condition({ field: 'span_name', value: list(100_000) })).code).toBe('invalid')
  // Echoed values can be serialised.
  const wrong = problemOf(() => condition({ field: list(100_000) }))
  expect(JSON.stringify(wrong.detail)).toContain('string_type')
})

test('1,000 conditions and no more, values inside values counted', () => {
  const conditions: object[] = Array.from({ length: 1000 }, () => ({ field: 'span_name', value: 'x' }))
  expect(parseFilter({ conditions }, LOC)).toBeDefined()
  expect(problemOf(() => parseFilter({ conditions: [...conditions, conditions[0]] }, LOC)).detail).toMatch(
    /1000 conditions/,
  )
  const words = { field: 'content', operator: 'contains', value: 'a b' }
  expect(parseFilter({ conditions: [...conditions.slice(21), words] }, LOC)).toBeDefined()
  expect(problemOf(() => parseFilter({ conditions: [...conditions.slice(20), words] }, LOC)).code).toBe('invalid')
  const value = Array.from({ length: 999 }, (_, index) => index)
  expect(problemOf(() => condition({ field: 'attributes', key: 'a', value })).detail).toMatch(/1000 conditions/)
})
