import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type Json, parseJson } from './json.ts'
import { parseJsonInTurns } from './json-turns.ts'

/** Strange names, equal names, big numbers, blanks. */
const { value: json } = fc.letrec<{ value: string }>(tie => {
  const blank = fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(9))
  const name = fc.constantFrom('"a"', '"b"', '"__proto__"', '"1"', '"é😀"', '"\\"\\\\"', '"[,{"')
  const members = fc.array(fc.tuple(name, blank, blank, tie('value')), { maxLength: 6 })
  return {
    value: fc
      .tuple(
        fc.oneof(
          { depthSize: 'medium' },
          fc.constantFrom(
            '1',
            '-0',
            '12345678901234567890',
            '1.5e3',
            'true',
            'null',
            '""',
            '"]}\\""',
            '"x, y"',
            '"\\u00e9\\n\\\\\\ud83d\\ude00é\\\\"',
            '"é😀"',
          ),
          fc.array(tie('value'), { maxLength: 6 }).map(items => `[${items.join()}]`),
          members.map(list => `{${list.map(([name, a, b, value]) => `${a}${name}${b}:${value}`).join()}}`),
          blank.map(between => `[${between}]`),
        ),
        blank,
        blank,
      )
      .map(([value, before, after]) => before + value + after),
  }
})

const inTurns = (text: string, pieceBytes: number): Promise<Json | 'no JSON'> =>
  parseJsonInTurns(Buffer.from(text), pieceBytes).catch(noJson)
const atOnce = (text: string): Json | 'no JSON' => {
  try {
    return parseJson(text)
  } catch (error) {
    return noJson(error)
  }
}
const noJson = (error: unknown): 'no JSON' => {
  if (error instanceof SyntaxError) return 'no JSON'
  throw error
}

describe('a text that is read in pieces', () => {
  test('is what it is at once', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 30 }), async (text, pieceBytes) => {
        const value = await inTurns(text, pieceBytes)
        expect(JSON.stringify(value)).toBe(JSON.stringify(atOnce(text)))
        expect(value).toStrictEqual(atOnce(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test('is no JSON when it is none at once', async () => {
    const sign = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', ' ', '1', '-', 'null', '"a":')
    await fc.assert(
      fc.asyncProperty(json, fc.nat(), fc.nat(3), sign, fc.integer({ min: 1, max: 12 }), async (...given) => {
        const [text, place, cut, sign, pieceBytes] = given
        const at = place % (text.length + 1)
        const broken = (text.slice(0, at) + sign + text.slice(at + cut)).toWellFormed()
        expect(JSON.stringify(await inTurns(broken, pieceBytes))).toBe(JSON.stringify(atOnce(broken)))
      }),
      { numRuns: 6_000 },
    )
  })

  test.each([
    '[1,2,3,]',
    '[1, ,2]',
    '{"a":1,}',
    '[[1,2,3] [4]]',
    '[-[1,2,3]]',
    '{"a" [1,2,3]}',
    '[1,2,3]]',
    '[1,2,3] 4',
  ])('%s is none', async text => expect(await inTurns(text, 1)).toBe('no JSON'))
})

test('others have their turn while a long one is read', async () => {
  const text = Buffer.from(`{"a":[${'{"b":[1,null]},'.repeat(700_000)}{}],"c":"${'x'.repeat(1_000_000)}"}`)
  let isDone = false
  const read = parseJsonInTurns(text).finally(() => {
    isDone = true
  })
  let turns = 0
  while (!isDone) {
    await setImmediate()
    turns++
  }
  const { a, c } = (await read) as { a: Json[]; c: string }
  expect([a.length, c.length, a[699_999]]).toEqual([700_001, 1_000_000, { b: [1, null] }])
  expect(turns).toBeGreaterThan(10)
})

const PIECE = 64 * 1024
const longNames = (levels: number): string =>
  `${'{"a":'.replace('a', 'a'.repeat(PIECE - 100)).repeat(levels)}1${'}'.repeat(levels)}`

test.each([
  ['blanks in a list', `[${' '.repeat(20 * PIECE)}1,2]`],
  ['blanks around a number', `{"a":${' '.repeat(20 * PIECE)}12${'\n'.repeat(20 * PIECE)}}`],
  ['blanks before a long text', `{"a":${' '.repeat(20 * PIECE)}"${'x'.repeat(5 * PIECE)}"}`],
  ['blanks at both ends', `${' '.repeat(20 * PIECE)}[1]${' '.repeat(20 * PIECE)}`],
  ['blanks after what is built', `[${'1,'.repeat(PIECE)}1${' '.repeat(20 * PIECE)}]`],
  ['long names within each other', longNames(20)],
  ['garbage', `{"a":${'\0'.repeat(20 * PIECE)}}`],
  ['a long word', `[${'1'.repeat(20 * PIECE)}]`],
])('%s: nothing long is parsed at once', async (what, text) => {
  const wanted = ['garbage', 'a long word'].includes(what) ? 'no JSON' : atOnce(text)
  const parse = vi.spyOn(JSON, 'parse')
  expect(await parseJsonInTurns(Buffer.from(text)).catch(noJson)).toStrictEqual(wanted)
  const longest = parse.mock.calls.reduce((most, [parsed]) => Math.max(most, parsed.length), 0)
  parse.mockRestore()
  expect(longest).toBeLessThan(4 * PIECE)
})
