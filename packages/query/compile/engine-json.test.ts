import { type Json, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTable, type TestTable } from '../query.testing.ts'
import { sql, text } from '../sql.ts'
import { canonical, engineJson } from './engine-json.ts'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
})
afterAll(() => table.close())

test.each<[string, Json, string]>([
  ['an ordinary value', { a: [1, 'x', null] }, '{"a":[1,"x",null]}'],
  ['an integer of 64 bits', parseJson('18446744073709551615'), '18446744073709551615'],
  ['an integer beyond 64 bits', { a: parseJson('-18446744073709551617') }, '{"a":-18446744073709551617e0}'],
  ['a double that JavaScript writes as an integer', 1e20, '100000000000000000000e0'],
  ['half a surrogate pair', { 'k\ud800': ['\udc00x'] }, '{"k\ufffd":["\ufffdx"]}'],
  ['a text of digits', '12345678901234567890', '"12345678901234567890"'],
  ['an integer past all doubles', parseJson('1'.repeat(400)), `"${'1'.repeat(400)}"`],
])('writes %s', (_name, value, written) => {
  expect(engineJson(value)).toBe(written)
})

const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(integer => parseJson(String(integer))),
)
const anyText = fc.string({ unit: 'binary' })
const anyJson = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyNumber,
    anyText,
    fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', '"', '\\', '\u0000', 'a') }),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  ),
})).value

test('the engine reads whatever it writes, and finds it equal to itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyJson, { minLength: 1, maxLength: 20 }), async values => {
      const document = engineJson({ values, last: 1 })
      const [row] = await table.run<{ last: number; equal: number[] }>(sql`SELECT
        JSONExtractInt(${text(document)}, 'last') AS last,
        JSONExtractRaw(${text(document)}, 'values') = ${canonical(values)} AS equal`)
      expect(row).toEqual({ last: 1, equal: 1 })
    }),
    { numRuns: 100 },
  )
})
