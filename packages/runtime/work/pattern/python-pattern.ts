import { characterSet } from './character-set.ts'
import { classOf, NO_FLAGS, type PatternFlags, withLetters } from './flags.ts'
import { PatternError } from './pattern-error.ts'
import { literal, PatternText } from './pattern-text.ts'

/** Characters of a pattern. */
const PATTERN_LENGTH_MAX = 65_536

/**
 * The RegExp that finds what a pattern of Python's `re` finds in text: same flags, named groups, anchors, Unicode
 * classes, atomic groups and possessive quantifiers. Matching it can take for ever, so it is used in threads only.
 *
 * Throws a PatternError for what Python refuses, for what only it has (conditional groups, names of characters) and for
 * more than 65,536 characters. Two things differ: a look-behind may have any length, and a reference to a group that
 * took no part matches the empty text.
 */
export function toRegExp(source: string, ignoreCase: boolean): RegExp {
  if (source.length > PATTERN_LENGTH_MAX)
    throw new PatternError(`more than ${PATTERN_LENGTH_MAX} characters are not supported`)
  const { pattern, flags } = new Translation(source, { ...NO_FLAGS, ignoreCase }).translate()
  try {
    return new RegExp(pattern, flags.ignoreCase ? 'vi' : 'v')
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw new PatternError('too large or too deeply nested')
    throw error
  }
}

/** What may be repeated: where it begins in what has been written. */
interface Atom {
  from: number
  /** A look-around, which a RegExp repeats only in a group. */
  isLook: boolean
  isRepeated: boolean
}

/** A group whose end has not come. */
interface OpenGroup {
  /** Where it begins in the pattern. */
  at: number
  /** Where it begins in what has been written. */
  from: number
  close: string
  /** Of what surrounds it. */
  flags: PatternFlags
  /** Of one that captures. */
  number?: number
  isLook: boolean
}

const BEFORE_WORD = (word: string): string => `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
/** Python finds none in an empty text. */
const INSIDE_WORD = (word: string): string => `(?!^$)(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`

class Translation {
  readonly #text: PatternText
  readonly #open: OpenGroup[] = []
  /** By name. */
  readonly #names = new Map<string, number>()
  #flags: PatternFlags
  #written: string[] = []
  #groups = 0
  #atomics = 0
  #atom: Atom | undefined

  constructor(source: string, flags: PatternFlags) {
    this.#text = new PatternText(source)
    this.#flags = flags
  }

  /** The pattern, and the flags that hold for the whole of it. */
  translate(): { pattern: string; flags: PatternFlags } {
    this.#leadingFlags()
    const flags = this.#flags
    for (let sign = this.#text.takeFirst(); sign !== undefined; sign = this.#text.takeFirst()) this.#translateOne(sign)
    const unclosed = this.#open.at(-1)
    if (unclosed) throw this.#text.error('missing ), unterminated subpattern', unclosed.at)
    return { pattern: this.#written.join(''), flags }
  }

  #leadingFlags(): void {
    for (let from = this.#text.at; this.#text.takes('(?'); from = this.#text.at) {
      const letters = this.#text.takeAll(/[aimsux]/)
      if (letters === '' || !this.#text.takes(')')) {
        this.#text.at = from
        return
      }
      this.#flags = withLetters(this.#flags, letters, true)
    }
  }

  #translateOne(sign: string): void {
    if (this.#flags.verbose && /[ \t\n\r\v\f]/.test(sign)) return
    if (this.#flags.verbose && sign === '#') {
      this.#text.takeAll(/[^\n]/)
      return
    }
    const quantifier = this.#quantifierAt(sign)
    if (quantifier !== undefined) this.#repeat(quantifier)
    else if (sign === '\\') this.#escape()
    else if (sign === '[') this.#writeAtom(characterSet(this.#text, this.#flags))
    else if (sign === '.') this.#writeAtom(this.#flags.dotAll ? '[^]' : '[^\\n]')
    else if (sign === '^') this.#writeAnchor(this.#flags.multiline ? '(?<![^\\n])' : '^')
    else if (sign === '$') this.#writeAnchor(this.#flags.multiline ? '(?![^\\n])' : '(?=\\n?$)')
    else if (sign === '(') this.#openGroup()
    else if (sign === ')') this.#closeGroup()
    else if (sign === '|') this.#writeAnchor('|')
    else this.#writeAtom(literal(sign.codePointAt(0) as number))
  }

  #writeAtom(pattern: string): void {
    this.#atom = { from: this.#written.length, isLook: false, isRepeated: false }
    this.#written.push(pattern)
  }

  /** What cannot be repeated. */
  #writeAnchor(pattern: string): void {
    this.#atom = undefined
    this.#written.push(pattern)
  }

  /** The quantifier that begins with the sign, without what makes it lazy; undefined when the sign is a character. */
  #quantifierAt(sign: string): string | undefined {
    if (sign === '*' || sign === '+' || sign === '?') return sign
    if (sign !== '{' || this.#text.next === '}') return undefined
    const from = this.#text.at
    const least = this.#text.takeAll(/\d/)
    const hasMost = this.#text.takes(',')
    const most = hasMost ? this.#text.takeAll(/\d/) : least
    if (!this.#text.takes('}')) {
      this.#text.at = from
      return undefined
    }
    if (most !== '' && Number(most) < Number(least)) throw this.#text.error('min repeat greater than max repeat', from)
    return hasMost ? `{${least || 0},${most}}` : `{${least}}`
  }

  #repeat(quantifier: string): void {
    const atom = this.#atom
    if (!atom) throw this.#text.error('nothing to repeat')
    if (atom.isRepeated) throw this.#text.error('multiple repeat')
    if (atom.isLook) this.#wrap(atom.from, '(?:', ')')
    const isPossessive = this.#text.takes('+')
    this.#written.push(quantifier + (!isPossessive && this.#text.takes('?') ? '?' : ''))
    if (isPossessive) this.#makeAtomic(atom.from)
    atom.isRepeated = true
  }

  #wrap(from: number, before: string, after: string): void {
    this.#written[from] = before + this.#written[from]
    this.#written.push(after)
  }

  /** What was written from there on matches once, as it does first: a look-ahead does not try again. */
  #makeAtomic(from: number): void {
    const name = `a${++this.#atomics}`
    this.#wrap(from, `(?:(?=(?<${name}>`, `))\\k<${name}>)`)
  }

  #escape(): void {
    const letter = this.#text.take()
    if (letter === undefined) throw this.#text.error('bad escape (end of pattern)')
    const word = classOf('w', this.#flags)
    if (/[dDsSwW]/.test(letter)) this.#writeAtom(classOf(letter, this.#flags))
    else if (letter === 'A') this.#writeAnchor('^')
    else if (letter === 'Z' || letter === 'z') this.#writeAnchor('$')
    else if (letter === 'b') this.#writeAnchor(BEFORE_WORD(word))
    else if (letter === 'B') this.#writeAnchor(INSIDE_WORD(word))
    else if (letter === '0') this.#writeAtom(literal(this.#text.octal(letter + this.#text.takeAll(/[0-7]/, 2))))
    else if (/[1-9]/.test(letter)) this.#numbered(letter)
    else {
      const codePoint = this.#text.escapedCodePoint(letter)
      if (codePoint === undefined) throw this.#text.error(`bad escape \\${letter}`)
      this.#writeAtom(literal(codePoint))
    }
  }

  /** Three octal digits are a character, anything else the number of a group. */
  #numbered(first: string): void {
    const from = this.#text.at
    const octal = /[0-7]/.test(first) ? this.#text.takeAll(/[0-7]/, 2) : ''
    if (octal.length === 2) {
      this.#writeAtom(literal(this.#text.octal(first + octal)))
      return
    }
    this.#text.at = from
    this.#refer(Number(first + this.#text.takeAll(/\d/, 1)), from - 1)
  }

  #refer(number: number, at: number): void {
    if (number > this.#groups) throw this.#text.error(`invalid group reference ${number}`, at)
    // Python names the backslash here, and the digit above.
    if (this.#open.some(group => group.number === number)) throw this.#text.error('cannot refer to an open group')
    this.#writeAtom(`\\k<g${number}>`)
  }

  #openGroup(): void {
    if (!this.#text.takes('?')) this.#openCapture()
    else if (this.#text.takes('P<')) this.#openNamed()
    else if (this.#text.takes('P=')) this.#referByName()
    else if (this.#text.takes('#')) this.#text.takeUntil(')', 'comment', this.#text.begin)
    else if (this.#text.takes(':')) this.#push('(?:', { isLook: false })
    else if (this.#text.takes('>')) this.#openAtomic()
    else if (this.#text.takes('(')) throw this.#text.error('conditional groups are not supported')
    else {
      const look = ['=', '!', '<=', '<!'].find(sign => this.#text.takes(sign))
      if (look === undefined) this.#openFlagged()
      else this.#push(`(?${look}`, { isLook: true })
    }
  }

  #push(opening: string, group: Pick<OpenGroup, 'isLook' | 'number'>, close = ')'): void {
    this.#open.push({ at: this.#text.begin, from: this.#written.length, close, flags: this.#flags, ...group })
    this.#writeAnchor(opening)
  }

  /** Every group has a name, so that those which are added do not change the numbers. */
  #openCapture(): void {
    const number = ++this.#groups
    this.#push(`(?<g${number}>`, { isLook: false, number })
  }

  #openNamed(): void {
    const { at } = this.#text
    const name = this.#text.takeUntil('>', 'name', at)
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw this.#text.error('bad character in group name', at)
    if (this.#names.has(name)) throw this.#text.error('redefinition of group name', at)
    this.#openCapture()
    this.#names.set(name, this.#groups)
  }

  #referByName(): void {
    const { at } = this.#text
    const number = this.#names.get(this.#text.takeUntil(')', 'name', at))
    if (number === undefined) throw this.#text.error('unknown group name', at)
    this.#refer(number, at)
  }

  #openAtomic(): void {
    const name = `a${++this.#atomics}`
    this.#push(`(?:(?=(?<${name}>`, { isLook: false }, `))\\k<${name}>)`)
  }

  /** Flags for a group, such as `(?i-s:…)`. */
  #openFlagged(): void {
    const on = this.#text.takeAll(/[aimsux]/)
    const off = this.#text.takes('-') ? this.#text.takeAll(/[imsx]/) : ''
    if (on + off === '') throw this.#text.error(`unknown extension ?${this.#text.next}`, this.#text.begin + 1)
    if (this.#text.takes(')')) throw this.#text.error('global flags not at the start of the expression')
    if (!this.#text.takes(':')) throw this.#text.error('missing :', this.#text.at)
    const ignoreCase = on.includes('i') ? '?i:' : off.includes('i') ? '?-i:' : '?:'
    this.#push(`(${ignoreCase}`, { isLook: false })
    this.#flags = withLetters(withLetters(this.#flags, on, true), off, false)
  }

  #closeGroup(): void {
    const group = this.#open.pop()
    if (!group) throw this.#text.error('unbalanced parenthesis')
    this.#written.push(group.close)
    this.#flags = group.flags
    this.#atom = { from: group.from, isLook: group.isLook, isRepeated: false }
  }
}
