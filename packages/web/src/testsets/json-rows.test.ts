import { expect, test } from 'vitest'
import { jsonRowsIn } from './json-rows.ts'

test.each([
  ['an array', ' [{"a": 1, "b": null}, {"b": [2]}]\n', [{ a: 1, b: null }, { b: [2] }]],
  ['JSON Lines', '\ufeff{"a": "x\\ny"}\r\n\r\n{"b": {}}\n', [{ a: 'x\ny' }, { b: {} }]],
  ['one object', '{\n  "a": true\n}', [{ a: true }]],
  ['no rows', '[ ]', []],
])('%s', (_what, text, rows) => {
  expect(jsonRowsIn(text)).toEqual(rows)
})

test('integers of any size keep their digits', () => {
  expect(JSON.stringify(jsonRowsIn('[{"id":9007199254740993}]'))).toBe('[{"id":9007199254740993}]')
  expect(JSON.stringify(jsonRowsIn('{"id":9007199254740993}\n{"id":1}'))).toBe('[{"id":9007199254740993},{"id":1}]')
})

test.each(['country,people\nPeru,34', '[a],b\n1,2', '{x},y', '"{""a"":1}"', ''])('%j is a table', text => {
  expect(jsonRowsIn(text)).toBeUndefined()
})

test.each([
  ['[{"a":1}, 2]', 'Row 2 is not an object'],
  ['{"a":1}\n{"a":', 'Line 2 is not JSON'],
  ['{"a":1}\n[1]', 'Line 2 is not an object'],
  ['[{"a":1}', 'It is not JSON'],
])('%j is refused', (text, message) => {
  expect(() => jsonRowsIn(text)).toThrow(message)
})
