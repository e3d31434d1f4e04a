import { inlineParams } from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from './engine/engine.ts'
import { openTestEngine } from './spans.testing.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const select = async (type: string, value: unknown): Promise<unknown> =>
  (await engine.rows<{ v: unknown }>({ text: `SELECT {v:${type}} AS v`, params: { v: value } }))[0]?.v

const text = fc.oneof(
  fc.string({ unit: 'binary' }).map(one => one.toWellFormed()),
  fc.constantFrom(
    "'",
    '\\',
    "\\'",
    "'; DROP TABLE spans; --",
    '\0',
    '\n\n',
    '{v:String}',
    '`',
    '%_',
    '\\N',
    'NULL',
    '/*',
    '😀',
  ),
)

test('any text reaches the engine as it is', async () => {
  await fc.assert(
    fc.asyncProperty(text, async one => {
      expect(await select('String', one)).toBe(one)
    }),
    { numRuns: 300 },
  )
})

test('any list of texts reaches the engine as it is', async () => {
  const lists = fc.array(text, { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(lists, fc.array(lists, { maxLength: 3 }), async (one, nested) => {
      expect(await select('Array(String)', one)).toEqual(one)
      expect(await select('Array(Array(String))', nested)).toEqual(nested)
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['UUID', '0d9f8e7c-1111-4222-8333-944455556666', '0d9f8e7c-1111-4222-8333-944455556666'],
  ['Int64', -5, -5],
  ['Float64', '1.5e300', 1.5e300],
  ['Decimal(38, 15)', '0.000000000000001', 1e-15],
  ['Array(Int64)', [1, -2], [1, -2]],
  ["Array(DateTime64(6, 'UTC'))", ['1770000000.000001'], ['2026-02-02 02:40:00.000001']],
])('a %s', async (type, value, back) => {
  expect(await select(type, value)).toEqual(back)
})

test('100,000 values are a set', async () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `value-${index}`)
  const [row] = await engine.rows<{ found: number }>({
    text: `SELECT count() AS found FROM numbers(200000) WHERE concat('value-', toString(number)) IN (SELECT arrayJoin({values:Array(String)}))`,
    params: { values },
  })
  expect(row?.found).toBe(100_000)
})

test('a placeholder without a value is refused', () => {
  expect(() => inlineParams({ text: 'SELECT {v:String}', params: {} })).toThrow('v')
})

test('statements that run at the same time keep their own values', async () => {
  const values = Array.from({ length: 200 }, (_, index) => index)
  expect(await Promise.all(values.map(value => select('Int64', value)))).toEqual(values)
})
