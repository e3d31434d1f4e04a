import { type Json, Problem } from '@spanhouse/model'
import { expect, test } from 'vitest'
import {
  booleanText,
  integerText,
  json,
  jsonList,
  reference,
  slug,
  storedObject,
  tags,
  time,
  uuid,
  validate,
  z,
} from './index.ts'

/** The value that a schema makes of an input, or the type of the violation. */
function outcome(schema: z.ZodType, value: unknown): unknown {
  try {
    return validate(z.object({ value: schema }), { value }, 'query').value
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return (error.detail as { type: string }[]).map(({ type }) => type).join()
  }
}

test.each<[string, unknown]>([
  ['12', 12],
  [' -7 ', -7],
  ['+3', 3],
  ['007', 7],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', 'less_than_equal'],
  ['1e3', 'int_parsing'],
  ['0x10', 'int_parsing'],
  ['1.0', 'int_parsing'],
  ['', 'int_parsing'],
  ['ten', 'int_parsing'],
])('the integer %j of a query string is %j', (text, read) => {
  expect(outcome(integerText(), text)).toBe(read)
})

test('bounds of an integer in a query string are kept, and documented', () => {
  const schema = integerText({ min: 0, max: 10 })
  expect(['-1', '0', '10', '11'].map(text => outcome(schema, text))).toEqual([
    'greater_than_equal',
    0,
    10,
    'less_than_equal',
  ])
  expect(z.globalRegistry.get(schema)).toEqual({ type: 'integer', minimum: 0, maximum: 10 })
  expect(z.globalRegistry.get(integerText())).toEqual({ type: 'integer' })
})

test.each<[string, unknown]>([
  ['true', true],
  ['YES', true],
  ['1', true],
  ['Off', false],
  ['n', false],
  ['2', 'bool_parsing'],
  ['', 'bool_parsing'],
])('the boolean %j of a query string is %j', (text, read) => {
  expect(outcome(booleanText, text)).toBe(read)
})

const nested = (levels: number, wrap: (inner: Json) => Json): Json =>
  Array.from({ length: levels }).reduce<Json>(inner => wrap(inner), 'leaf')

test.each<[string, (inner: Json) => Json]>([
  ['maps', inner => ({ inner })],
  ['lists', inner => [1, inner]],
])('an object that is stored is nested at most 200 levels deep: %s', (_name, wrap) => {
  const deepest = { root: nested(199, wrap) }
  expect(outcome(storedObject, deepest)).toBe(deepest)
  expect(outcome(storedObject, { root: nested(200, wrap) })).toBe('value_error')
})

test('tags are texts, booleans, and maps of these, 64 levels deep', () => {
  expect(outcome(tags, { team: 'search', live: true, of: { place: 'here' } })).toEqual({
    team: 'search',
    live: true,
    of: { place: 'here' },
  })
  for (const value of ['search', ['search'], null]) expect(outcome(tags, value)).toBe('value_error')
  for (const value of [1, null, ['a'], { deeper: 1 }]) expect(outcome(tags, { value })).toBe('value_error')
  expect(outcome(tags, { value: nested(64, inner => ({ inner })) })).toEqual(expect.anything())
  expect(outcome(tags, { value: nested(65, inner => ({ inner })) })).toBe('value_error')
})

test.each<[string, z.ZodType, unknown, unknown]>([
  ['any JSON', json, null, null],
  ['no JSON', json, undefined, 'missing'],
  ['a list', jsonList, [1, 'a'], [1, 'a']],
  ['no list', jsonList, { length: 1 }, 'list_type'],
  ['an id', uuid, '0D9F8E7C-1111-4222-8333-944455556666', '0d9f8e7c-1111-4222-8333-944455556666'],
  ['no id', uuid, 'one', 'uuid_parsing'],
  ['a time', time, '1970-01-01T00:00:01Z', 1_000_000],
  ['no time', time, 'noon', 'datetime_parsing'],
  ['a time before those that are stored', time, '1969-12-31T23:59:59Z', 'greater_than_equal'],
  ['a time after those that are stored', time, '9999-01-01T00:00:00Z', 'less_than_equal'],
  ['a slug', slug, 'my-app.v1', 'my-app.v1'],
  ['a slug that begins with a point', slug, '.hidden', 'string_pattern_mismatch'],
  ['a slug of 129 characters', slug, 'a'.repeat(129), 'string_too_long'],
  ['a reference without anything', reference, { id: null }, {}],
])('%s', (_name, schema, value, read) => {
  expect(outcome(schema, value)).toEqual(read)
})
