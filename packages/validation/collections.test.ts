import type { Problem } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { list, mapOf, optional, recordOf, refuseUnbounded, validate, z } from './index.ts'

const detailOf = (schema: z.ZodType, body: unknown): unknown => {
  try {
    return validate(schema, body, 'body')
  } catch (error) {
    return (error as Problem).detail
  }
}

const SHAPES = {
  list: [list(z.object({ a: z.string() })), (length: number) => Array.from({ length }, () => ({ a: 1 }))],
  'list in an object': [z.object({ in: list(z.string()) }), (length: number) => ({ in: Array(length).fill(1) })],
  'list in a list': [list(list(z.string())), (length: number) => [Array(length).fill(1), []]],
  union: [z.union([list(z.string()), z.string()]), (length: number) => Array(length).fill(1)],
  record: [recordOf(z.string()), (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [at, 1]))],
  map: [mapOf(z.string(), 1e6), (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [at, 1]))],
  'unknown members': [
    z.strictObject({}),
    (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [at, 1])),
  ],
} as const

describe.each(Object.entries(SHAPES))('%s', (_name, [schema, bodyOf]) => {
  test('twenty violations are all of them', () => expect(detailOf(schema, bodyOf(20))).toHaveLength(20))

  test('of more the first twenty are listed, and that there are more', () => {
    const detail = detailOf(schema, bodyOf(90_000)) as object[]
    expect(detail).toHaveLength(21)
    expect(detail.at(-1)).toMatchObject({ loc: ['body'], msg: expect.stringContaining('and more') })
    expect(JSON.stringify(detail).length).toBeLessThan(10_000)
  })
})

test('what is right is kept', () => {
  expect(detailOf(list(z.string().transform(text => text.length)), ['a', 'bc'])).toEqual([1, 2])
  expect(detailOf(list(z.string(), { min: 2, max: 2 }), ['a', 'b'])).toEqual(['a', 'b'])
  const named = JSON.parse('{"__proto__":"a","b":"c"}')
  expect(Object.entries(detailOf(recordOf(z.string()), named) as object)).toEqual(Object.entries(named))
  expect(detailOf(mapOf(z.string(), 2), named)).toEqual(new Map(Object.entries(named)))
})

test('of options, the one that reads furthest says what is wrong', () => {
  const options = [z.string(), list(z.string()), z.object({ of: z.object({ id: z.string() }) })] as const
  for (const union of [z.union(options), z.union(options.toReversed())]) {
    expect(detailOf(union, ['a', 1])).toEqual([
      expect.objectContaining({ type: 'string_type', loc: ['body', 1], input: 1 }),
    ])
    expect(detailOf(union, { of: { id: 1 } })).toEqual([
      expect.objectContaining({ type: 'string_type', loc: ['body', 'of', 'id'] }),
    ])
  }
})

test.each([
  ['a list', list(z.string(), { min: 1, max: 2 }), [], 'too_short'],
  ['a list', list(z.string(), { min: 1, max: 2 }), [1, 2, 3], 'too_long'],
  ['a list without a limit of its own', list(z.string()), Array(100_001).fill(1), 'too_long'],
  ['a list', list(z.string()), { 0: 'a' }, 'list_type'],
  ['a map', mapOf(z.string(), 1), { a: 1, b: 2 }, 'too_long'],
  ['a record', recordOf(z.string(), { max: 1 }), { a: 1, b: 2 }, 'too_long'],
  ['a name', recordOf(z.string(), { name: z.string().max(1) }), { ab: 'c' }, 'string_too_long'],
])('%s is refused as a whole: %#', (_name, schema, body, type) => {
  expect(detailOf(schema, body)).toEqual([expect.objectContaining({ type })])
})

test.each([
  z.array(z.string()),
  z.object({ a: optional(z.object({ b: z.record(z.string(), z.string()) })) }),
  z.union([z.string(), z.map(z.string(), z.string())]),
  z
    .string()
    .transform(text => [text])
    .pipe(z.array(z.string())),
])('zod’s own collections are found: %#', schema => {
  for (const wrap of [refuseUnbounded, list, recordOf]) expect(() => wrap(schema)).toThrow('must not use')
  expect(() => list(schema)).toThrow('must not use')
})

test('the schema describes its elements', () => {
  const schema = z.toJSONSchema(list(z.object({ a: z.string() }), { max: 3 }), { io: 'input', unrepresentable: 'any' })
  expect(schema).toMatchObject({ type: 'array', maxItems: 3, items: { properties: { a: { type: 'string' } } } })
})
