import fc from 'fast-check'
import { expect, test } from 'vitest'
import { integerToJson, JsonText } from './json.ts'
import { isSmall, JsonList, JsonMembers, renderJson } from './render-json.ts'

async function rendered(value: unknown): Promise<string | undefined> {
  const pieces: Buffer[] = []
  for await (const piece of renderJson(value)) pieces.push(piece)
  return pieces.length === 0 ? undefined : Buffer.concat(pieces).toString()
}

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map(unit => String.fromCharCode(unit)) }),
  ...[
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.constant(() => 1),
    fc.constant(Symbol()),
  ],
  fc.bigInt({ max: 2n ** 90n }).map(integerToJson),
  fc.date(),
  fc.constantFrom(new Number(1), new String('a'), new Boolean(false), { toJSON: () => undefined }),
  fc.string().map(text => ({ toJSON: (name: string) => [name, text] })),
)
const { value: anyValue } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value')),
  object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '1', 'toString')), tie('value')),
}))

test('it equals the result of JSON.stringify, whatever the size of the value', async () => {
  const lengths = fc.constantFrom(1, 1, 1, 1, 5_000, 5_000, 5_000, 40_000)
  await fc.assert(
    fc.asyncProperty(anyValue, fc.string({ unit: 'grapheme' }), lengths, async (value, text, length) => {
      // Long texts and lists around the value make its parts go the way of what is not small.
      const around = {
        value,
        [text]: [text.repeat(length), value],
        list: Array.from({ length }, () => text),
        value2: value,
      }
      expect(await rendered(value)).toBe(JSON.stringify(value))
      expect(await rendered(around)).toBe(JSON.stringify(around))
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['a text without an end to its pairs', '😀'.repeat(100_000)],
  ['halves of pairs', 'a\ud83d'.repeat(100_000)],
  ['escapes', '\u0000"\\'.repeat(50_000)],
  ['a list', Array.from({ length: 100_000 }, (_, n) => ({ n }))],
  ['a wide object', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`m${n}`, n]))],
  ['a long name', { ['n"'.repeat(100_000)]: 1 }],
  ['a long integer', integerToJson(10n ** 100_000n)],
])('%s', async (_, value) => {
  expect(isSmall(value)).toBe(false)
  expect(await rendered(value)).toBe(JSON.stringify(value))
})

test('depth has no limit', async () => {
  const depth = 200_000
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  const text = (await rendered(value)) as string
  expect(text.length).toBe((depth / 2) * 2 + (depth / 2) * 6 + 2)
})

test('lazy parts', async () => {
  async function* later() {
    for (let n = 0; n < 3; n++) yield { n, none: undefined }
  }
  const text = 'é'.repeat(100_000)
  const value = {
    text: new JsonText(JSON.stringify({ text })),
    list: new JsonList(new Set([1, undefined, new JsonText('2')])),
    later: new JsonList(later()),
    empty: [new JsonList([]), new JsonMembers([])],
    members: new JsonMembers(
      new Map<string, unknown>([
        ['b', 1],
        ['1', 2],
        ['none', undefined],
      ]),
    ),
  }
  expect(await rendered(value)).toBe(
    `{"text":{"text":"${text}"},"list":[1,null,2],"later":[{"n":0},{"n":1},{"n":2}],"empty":[[],{}],"members":{"b":1,"1":2}}`,
  )
})

test('what a list holds open is closed when the reader goes, and its error comes through', async () => {
  const closed: string[] = []
  async function* items(fails: boolean) {
    try {
      yield 'a'.repeat(100_000)
      if (fails) throw new Error('lost')
      yield 1
    } finally {
      closed.push(fails ? 'failed' : 'left')
    }
  }
  const pieces = renderJson({ list: new JsonList(items(false)) })
  await pieces.next()
  await pieces.return()
  await expect(rendered([new JsonList(items(true))])).rejects.toThrow('lost')
  expect(closed).toEqual(['left', 'failed'])
})

test('others have their turn while a large value is rendered', async () => {
  const value = Array.from({ length: 300_000 }, (_, n) => ({ n, list: [n, n], text: 'text' }))
  let turns = 0
  const others = setInterval(() => turns++)
  for await (const _ of renderJson(value));
  clearInterval(others)
  expect(turns).toBeGreaterThan(3)
})
