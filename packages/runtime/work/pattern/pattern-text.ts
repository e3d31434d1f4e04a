import { PatternError } from './pattern-error.ts'

const OCTAL_MAX = 0o377
const CODE_POINT_MAX = 0x10_ffff
const HEX_LENGTHS: Record<string, number> = { x: 2, u: 4, U: 8 }
const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

/** A pattern that is read from left to right, character by character. */
export class PatternText {
  readonly #characters: readonly string[]
  at = 0
  /** Where the part that is being read begins: errors name this place. */
  begin = 0

  constructor(source: string) {
    this.#characters = [...source]
  }

  get isAtEnd(): boolean {
    return this.at >= this.#characters.length
  }

  /** Empty at the end. */
  get next(): string {
    return this.#characters[this.at] ?? ''
  }

  /** The next character, which is passed; undefined at the end. */
  take(): string | undefined {
    return this.#characters[this.at++]
  }

  /** The next character, with which a new part begins. */
  takeFirst(): string | undefined {
    this.begin = this.at
    return this.take()
  }

  /** Passes a text if it comes next. */
  takes(text: string): boolean {
    const isNext = this.#characters.slice(this.at, this.at + text.length).join('') === text
    if (isNext) this.at += text.length
    return isNext
  }

  /** Passes as many of these characters as come next, up to a number of them. */
  takeAll(pattern: RegExp, countMax = Number.POSITIVE_INFINITY): string {
    const from = this.at
    while (!this.isAtEnd && this.at - from < countMax && pattern.test(this.next)) this.at++
    return this.#characters.slice(from, this.at).join('')
  }

  /** What comes before the sign, which is passed too. An error names the place `at`. */
  takeUntil(sign: string, what: string, at: number): string {
    const from = this.at
    const end = this.#characters.indexOf(sign, from)
    if (end < 0) throw this.error(`missing ${sign}, unterminated ${what}`, at)
    this.at = end + 1
    return this.#characters.slice(from, end).join('')
  }

  /**
   * The code point that an escape stands for, whose letter has been passed. Undefined when it is not one of a
   * character.
   */
  escapedCodePoint(letter: string): number | undefined {
    const control = CONTROLS[letter]
    if (control !== undefined) return control
    const length = HEX_LENGTHS[letter]
    if (length !== undefined) return this.#hex(letter, length)
    if (letter === 'N') throw this.error('names of characters (\\N{…}) are not supported')
    return /[A-Za-z0-9]/.test(letter) ? undefined : (letter.codePointAt(0) as number)
  }

  octal(digits: string): number {
    const value = Number.parseInt(digits, 8)
    if (value > OCTAL_MAX) throw this.error(`octal escape value \\${digits} outside of range 0-0o377`)
    return value
  }

  #hex(letter: string, length: number): number {
    const digits = this.takeAll(/[0-9a-fA-F]/, length)
    if (digits.length < length) throw this.error(`incomplete escape \\${letter}${digits}`)
    const value = Number.parseInt(digits, 16)
    if (value > CODE_POINT_MAX) throw this.error(`bad escape \\${letter}${digits}`)
    return value
  }

  error(reason: string, at = this.begin): PatternError {
    return new PatternError(reason, at)
  }
}

/** A character as a RegExp with the flag `v` reads it anywhere, inside brackets too. */
export function literal(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  return /^[A-Za-z0-9]$/.test(character) ? character : `\\u{${codePoint.toString(16)}}`
}
