import type { JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COPY_LENGTH_MIN, ENVELOPE, foldCopies, foldLongTexts, restoreCopies, sentTexts } from './copies.ts'

const PLAIN = 'The quick brown fox jumps over the lazy dog'
const QUOTED = 'She said: "The quick brown fox jumps over the lazy dog", and C:\\new\\ is a folder of many files.\n'
const LETTERS = 'Ein schöner Tag für Füchse, 日本語 и ещё немного'

const fold = (attributes: object, data: unknown) => {
  const texts = [JSON.stringify(attributes), JSON.stringify(data)] as const
  return { texts, folded: foldCopies(...texts) }
}

test.each<[string, object, unknown]>([
  ['a text', { 'gen_ai.prompt.0.content': PLAIN }, { inputs: { prompt: [{ content: PLAIN }] } }],
  ['a text with quotes, backslashes and a line break', { input: { value: QUOTED } }, { inputs: { q: QUOTED } }],
  ['a text inside a JSON text', { messages: JSON.stringify([{ content: PLAIN }]) }, { inputs: [{ content: PLAIN }] }],
  ['quotes inside a JSON text', { messages: JSON.stringify([{ content: QUOTED }]) }, { inputs: [{ content: QUOTED }] }],
  ['a JSON text inside a JSON text', { messages: JSON.stringify({ arguments: QUOTED }) }, { arguments: QUOTED }],
  ['other letters', { text: LETTERS, list: [LETTERS] }, { outputs: LETTERS }],
])('%s is stored once, and restored', (_, attributes, data) => {
  const { texts, folded } = fold(attributes, data)
  expect(folded?.copies).not.toHaveLength(0)
  expect(folded?.attributes.length).toBeLessThan(texts[0].length)
  expect(restoreCopies({ ...(folded as object), data: texts[1] } as never)).toBe(texts[0])
  // What remains has the same members, so paths are found in it.
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, member]) => [key, shape(member)])
      : typeof value
  expect(shape(JSON.parse(folded?.attributes as string))).toEqual(shape(attributes))
})

test('a text of 10 KB that is repeated a thousand times is stored once', () => {
  const text = `${PLAIN}\n`.repeat(230)
  const { texts, folded } = fold({ messages: new Array(1_000).fill(JSON.stringify([{ content: text }])) }, { text })
  expect(folded?.attributes.length).toBeLessThan(texts[0].length / 10)
  expect(restoreCopies({ ...(folded as object), data: texts[1] } as never)).toBe(texts[0])
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
  ['what is not escaped as JSON escapes it', { a: `"${PLAIN.replace('q', '\\u0071')}"` }, { a: PLAIN }],
  ...[...ENVELOPE].map(key => [`a text in ${key}`, { [key]: { a: PLAIN } }, { a: PLAIN }] as [string, object, unknown]),
])('%s remains as it is', (_, attributes, data) => {
  expect(fold(attributes, data).folded).toBeUndefined()
})

test('any attributes are restored, byte for byte', () => {
  const unit = fc.constantFrom(
    'a',
    '"',
    '\\',
    '\n',
    '\\"',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    'é',
    '😀',
    '\x7f',
    PLAIN,
    LETTERS,
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
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), value, fc.boolean(), (attributes, data, isBytes) => {
      const [sent, stored] = [{ ...attributes, again: data }, data]
        .map(one => JSON.stringify(one))
        .map(one => (isBytes ? Buffer.from(one).toString('latin1') : one)) as [string, string]
      const folded = foldCopies(sent, stored)
      if (folded === undefined) return
      copied++
      expect(() => JSON.parse(folded.attributes)).not.toThrow()
      expect(restoreCopies({ ...folded, data: stored })).toBe(sent)
    }),
    { numRuns: 3_000 },
  )
  expect(copied).toBeGreaterThan(500)
})

test('attributes with long texts are restored, byte for byte, and folded as far as if they were written first', () => {
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
        ag: { data: undefined, metrics: {}, c },
      } as unknown as JsonObject
      const data = { inputs: [{ content: other.toWellFormed() }, c], outputs: { text: one.toWellFormed(), d } }
      const [sent, stored] = [wellFormed(attributes), data].map(value =>
        Buffer.from(JSON.stringify(value)).toString('latin1'),
      ) as [string, string]
      expect(sentTexts(attributes)).toBe('long')
      const folded = foldLongTexts(attributes, stored)
      expect(folded).toBeDefined()
      // Not `toBe`, which would print megabytes.
      expect(restoreCopies({ ...(folded as object), data: stored } as never) === sent).toBe(true)
      const writtenFirst = foldCopies(sent, stored)?.attributes ?? sent
      expect(folded?.attributes.length).toBeLessThanOrEqual(writtenFirst.length)
      copied += folded?.copies.length ?? 0
    }),
    { numRuns: 100 },
  )
  expect(copied).toBeGreaterThan(5_000)
})

test('long texts beside the character that marks holes are left to be written first', () => {
  const text = PLAIN.repeat(2_000)
  const data = JSON.stringify({ text })
  expect(foldLongTexts({ text }, data)?.copies).toEqual([3 * 2])
  for (const other of [{ '\x7f': 1 }, { a: '\x7f' }, { a: `${text}\x7f` }, { ag: { a: '\x7f' } }])
    expect(foldLongTexts({ text, ...other } as unknown as JsonObject, data)).toBeUndefined()
  expect(sentTexts({ ag: { text }, a: PLAIN })).toBe('medium')
  expect(sentTexts({ ag: { text }, a: [{ b: PLAIN.slice(0, COPY_LENGTH_MIN - 1) }] })).toBe('short')
})

test('a long text of quotes, or of short texts in quotes, remains as it is', () => {
  for (const unit of ['"', '\\"', '"abcdefg"']) {
    const text = unit.repeat(8_000_000 / unit.length)
    const folded = foldLongTexts({ text }, JSON.stringify({ text: PLAIN }))
    expect(folded?.copies).toEqual([])
    expect(folded?.attributes === JSON.stringify({ text })).toBe(true)
  }
})

/** As texts are stored: halves of surrogate pairs are U+FFFD. */
function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T
  if (Array.isArray(value)) return value.map(wellFormed) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)])) as T
}
