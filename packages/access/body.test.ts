import { Problem } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { flag, listOf, mapOf, object, optional, parseBody, record, text, textThat } from './body.ts'
import { reference, referenceOrEmail } from './reference.ts'

const SHAPE = record({
  name: text,
  count: optional(flag),
  meta: optional(object),
  email: optional(textThat(value => value.includes('@'), 'Value error, no @')),
  items: optional(listOf(record({ key: text, password: optional(text) }), 2)),
  by: optional(mapOf(flag, 2)),
})

function violationsOf(rule: Parameters<typeof parseBody>[0], body: unknown): unknown {
  try {
    return parseBody(rule, body)
  } catch (error) {
    if (error instanceof Problem && error.status === 422) return error.detail
    throw error
  }
}

test('the parts that are named are kept, the others are left out', () => {
  const body = {
    name: 'a',
    count: true,
    items: [{ key: 'k', extra: 1 }],
    by: { x: false },
    extra: 1,
    meta: { any: [] },
  }
  expect(parseBody(SHAPE, body)).toEqual({
    name: 'a',
    count: true,
    items: [{ key: 'k' }],
    by: new Map([['x', false]]),
    meta: { any: [] },
  })
})

test('null is as good as absent where a member is optional', () => {
  expect(parseBody(SHAPE, { name: 'a', count: null, items: null, meta: null })).toEqual({ name: 'a' })
})

test.each([
  ['no body', undefined, [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]],
  ['no object', 'x', [{ type: 'model_attributes_type', loc: ['body'], input: 'x' }]],
  ['a list', [], [{ type: 'model_attributes_type', loc: ['body'], input: [] }]],
  ['missing', { count: true }, [{ type: 'missing', loc: ['body', 'name'], input: { count: true } }]],
  ['null', { name: null }, [{ type: 'string_type', loc: ['body', 'name'], input: null }]],
  ['a number', { name: 1 }, [{ type: 'string_type', loc: ['body', 'name'], input: 1 }]],
  ['no boolean', { name: '', count: 'true' }, [{ type: 'bool_type', loc: ['body', 'count'], input: 'true' }]],
  ['no dictionary', { name: '', meta: [] }, [{ type: 'dict_type', loc: ['body', 'meta'], input: [] }]],
  [
    'a failed test',
    { name: '', email: 'x' },
    [{ type: 'value_error', loc: ['body', 'email'], msg: 'Value error, no @' }],
  ],
  ['no list', { name: '', items: {} }, [{ type: 'list_type', loc: ['body', 'items'] }]],
  ['a long list', { name: '', items: [1, 2, 3] }, [{ type: 'too_long', loc: ['body', 'items'] }]],
  ['a large map', { name: '', by: { a: 1, b: 2, c: 3 } }, [{ type: 'too_long', loc: ['body', 'by'] }]],
  [
    'several at once',
    { items: [{ key: 'k' }, {}], by: { x: 1 } },
    [
      { type: 'missing', loc: ['body', 'name'] },
      { type: 'missing', loc: ['body', 'items', 1, 'key'] },
      { type: 'bool_type', loc: ['body', 'by', 'x'], msg: 'Input should be a valid boolean' },
    ],
  ],
])('%s', (_name, body, violations) => {
  expect(violationsOf(SHAPE, body)).toMatchObject(violations)
})

test.each([
  { items: [{ key: 'k', password: 'hunter2' }] },
  { name: 'a', items: [{ password: 'hunter2' }] },
  { name: 'a', items: [{ key: 'k', password: ['hunter2'] }] },
])('a password is never repeated: %j', body => {
  const violations = violationsOf(SHAPE, body)
  expect(violations).toHaveLength(1)
  expect(JSON.stringify(violations)).not.toContain('hunter2')
})

describe('references', () => {
  test.each([
    [{ ref: 'org' }, { by: 'ref', value: 'org' }],
    [
      { id: 'x', slug: null },
      { by: 'id', value: 'x' },
    ],
    [
      { slug: 's', other: 1 },
      { by: 'slug', value: 's' },
    ],
  ])('%j', (body, expected) => {
    expect(parseBody(reference, body)).toEqual(expected)
  })

  test.each([[{}], [{ ref: 'a', id: 'b' }], [{ email: 'a@b' }], [{ ref: null }]])('%j has not exactly one', body => {
    expect(violationsOf(reference, body)).toMatchObject([{ type: 'value_error', loc: ['body'] }])
  })

  test('an email counts where existing records are meant', () => {
    expect(parseBody(referenceOrEmail, { email: 'a@b' })).toEqual({ by: 'email', value: 'a@b' })
    expect(violationsOf(referenceOrEmail, { email: 'a@b', id: 'x' })).toMatchObject([{ type: 'value_error' }])
  })

  test('a member of another type is that violation alone', () => {
    expect(violationsOf(reference, { id: 1 })).toMatchObject([{ type: 'string_type', loc: ['body', 'id'] }])
  })
})
