import { RE2JS } from 're2js'

/** What ECMAScript's `\s` is; RE2's are the five of ASCII. */
const BLANKS = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const ANY_BUT_LINE_ENDS = '[^\\n\\r\\x{2028}\\x{2029}]'
const NOTHING = '[^\\x{0}-\\x{10ffff}]'

/**
 * Letters that mean the same after a backslash in both, or that the library translates. All others stand for
 * themselves.
 */
const ESCAPES = new Set('dDwWbBtnvfrcxukpP')

/**
 * A pattern of JSON Schema, which are ECMAScript's, to be matched in linear time by RE2. Throws an Error for what RE2
 * does not have: looking ahead and behind, references back, more than 1,000 repetitions.
 */
export function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = RE2JS.compile(RE2JS.translateRegExp(withBlanks(pattern)))
  return { test: text => expression.test(text), toString: () => pattern }
}

/** What has another meaning in RE2 is written as what it means in ECMAScript. */
function withBlanks(pattern: string): string {
  let written = ''
  let isInClass = false
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at] as string
    if (sign === '\\') written += escaped(pattern[++at], isInClass)
    else if (isInClass) {
      isInClass = sign !== ']'
      written += sign === '[' ? '\\[' : sign
    } else if (sign === '[' && pattern[at + 1] === ']') {
      written += NOTHING
      at++
    } else {
      isInClass = sign === '['
      written += sign === '.' ? ANY_BUT_LINE_ENDS : sign
      // A class may begin with ^ and end at once.
      if (isInClass && pattern.startsWith('^]', at + 1)) isInClass = false
    }
  }
  return written
}

function escaped(letter: string | undefined, isInClass: boolean): string {
  if (letter === 's') return isInClass ? BLANKS : `[${BLANKS}]`
  if (letter === 'S' && !isInClass) return `[^${BLANKS}]`
  if (letter === 'b' && isInClass) return '\\x08'
  const isLetter =
    letter !== undefined && letter >= 'A' && letter <= 'z' && letter.toLowerCase() !== letter.toUpperCase()
  return isLetter && letter !== 'S' && !ESCAPES.has(letter) ? letter : `\\${letter ?? ''}`
}
