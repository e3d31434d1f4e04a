import type { Json, JsonObject, Span } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { engineJson } from './compile/engine-json.ts'
import { COPY_LENGTH_MIN, ENVELOPE, restoreCopies } from './copies.ts'
import { storedBody } from './stored-body.ts'

const PLAIN = 'The quick brown fox jumps over the lazy dog'
const QUOTED = 'She said: "The quick brown fox jumps over the lazy dog", and C:\\new\\ is a folder of many files.\n'
const LETTERS = 'Ein schöner Tag für Füchse, 日本語 и ещё немного'

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

/** What is stored of attributes and data, what was sent, and what is restored: JSON texts as bytes. */
function store(attributes: object, data: unknown) {
  const others = attributes as JsonObject & { ag?: JsonObject }
  const sent = engineJson({ ...others, ag: { ...others.ag } })
  const body = storedBody({ ...others, ag: { ...others.ag, data } } as Span['attributes'])
  expect(body.data === '' || body.long_data === '').toBe(true)
  const stored = body.data + body.long_data
  expect(stored === bytesOf(engineJson(data as Json))).toBe(true)
  return { ...body, sent: bytesOf(sent), restored: restoreCopies({ ...body, data: stored }) }
}

/** Not `toBe`, which would print megabytes. */
const expectRestored = ({ sent, restored }: ReturnType<typeof store>): void => expect(restored === sent).toBe(true)

test.each<[string, object, unknown]>([
  ['a text', { 'gen_ai.prompt.0.content': PLAIN }, { inputs: { prompt: [{ content: PLAIN }] } }],
  ['a text with quotes, backslashes and a line break', { input: { value: QUOTED } }, { inputs: { q: QUOTED } }],
  ['a text inside a JSON text', { messages: JSON.stringify([{ content: PLAIN }]) }, { inputs: [{ content: PLAIN }] }],
  ['quotes inside a JSON text', { messages: JSON.stringify([{ content: QUOTED }]) }, { inputs: [{ content: QUOTED }] }],
  ['a JSON text inside a JSON text', { messages: JSON.stringify({ arguments: QUOTED }) }, { arguments: QUOTED }],
  ['other letters', { text: LETTERS, list: [LETTERS] }, { outputs: LETTERS }],
  ['a text beside half a surrogate pair', { a: PLAIN, b: 'x\ud800' }, { a: PLAIN }],
  ['a text that contains the character that marks holes', { a: `${PLAIN}\x7f` }, { a: `${PLAIN}\x7f` }],
  ['a text in a member named __proto__', { list: [JSON.parse(`{"__proto__":"${PLAIN}"}`)] }, { a: PLAIN }],
])('%s is stored once, and restored', (_, attributes, data) => {
  const stored = store(attributes, data)
  expect(stored.copies).not.toHaveLength(0)
  expect(stored.attributes.length).toBeLessThan(stored.sent.length)
  expectRestored(stored)
  // What remains has the same members, so paths are found in it.
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, member]) => [key, shape(member)])
      : typeof value
  expect(shape(JSON.parse(stored.attributes))).toEqual(shape(JSON.parse(stored.sent)))
})

test('a text of 10 KB that is repeated a thousand times is stored once', () => {
  const text = `${PLAIN}\n`.repeat(230)
  const stored = store({ messages: new Array(1_000).fill(JSON.stringify([{ content: text }])) }, { text })
  expect(stored.attributes.length).toBeLessThan(stored.sent.length / 10)
  expectRestored(stored)
})

test.each<[string, object, unknown]>([
  ['a text that differs by a space', { a: `${PLAIN} ` }, { a: PLAIN }],
  ['a short text', { a: 'x'.repeat(COPY_LENGTH_MIN - 1) }, { a: 'x'.repeat(COPY_LENGTH_MIN - 1) }],
  ['a key', { [PLAIN]: 1 }, { a: PLAIN }],
  ['a key of the data', { a: PLAIN }, 17],
  ['digits, which compare as a number', { a: '1'.repeat(40) }, { a: '1'.repeat(40) }],
  [
    'a list of numbers',
    { a: '', v: [0.123456789, 0.1234567891, 0.12345678912], z: '' },
    { a: '', v: [0.123456789, 0.1234567891, 0.12345678912], z: '' },
  ],
  ['a text beside the character that marks holes', { a: PLAIN, b: '\x7f' }, { a: PLAIN }],
  ['a text beside that character in a key', { a: PLAIN, '\x7f': 1 }, { a: PLAIN }],
  ['a text beside that character in ag', { a: PLAIN, ag: { b: '\x7f' } }, { a: PLAIN }],
  ['a text with that character', { a: `"${PLAIN}"\x7f` }, { a: PLAIN }],
  ['what is not escaped as JSON escapes it', { a: `"${PLAIN.replace('q', '\\u0071')}"` }, { a: PLAIN }],
  ...[...ENVELOPE].map(key => [`a text in ${key}`, { [key]: { a: PLAIN } }, { a: PLAIN }] as [string, object, unknown]),
])('%s remains as it is', (_, attributes, data) => {
  expect(store(attributes, data)).toMatchObject({ copies: [] })
  expectRestored(store(attributes, data))
})

test('the values are not changed', () => {
  const attributes = { list: [{ text: PLAIN }], text: PLAIN, ag: { data: { text: PLAIN } } }
  const before = JSON.stringify(attributes)
  expect(storedBody(attributes).copies).toHaveLength(2)
  expect(JSON.stringify(attributes)).toBe(before)
})

test('any attributes are restored, byte for byte', () => {
  const unit = fc.constantFrom(
    ...['a', '"', '\\', '\n', '\\"', '{', '}', '[', ']', ':', ',', 'é', '😀', '\ud83d', '\x7f', PLAIN, LETTERS],
  )
  const text = fc.oneof(
    fc.constantFrom(PLAIN, QUOTED, LETTERS),
    fc.array(unit, { maxLength: 12 }).map(all => all.join('')),
  )
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      tie('value').map(one => JSON.stringify(one)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('ag', 'scope', 'x')), tie('value'), { maxKeys: 4 }),
    ),
  }))
  let copied = 0
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), value, (attributes, data) => {
      const stored = store({ ...attributes, again: data, ag: {} }, data)
      expect(() => JSON.parse(Buffer.from(stored.attributes, 'latin1').toString())).not.toThrow()
      expectRestored(stored)
      if (stored.copies.length > 0) copied++
    }),
    { numRuns: 3_000 },
  )
  expect(copied).toBeGreaterThan(500)
})

test('attributes with long texts are restored, byte for byte', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\\"', '\u0001', 'é', '😀', '\ud83d', PLAIN, QUOTED, LETTERS)
  const short = fc.array(unit, { maxLength: 12 }).map(all => all.join(''))
  const long = fc.array(unit, { minLength: 1, maxLength: 40 }).map(all => {
    const text = all.join('')
    return text.repeat(Math.ceil(70_000 / text.length))
  })
  let copied = 0
  fc.assert(
    fc.property(long, long, fc.array(short, { minLength: 4, maxLength: 4 }), (one, other, [a, b, c, d]) => {
      const attributes = {
        [`${a}.`]: one,
        json: JSON.stringify([{ role: b, content: other }]),
        nested: { list: [a, { [`${c}.`]: one }, 3, null], json: JSON.stringify({ c }) },
        ag: { metrics: {}, c },
      }
      const data = { inputs: [{ content: other.toWellFormed() }, c], outputs: { text: one.toWellFormed(), d } }
      const stored = store(attributes, data)
      expectRestored(stored)
      copied += stored.copies.length
    }),
    { numRuns: 100 },
  )
  expect(copied).toBeGreaterThan(5_000)
})

test('a long text of quotes, or of short texts in quotes, remains as it is', () => {
  for (const unit of ['"', '\\"', '"abcdefg"']) {
    const stored = store({ text: unit.repeat(8_000_000 / unit.length) }, { text: PLAIN })
    expect(stored.copies).toEqual([])
    expectRestored(stored)
  }
})
