import { blake2b, canonicalJson, type Json, type JsonObject, parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asciiPieces, testcaseId } from './address.ts'

const TESTSET = '019d9ca1-0000-7000-8000-000000000000'

test.each<[string | null, JsonObject, string]>([
  [TESTSET, { country: 'France', capital: 'Paris' }, '1eae9df5-2b86-5fca-bbf0-eb336b86c62c'],
  [TESTSET, { capital: 'Paris', country: 'France' }, '1eae9df5-2b86-5fca-bbf0-eb336b86c62c'],
  [TESTSET, {}, '5833e1e7-63d2-5066-8d6c-adf5a5466480'],
  [TESTSET, { café: 'é' }, '6e0bbd90-d4df-57b5-9aa3-c8c097476dac'],
  [null, { n: 1 }, '19059352-559f-50e0-a325-93573ac8c243'],
])('%s %j', async (testset, data, id) => {
  expect(await testcaseId(testset, { data })).toBe(id)
})

test('what is said about a row is part of its content, the empty is not', async () => {
  const data = { a: 1 }
  const ids = await Promise.all(
    [{}, { flags: { f: true } }, { tags: { f: true } }, { meta: { f: true } }].map(said =>
      testcaseId(TESTSET, { data, ...said }),
    ),
  )
  expect(new Set(ids).size).toBe(4)
  const meta = { f: true }
  expect(await testcaseId(TESTSET, { data: {}, meta })).not.toBe(await testcaseId(TESTSET, { data: { meta } }))
})

const canonicalAscii = (value: Json): string => Buffer.concat([...asciiPieces(canonicalJson(value))]).toString()

test('canonical JSON means what it was made of, in ASCII and in one order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), object => {
      const text = canonicalAscii(object as JsonObject)
      expect(text).toMatch(/^[ -~]*$/)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(object)))
      const reversed = Object.fromEntries(Object.entries(object).reverse())
      expect(canonicalAscii(reversed as JsonObject)).toBe(text)
    }),
    { numRuns: 300 },
  )
  expect(canonicalAscii(parseJson('{"b":12345678901234567890,"a":"\\u007f"}'))).toBe(
    '{"a":"\\u007f","b":12345678901234567890}',
  )
})

test('data nested without end is refused', async () => {
  let data: JsonObject = {}
  for (let depth = 0; depth < 100_000; depth++) data = { data }
  await expect(testcaseId(TESTSET, { data })).rejects.toThrow('nested')
})

test('other work gets turns while a large row is hashed, and the id is that of its whole content', async () => {
  const data = { text: 'é'.repeat(3_000_000) }
  const text = `{"text":"${String.raw`\u00e9`.repeat(3_000_000)}"}`
  const bytes = blake2b(Buffer.from(`${TESTSET}${text}`), 16)
  let turns = 0
  let next = setImmediate(function take() {
    turns++
    next = setImmediate(take)
  })
  const id = await testcaseId(TESTSET, { data })
  clearImmediate(next)
  expect(id.replaceAll('-', '').slice(17)).toBe(bytes.toString('hex').slice(17))
  expect(turns).toBeGreaterThan(10)
})
