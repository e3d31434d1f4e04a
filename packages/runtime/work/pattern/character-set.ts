import { classOf, type PatternFlags } from './flags.ts'
import type { PatternError } from './pattern-error.ts'
import { literal, type PatternText } from './pattern-text.ts'

const BACKSPACE = 8

/** A member of a set: a character, or a class of them in brackets of its own. */
type Member = number | string

/** A set such as `[a-z\d]`, whose bracket has been passed, for a RegExp with the flag `v`. */
export function characterSet(text: PatternText, flags: PatternFlags): string {
  const { begin } = text
  const isNegated = text.takes('^')
  let written = isNegated ? '[^' : '['
  for (let isFirst = true; isFirst || !text.takes(']'); isFirst = false) {
    if (text.isAtEnd) throw unterminated(text, begin)
    written += memberOrRange(text, flags, begin)
  }
  // V8 ignores the case of a negated set behind a `(?i:…)` too, unless it is told not to.
  return isNegated && !flags.ignoreCase ? `(?-i:${written}])` : `${written}]`
}

const unterminated = (text: PatternText, begin: number): PatternError => text.error('unterminated character set', begin)

function memberOrRange(text: PatternText, flags: PatternFlags, begin: number): string {
  const from = memberOf(text, flags)
  const { begin: at } = text
  if (!text.takes('-')) return written(from)
  if (text.next === ']') return written(from) + literal(0x2d)
  if (text.isAtEnd) throw unterminated(text, begin)
  const to = memberOf(text, flags)
  if (typeof from !== 'number' || typeof to !== 'number' || from > to) throw text.error('bad character range', at)
  return `${literal(from)}-${literal(to)}`
}

const written = (member: Member): string => (typeof member === 'number' ? literal(member) : member)

/** There is a next character. */
function memberOf(text: PatternText, flags: PatternFlags): Member {
  const character = text.takeFirst() as string
  return character === '\\' ? escapedMember(text, flags) : (character.codePointAt(0) as number)
}

function escapedMember(text: PatternText, flags: PatternFlags): Member {
  const letter = text.take()
  if (letter === undefined) throw text.error('bad escape (end of pattern)')
  if (/[dDsSwW]/.test(letter)) return classOf(letter, flags)
  if (letter === 'b') return BACKSPACE
  if (/[0-7]/.test(letter)) return text.octal(letter + text.takeAll(/[0-7]/, 2))
  const codePoint = text.escapedCodePoint(letter)
  if (codePoint === undefined) throw text.error(`bad escape \\${letter}`)
  return codePoint
}
