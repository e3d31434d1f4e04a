import { expect, test } from 'vitest'
import { headerMistakeIn } from './outbound-headers.ts'

test.each([
  ['X-Own', 'mine'],
  ['x_own!', ''],
  ['X-Tab', 'a\tb'],
  ['X-Latin', 'é\u00ff'],
])('%s with %j can be sent', (name, value) => expect(headerMistakeIn(name, value)).toBeNull())

test.each([
  ...[
    ['', 'x'],
    ['two words', 'x'],
    ['X-Own:', 'x'],
    ['Überschrift', 'x'],
    ['X\r\nHost', 'x'],
  ],
  ...[
    ['Connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ['TE', 'trailers'],
    ['upgrade', 'h2c'],
    ['Expect', '100-continue'],
  ],
  ...[
    ['X-Own', 'a\r\nb'],
    ['X-Own', '\0'],
    ['X-Own', '\x7f'],
    ['X-Own', 'Ā'],
    ['X-Own', '✓'],
  ],
] as [string, string][])('%j with %j cannot', (name, value) => {
  expect(headerMistakeIn(name, value)).toEqual(expect.any(String))
})
