import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, parseRoundedJson } from './json.ts'
import { hasEscapedName, parseByHand } from './json-names.ts'
import { parseJsonInTurns } from './json-turns.ts'

/** A character of a name, as it is and as the text has it. */
const unit = fc.oneof(
  fc
    .constantFrom('\\', '"', '\n', '\t', 'n', 't', 'u', '0', 'é', '😀')
    .map(value => [value, JSON.stringify(value).slice(1, -1)] as const),
  fc
    .constantFrom('\\', '\n', 'n', 'é', '/')
    .map(value => [value, `\\u${value.charCodeAt(0).toString(16).padStart(4, '0')}`] as const),
)
const name = fc.array(unit, { maxLength: 4 }).map(units => ({
  value: units.map(([value]) => value).join(''),
  text: units.map(([, text]) => text).join(''),
}))

/** The engine remembers what followed a name: each case begins with a name that no other begins with. */
let cases = 0

const PARSERS = [
  ['parseJson', async (text: string) => parseJson(text)],
  ['parseRoundedJson', async (text: string) => parseRoundedJson(text)],
  ['parseJsonInTurns', (text: string) => parseJsonInTurns(Buffer.from(text), 8)],
] as const

test.each(PARSERS)('%s: names do not depend on what was parsed before', async (_, parse) => {
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 2, maxLength: 6 }), fc.boolean(), async (names, isOneText) => {
      const first = `first${cases++}`
      const texts = names.map(({ text }, at) => `{"${first}":5,"${text}":${at}}`)
      const values: object[] = []
      for (const text of isOneText ? [`[${texts}]`] : texts) values.push(...[(await parse(text)) as object].flat())
      const read = values.map(value => new Map(Object.entries(value)))
      expect(read).toEqual(
        names.map(
          ({ value }, at) =>
            new Map([
              [first, 5],
              [value, at],
            ]),
        ),
      )
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['\\\\', '\\n', '\n'],
  ['\\u005c', '\\u000a', '\n'],
  ['p\\\\', 'p\\"', 'p"'],
  ['\\\\u0', '\\u0009\\nu', '\t\nu'],
])('after the name %s, %s is itself', (before, after, value) => {
  const first = `case${cases++}`
  parseJson(`{"${first}":5,"${before}":8}`)
  expect(Object.keys(parseJson(`{"${first}":5,"${after}":8}`) as object)).toEqual([first, value])
})

test.each([
  ['{"a":"\\"b\\\\","c":[{"d":"\\n"}]}', false],
  ['{"a":["\\n","b:"],"c":"x\\\\"}', false],
  ['{"a":{"b\\n" \n:1}}', true],
  ['{"a":"\\n","b":"\\\\","\\"":1}', true],
  ['"\\n"', false],
  ['"\\', false],
])('%s has an escaped name: %s', (text, expected) => expect(hasEscapedName(text)).toBe(expected))

test('by hand as by the engine', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      fc.pre(!hasEscapedName(text))
      expect(parseByHand(` ${text}\n`, JSON.parse)).toEqual(JSON.parse(text))
    }),
    { numRuns: 1_000 },
  )
})

test('equal names, names of digits, __proto__ and big numbers next to an escaped name', () => {
  const text = '{"b\\n":[],"\\u0061":1,"2":{},"a":12345678901234567890,"__proto__":{"x":[1,null]},"1":""}'
  const value = parseJson(text)
  expect(JSON.stringify(value)).toBe('{"1":"","2":{},"b\\n":[],"a":12345678901234567890,"__proto__":{"x":[1,null]}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(parseRoundedJson(text)).toHaveProperty('a', 12345678901234567000)
})

test.each(['{"\\n":1', '{"\\n":01}', '{"\\n":1}}', '{"\\x":1}', '{"\\n":1,}', '{"\\n":tru}'])('%s is no JSON', text =>
  expect(() => parseJson(text)).toThrow(SyntaxError),
)

test('a deep text with an escaped name is read', () => {
  const deep = '['.repeat(60_000) + ']'.repeat(60_000)
  expect(parseJson(`{"\\n":${deep}}`)).toHaveProperty(['\n'])
})
