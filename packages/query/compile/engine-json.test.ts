import { type Json, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTable, type TestTable } from '../query.testing.ts'
import { sql, text } from '../sql.ts'
import { canonical, engineJson, hasLongText, putEngineJson } from './engine-json.ts'

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

function piecesOf(value: Json): string[] {
  const pieces: string[] = []
  putEngineJson(value, piece => pieces.push(piece))
  return pieces
}

/** Of more than 64 Ki characters, which JSON escapes, takes in pairs, or must not have. */
const longText = fc
  .tuple(fc.constantFrom('a', 'é', '😀', '\n"', '\\ud', '\ud83d', '1'), anyText, fc.nat(3))
  .map(([unit, end, shift]) => 'x'.repeat(shift) + unit.repeat(70_000) + end)

test('a value with long texts is written in pieces that are the same text', () => {
  fc.assert(
    fc.property(
      longText,
      longText,
      anyText,
      fc.dictionary(anyText, fc.oneof(anyText, fc.integer())),
      (one, other, key, more) => {
        const value: Json = {
          ...more,
          list: [one, more, { [key]: other }],
          empty: [{}, []],
          // A member that was taken out.
          absent: undefined as never,
          long: parseJson('1'.repeat(30)),
        }
        expect(hasLongText(value)).toBe(true)
        const pieces = piecesOf(value)
        expect(pieces.join('') === engineJson(value)).toBe(true)
        expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(100_000)
      },
    ),
    { numRuns: 50 },
  )
})

test('what is deep inside of a value with a long text is read as often as what is not', () => {
  const readsAt = (depth: number): number => {
    let reads = 0
    const bottom = new Proxy([...Array(100).fill(1), 'x'.repeat(70_000)], {
      get: (target, key) => {
        reads++
        return Reflect.get(target, key)
      },
    })
    let value: Json = bottom
    for (let level = 0; level < depth; level++) value = [value]
    expect(piecesOf(value).join('')).toHaveLength(70_000 + 2 + 100 * 2 + 2 + 2 * depth)
    return reads
  }
  expect(readsAt(200)).toBe(readsAt(1))
})

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
