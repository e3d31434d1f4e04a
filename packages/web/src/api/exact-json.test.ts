import { expect, test } from 'vitest'
import { isExactInteger, parseExact } from './exact-json.ts'

test.each([
  '{"id":12345678901234567890,"n":1,"list":[-9007199254740993,9007199254740991],"__proto__":{"id":9007199254740993}}',
  '[0.1,1e+25,"9007199254740993"]',
  '9007199254740993',
])('%s is written as it was read', text => {
  expect(JSON.stringify(parseExact(text))).toBe(text)
})

test('only integers that a number would round are kept apart', () => {
  const [one, other] = parseExact<unknown[]>('[9007199254740993,9007199254740991]')
  expect([isExactInteger(one), isExactInteger(other), other]).toEqual([true, false, 9007199254740991])
})
