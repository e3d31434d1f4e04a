import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasDigitRun, parseJson } from './json.ts'

test.each([
  '12345678901234567890',
  '[-12345678901234567890]',
  '{"a":12345678901234567890,"b":"1234567890123456789"}',
  '[1,9007199254740993]',
  '{"a":-9007199254740993}',
  '[9999999999999999]',
  '[12345678901234567]',
  '{"id":"12345678901234567890"}',
  '1234567890123456.5',
])('%s keeps its digits', text => expect(JSON.stringify(parseJson(text))).toBe(text))

test('white space does not hide a number', () => {
  expect(JSON.stringify(parseJson('{"a":\n 12345678901234567890}'))).toBe('{"a":12345678901234567890}')
})

test('ids of digits do not make a deep text too deep', () => {
  const deep = '['.repeat(60_000) + ']'.repeat(60_000)
  expect(parseJson(`{"trace_id":"12345678901234561234567890123456","x":${deep}}`)).toHaveProperty('x')
})

test('runs of digits are found as by a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('0', '5', '9', '5', '9', 'x', '/', ':'), maxLength: 80 })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 19 }), (text, length) => {
      expect(hasDigitRun(text, length)).toBe(new RegExp(`[0-9]{${length}}`).test(text))
    }),
    { numRuns: 2_000 },
  )
})
