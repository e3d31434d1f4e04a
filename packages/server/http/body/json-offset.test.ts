import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonErrorOffset } from './json-offset.ts'

test.each([
  ['', 0],
  ['  ', 2],
  ['nonsense', 0],
  ['nul', 0],
  ['{', 1],
  ['{"a"', 4],
  ['{"a" 1}', 5],
  ['{"a": }', 6],
  ['{"a":1,}', 7],
  ['{"a":1 "b":2}', 7],
  ["{'a':1}", 1],
  ['{"a":1]', 6],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['[1}', 2],
  ['[,1]', 1],
  ['{}{}', 2],
  ['1 2', 2],
  ['01', 1],
  ['1.e1', 1],
  ['-', 0],
  ['"ab', 3],
  ['"a\\x"', 2],
  ['"a\\u00g0"', 2],
  ['"a\nb"', 2],
  ['[true,\u00a01]', 6],
  ['['.repeat(10_001), 10_000],
])('%j stops being JSON at %i', async (text, offset) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(await jsonErrorOffset(text)).toBe(offset)
})

test('what is JSON is read to its end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.nat(2), async (text, indent) => {
      const written = JSON.stringify(JSON.parse(text), null, indent)
      expect(await jsonErrorOffset(written)).toBe(written.length)
    }),
  )
})

test('everything before the offset can begin a JSON text, nothing beyond it can go on', async () => {
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"', '\\n', '1', '-0.5e3', 'true', ' ']
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), async parts => {
      const text = parts.join('')
      const isJson = canParse(text)
      const offset = await jsonErrorOffset(text)
      if (isJson) expect(offset).toBe(text.length)
      else if (offset < text.length) expect(canParse(text.slice(0, offset + 1))).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

function canParse(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
