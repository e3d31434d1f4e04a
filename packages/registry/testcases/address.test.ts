import type { JsonObject } from '@spanhouse/model'
import { parseJson } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, testcaseId } from './address.ts'

const TESTSET = '019d9ca1-0000-7000-8000-000000000000'

test.each<[string | null, JsonObject, string]>([
  [TESTSET, { country: 'France', capital: 'Paris' }, '1eae9df5-2b86-5fca-bbf0-eb336b86c62c'],
  [TESTSET, { capital: 'Paris', country: 'France' }, '1eae9df5-2b86-5fca-bbf0-eb336b86c62c'],
  [TESTSET, {}, '5833e1e7-63d2-5066-8d6c-adf5a5466480'],
  [TESTSET, { café: 'é' }, '6e0bbd90-d4df-57b5-9aa3-c8c097476dac'],
  [null, { n: 1 }, '19059352-559f-50e0-a325-93573ac8c243'],
])('%s %j', (testset, data, id) => {
  expect(testcaseId(testset, { data })).toBe(id)
})

test('what is said about a row is part of its content, the empty is not', () => {
  const data = { a: 1 }
  const ids = [{}, { flags: { f: true } }, { tags: { f: true } }, { meta: { f: true } }].map(said =>
    testcaseId(TESTSET, { data, ...said }),
  )
  expect(new Set(ids).size).toBe(4)
  const meta = { f: true }
  expect(testcaseId(TESTSET, { data: {}, meta })).not.toBe(testcaseId(TESTSET, { data: { meta } }))
})

test('canonical JSON means what it was made of, in ASCII and in one order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), object => {
      const text = canonicalJson(object as JsonObject)
      expect(text).toMatch(/^[ -~]*$/)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(object)))
      const reversed = Object.fromEntries(Object.entries(object).reverse())
      expect(canonicalJson(reversed as JsonObject)).toBe(text)
    }),
    { numRuns: 300 },
  )
  expect(canonicalJson(parseJson('{"b":12345678901234567890,"a":"\\u007f"}'))).toBe(
    '{"a":"\\u007f","b":12345678901234567890}',
  )
})

test('data nested without end is refused', () => {
  let data: JsonObject = {}
  for (let depth = 0; depth < 100_000; depth++) data = { data }
  expect(() => testcaseId(TESTSET, { data })).toThrow('nested')
})
