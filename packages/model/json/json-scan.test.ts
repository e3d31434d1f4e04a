import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBoundError, scanJson, scanShortJson } from './json-scan.ts'

const BOUNDS = { depthMax: 5, valuesMax: 10, membersMax: 4, digitsMax: 4 }

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 1)
}

test('values are counted, names are not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const bounds = { depthMax: 1_000, valuesMax: 1e6, membersMax: 1e6, digitsMax: 1_000 }
      expect(scanShortJson(text, bounds)).toBe(countOf(JSON.parse(text)))
    }),
  )
})

test.each([
  ['[[[[[1]]]]]', null, []],
  ['{"a":[[[[[]]]]]}', 'depthMax', ['a', 0, 0, 0]],
  ['{"one":"\\"","flags":{"x":1,"deep":{"a":{"b":{"c":{}}}}}}', 'depthMax', ['flags', 'deep', 'a', 'b']],
  ['[1,2,3,4,5,6,7,8,"9"]', null, []],
  ['[1,2,3,4,5,6,7,8,"9",{}]', 'valuesMax', []],
  ['["12345",-1.23]', null, []],
  ['{"a":1,"b":[0,{"c":12345}]}', 'digitsMax', ['b', 1, 'c']],
  ['1.2345', 'digitsMax', []],
  ['{"a":{"b":1,"c":2,"d":{"e":1,"f":2},"g":3}}', null, []],
  ['{"a":[{"b":1,"c":2,"d":{"e":1},"f":3,"g":4}]}', 'membersMax', ['a', 0, 'g']],
  ['{"a"', null, []],
  ['"]]]\\', null, []],
] as const)('%s: %s', async (text, bound, path) => {
  const error = await scanJson(Buffer.from(text), BOUNDS).then(
    () => null,
    (error: unknown) => error as JsonBoundError,
  )
  expect([error?.bound ?? null, error?.path ?? []]).toEqual([bound, path])
})

test.each([
  ['[1e308,-1.7976931348623157e308,1e-400,0.001e310,"1e400",true,false,null]', null, []],
  [`[${'1'.repeat(400)},-${'1'.repeat(309)}.5e-9,${'0.0'.padEnd(400, '0')}1e99]`, null, []],
  ['{"a":{"v":[0,1e400]}}', 'numberMax', ['a', 'v', 1]],
  ['-1E+999', 'numberMax', []],
  ['[1.5,17976931348623159e292]', 'numberMax', [1]],
  [`{"a":${'9'.repeat(309)}.5}`, 'numberMax', ['a']],
  [`[${'9'.repeat(300)}e9]`, 'numberMax', [0]],
  [`[1${'0'.repeat(309)}.${'0'.repeat(2_000)}]`, 'numberMax', [0]],
  [`[1e${'0'.repeat(2_000)}1]`, 'digitsMax', [0]],
] as const)('numbers must be finite, except for integers: %#', (text, bound, path) => {
  const scan = () => scanShortJson(text, { depthMax: 5, valuesMax: 10, membersMax: 4, digitsMax: 1_000 })
  if (bound === null) expect(scan()).toBeGreaterThan(0)
  else expect(scan).toThrow(expect.objectContaining({ bound, path }))
})

test('a number, a text and an escape may reach from one slice into the next', async () => {
  const SLICE_BYTES = 64 * 1024
  const bounds = { depthMax: 5, valuesMax: 10, membersMax: 4, digitsMax: 20 }
  const padded = (length: number, rest: string) => Buffer.from(`[${' '.repeat(length - 1)}${rest}`)
  await expect(scanJson(padded(SLICE_BYTES - 10, `${'1'.repeat(21)}]`), bounds)).rejects.toThrow(JsonBoundError)
  expect(await scanJson(padded(SLICE_BYTES - 10, `${'1'.repeat(20)}]`), bounds)).toBe(2)
  for (const before of [1, 2, 3]) expect(await scanJson(padded(SLICE_BYTES - before, '"\\"[[[[[[",7]'), bounds)).toBe(3)
})

test('a name of more than a megabyte is too long, a text is not', async () => {
  const long = 'a'.repeat(2 ** 20 + 1)
  await expect(scanJson(Buffer.from(`{"b":[{"${long}":1}]}`), BOUNDS)).rejects.toMatchObject({
    bound: 'nameBytesMax',
    message: 'JSON should have names of at most 1048576 bytes',
  })
  expect(await scanJson(Buffer.from(`{"${long.slice(1)}":"${long}"}`), BOUNDS)).toBe(2)
})
