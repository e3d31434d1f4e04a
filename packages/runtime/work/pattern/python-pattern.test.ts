import { expect, test } from 'vitest'
import { toRegExp } from './python-pattern.ts'

/** What `re.search` of Python 3.11 says. */
const FOUND: [pattern: string, text: string, isFound: boolean][] = [
  ['^.{1,40}$', 'short', true],
  ['a$', 'a\n', true],
  ['a\\Z', 'a\n', false],
  ['a$\\n', 'a\n', true],
  ['a$', 'a\nb', false],
  ['(?m)a$', 'a\nb', true],
  ['(?m)^b', 'a\nb', true],
  ['(?s)a.b', 'a\nb', true],
  ['a.b', 'a\nb', false],
  ['a.b', 'a\u2028b', true],
  ['(?i)straße', 'STRASSE', false],
  ['(?i)É', 'é', true],
  ['(?x) a b # comment', 'ab', true],
  ['(?im)^B$', 'a\nb\nc', true],
  ['(?P<x>a|b)(?P=x)', 'abb', true],
  ['(?P<x>a|b)(?P=x)', 'abab', false],
  ['(a)\\1', 'aa', true],
  ['\\d', '٣', true],
  ['(?a)\\d', '٣', false],
  ['\\w', 'é', true],
  ['(?a)\\w', 'é', false],
  ['\\s', '\u00a0', true],
  ['\\s', '\u001c', true],
  ['\\bcafé\\b', 'un café!', true],
  ['\\bcaf\\b', 'un café!', false],
  ['\\B', '', false],
  ['(?=.*one)(?=.*two)(?=.*three).*', 'three two one', true],
  ['(?=.*one)(?=.*two)', 'two', false],
  ['(?<=\\$)\\d+', 'costs $42', true],
  ['(?<!a)b', 'ab', false],
  ['[]x]', ']', true],
  ['[^]x]', ']', false],
  ['[a&&b]', '&', true],
  ['[\\w-]', '-', true],
  ['[[]', '[', true],
  ['a{2', 'a{2', true],
  ['a{,2}b', 'aab', true],
  ['^a{,2}b', 'aaab', false],
  ['{}', '{}', true],
  ['x{}', 'x{}', true],
  ['a++a', 'aaa', false],
  ['(?>a+)a', 'aaa', false],
  ['a*?b', 'aab', true],
  ['(?i:a)b', 'Ab', true],
  ['(?i:a)b', 'AB', false],
  ['(?-i:a)', 'A', false],
  ['\\x41\\u00e9\\U0001F600', 'Aé😀', true],
  ['^.$', '😀', true],
  ['\\101', 'A', true],
  ['\\0', '\u0000', true],
  ['\\.', '.', true],
  ['\\A.*\\Z', 'x\n', false],
  ['(?#c)a', 'a', true],
  ['(?s).*\\n', 'x\n', true],
  ['', 'x', true],
  ['a|', 'b', true],
  ['(?:a|b){3}', 'aba', true],
]

test.each(FOUND)('%j in %j: %s', (pattern, text, isFound) => {
  expect(toRegExp(pattern, false).test(text)).toBe(isFound)
})

test('upper and lower case are the same when they should be', () => {
  expect(toRegExp('ÉA', true).test('éa')).toBe(true)
  expect(toRegExp('(?-i:É)a', true).test('éA')).toBe(false)
  expect(toRegExp('[^é]', true).test('É')).toBe(false)
})

test.each([
  ['(', /unterminated subpattern/],
  ['a)', /unbalanced parenthesis/],
  ['[a', /unterminated character set/],
  ['*a', /nothing to repeat/],
  ['^*', /nothing to repeat/],
  ['a**', /multiple repeat/],
  ['a{2,1}', /min repeat/],
  ['\\q', /bad escape \\q/],
  ['\\', /bad escape/],
  ['\\x1', /incomplete escape/],
  ['\\U00110000', /bad escape/],
  ['\\1', /invalid group reference 1/],
  ['(a\\1)', /open group/],
  ['(?P=n)', /unknown group name/],
  ['(?P<n>a)(?P<n>b)', /redefinition/],
  ['(?P<1>a)', /bad character in group name/],
  ['[b-a]', /bad character range/],
  ['[\\d-z]', /bad character range/],
  ['(?z)', /unknown extension/],
  ['a(?i)b', /not at the start/],
  ['(a)?(?(1)b|c)', /not supported/],
  ['\\N{BULLET}', /not supported/],
  ['a'.repeat(70_000), /65536 characters/],
])('%.20j is refused', (pattern, reason) => {
  expect(() => toRegExp(pattern, false)).toThrow(reason)
})

/** The places that Python 3.11 names. */
test.each<[string, number]>([
  ['(', 0],
  ['((', 1],
  ['a(b(c)', 1],
  ['\\p{L}', 0],
  ['a\\', 1],
  ['abc(?i)', 3],
  ['[a', 0],
  ['x[a-', 1],
  ['[]a', 0],
  ['ab[c-a]', 3],
  ['[x\\p]', 2],
  ['[\\d-a]', 1],
  ['[\\x4]', 1],
  ['*a', 0],
  ['a**', 2],
  ['a{3,2}', 2],
  [')', 0],
  ['é😀)', 2],
  ['x(?P<n', 5],
  ['(?P<1>a)', 4],
  ['(?P<n>a)(?P<n>b)', 12],
  ['a\\1', 2],
  ['a(\\1)', 2],
  ['(?P=x)', 4],
  ['a(?#b', 1],
  ['a(?z)', 2],
  ['(?i', 3],
  ['a\\400', 1],
])('%s is wrong at position %i', (pattern, position) => {
  expect(() => toRegExp(pattern, false)).toThrow(new RegExp(`at position ${position}$`))
})
