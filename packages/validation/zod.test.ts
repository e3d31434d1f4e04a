import { parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { z } from './index.ts'

const LARGE = parseJson('9007199254740993')

const object = z.object({ a: z.string().optional() })

test.each([
  object,
  object.extend({ b: z.object({}).optional() }),
  object.partial().meta({ description: 'described' }),
  z.strictObject({}),
  z.looseObject({}),
  z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]),
])('an integer past 2^53 is no object: %#', schema => {
  expect(schema.safeParse(LARGE).error?.issues).toMatchObject([{ code: 'invalid_type', expected: 'object', path: [] }])
  expect(z.object({ in: schema }).safeParse({ in: LARGE }).error?.issues).toMatchObject([{ path: ['in'] }])
})

test('it is a number', () => {
  expect(z.number().parse(LARGE)).toBe(2 ** 53)
  expect(
    z
      .number()
      .min(5)
      .max(2 ** 60)
      .optional()
      .parse(LARGE),
  ).toBe(2 ** 53)
  expect(z.int().safeParse(LARGE).error?.issues).toMatchObject([{ code: 'too_big', maximum: Number.MAX_SAFE_INTEGER }])
})

test('where any JSON is allowed, it is kept as it is', () => {
  expect(z.object({ any: z.unknown() }).parse({ any: LARGE })).toEqual({ any: LARGE })
})
