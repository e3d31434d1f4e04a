import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seal, unseal } from './sealed.ts'

const TEXT = 'sk-123, naïve 🔑'

test('what was sealed can be opened with the same secret for the same purpose', () => {
  const sealed = seal(TEXT, 'secret', 'purpose')
  expect(unseal(sealed, 'secret', 'purpose')).toBe(TEXT)
  expect(sealed).not.toBe(seal(TEXT, 'secret', 'purpose'))
  expect(Buffer.from(sealed, 'base64').includes('sk-123')).toBe(false)
})

test.each([
  ['another secret', seal(TEXT, 'other', 'purpose')],
  ['another purpose', seal(TEXT, 'secret', 'other')],
  ['a changed text', seal(TEXT, 'secret', 'purpose').replace(/^.{4}/, 'AAAA')],
])('%s opens nothing', (_name, sealed) => {
  expect(unseal(sealed, 'secret', 'purpose')).toBeNull()
})

test('any text can be opened, and none of which the end is missing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, end) => {
      const sealed = Buffer.from(seal(text, 'secret', 'purpose'), 'base64')
      expect(unseal(sealed.toString('base64'), 'secret', 'purpose')).toBe(text)
      const cut = sealed.subarray(0, end % sealed.length)
      expect(unseal(cut.toString('base64'), 'secret', 'purpose')).toBeNull()
    }),
  )
  expect(unseal(seal('', 'secret', 'purpose'), 'secret', 'purpose')).toBe('')
})

test('text that was never sealed opens nothing', () => {
  expect(unseal('', 'secret', 'purpose')).toBeNull()
  expect(unseal('abc', 'secret', 'purpose')).toBeNull()
})
