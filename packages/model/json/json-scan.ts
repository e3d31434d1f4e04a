import { nextTurn } from '../next-turn.ts'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from './json-bytes.ts'

/** Limits of a JSON text, checked before it is parsed. */
export interface JsonBounds {
  /** Nesting depth of objects and lists. */
  depthMax: number
  /** Total number of objects, lists, texts, numbers and words; names of members do not count. */
  valuesMax: number
  /** Members of one object: a hash table is rebuilt, with every name in it, each time it has doubled. */
  membersMax: number
  /** Digits of one number: parsing a number takes time that grows with the square of its length. */
  digitsMax: number
}

/** A name is parsed in one go, unlike a text. */
const NAME_BYTES_MAX = 1024 * 1024

/** The bounds that every text has. */
const FIXED_BOUNDS = {
  nameBytesMax: NAME_BYTES_MAX,
  /** Without its sign. The parser reads a larger one as infinity, which is written as null. */
  numberMax: Number.MAX_VALUE,
}

type Bound = keyof JsonBounds | keyof typeof FIXED_BOUNDS

/**
 * A text exceeds one of its {@link JsonBounds}, has a name of more than a megabyte, or a number that is too large for a
 * double. Integers are exempt from the latter: their digits are kept.
 */
export class JsonBoundError extends Error {
  readonly bound: Bound
  /** The first few members and positions of the path to the value. */
  readonly path: (string | number)[]

  constructor(bound: Bound, max: number, path: (string | number)[]) {
    super(`JSON ${WORDS[bound](max)}`)
    this.name = 'JsonBoundError'
    this.bound = bound
    this.path = path
  }
}

const WORDS: Record<Bound, (max: number) => string> = {
  depthMax: max => `should be nested at most ${max} levels deep`,
  valuesMax: max => `should have at most ${max} values`,
  membersMax: max => `should have objects of at most ${max} members`,
  digitsMax: max => `should have numbers of at most ${max} digits`,
  nameBytesMax: max => `should have names of at most ${max} bytes`,
  numberMax: max => `should have numbers between -${max} and ${max}`,
}

/** Bytes scanned before yielding to other work. */
const SLICE_BYTES = 64 * 1024

/**
 * Scans a JSON text in UTF-8 without parsing it, and resolves to its number of values. Rejects with a {@link
 * JsonBoundError} at the first bound exceeded. The text need not be valid JSON: that is left to the parser. Takes 2 ns
 * per byte, and yields to other work.
 */
export async function scanJson(bytes: Uint8Array, bounds: JsonBounds): Promise<number> {
  const scan = new JsonScan(bytes, bounds)
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    scan.advance(Math.min(from + SLICE_BYTES, bytes.length))
    if (bytes.length > SLICE_BYTES) await nextTurn()
  }
  return scan.values
}

/** Like {@link scanJson}, for short texts. Throws. */
export function scanShortJson(text: string, bounds: JsonBounds): number {
  const bytes = Buffer.from(text)
  const scan = new JsonScan(bytes, bounds)
  scan.advance(bytes.length)
  return scan.values
}

/** Levels whose names are recorded, to report where a bound is exceeded. */
const PATH_LENGTH_MAX = 4

const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LARGE_E = 0x45
const SMALL_E = 0x65

/** A number with more digits may be too large even without an exponent. */
const DOUBLE_DIGITS_MAX = 308
/** What a number has besides digits: two signs, a point and an exponent's letter. */
const NUMBER_SIGNS_MAX = 4

const isOfNumber = (byte = SPACE): boolean =>
  (byte >= ZERO && byte <= NINE) || [PLUS, MINUS, POINT, SMALL_E, LARGE_E].includes(byte)

class JsonScan {
  values = 0
  readonly #bytes: Uint8Array
  readonly #bounds: Readonly<Record<Bound, number>>
  #at = 0
  #depth = 0
  #isInText = false
  /** The last text, which is a name if a colon follows. */
  #textAt = 0
  #textEndAt = 0
  /** Of the number or word being scanned, which may continue in the next slice. */
  #isInScalar = false
  #scalarAt = 0
  #digits = 0
  /** By level: whether it is an object, its last text (the name, if the level holds an object or list), its commas. */
  readonly #isObject = [false]
  readonly #textStart = [0]
  readonly #textEnd = [0]
  readonly #commas = [0]
  /** Names so far, by level. */
  readonly #members = [0]

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = { ...bounds, ...FIXED_BOUNDS }
  }

  advance(end: number): void {
    const bytes = this.#bytes
    while (this.#at < end) {
      if (this.#isInText) {
        this.#skipText(end)
        continue
      }
      const byte = bytes[this.#at++] as number
      if (byte === QUOTE) this.#startText()
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte === OPEN_OBJECT)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close()
      else if (byte === COMMA) this.#comma()
      else if (byte === COLON) this.#colon()
      else if (byte > SPACE) this.#scalar(byte)
      else this.#isInScalar = false
    }
    if (this.values > this.#bounds.valuesMax) throw this.#exceeded('valuesMax')
  }

  #startText(): void {
    this.#isInText = true
    this.#isInScalar = false
    this.values++
    this.#textAt = this.#at
    if (this.#depth <= PATH_LENGTH_MAX) this.#textStart[this.#depth] = this.#at - 1
  }

  #skipText(end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < end) {
      const byte = bytes[at++]
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) {
        this.#isInText = false
        this.#textEndAt = at - 1
        if (this.#depth <= PATH_LENGTH_MAX) this.#textEnd[this.#depth] = at
        break
      }
    }
    this.#at = at
  }

  #open(isObject: boolean): void {
    this.#isInScalar = false
    this.values++
    if (++this.#depth > this.#bounds.depthMax) throw this.#exceeded('depthMax')
    this.#members[this.#depth] = 0
    if (this.#depth > PATH_LENGTH_MAX) return
    this.#isObject[this.#depth] = isObject
    this.#commas[this.#depth] = 0
  }

  #close(): void {
    this.#isInScalar = false
    if (this.#depth > 0) this.#depth--
  }

  #comma(): void {
    this.#isInScalar = false
    if (this.#depth <= PATH_LENGTH_MAX) this.#commas[this.#depth] = (this.#commas[this.#depth] ?? 0) + 1
  }

  /** Whether the preceding text was a name. */
  #colon(): void {
    this.#isInScalar = false
    this.values--
    if (this.#textEndAt - this.#textAt > this.#bounds.nameBytesMax) throw this.#exceeded('nameBytesMax')
    const members = (this.#members[this.#depth] ?? 0) + 1
    if (members > this.#bounds.membersMax) throw this.#exceeded('membersMax')
    this.#members[this.#depth] = members
  }

  #scalar(byte: number): void {
    if (!this.#isInScalar) {
      this.#isInScalar = true
      this.#scalarAt = this.#at - 1
      this.#digits = 0
      this.values++
    }
    if (byte >= ZERO && byte <= NINE) {
      if (++this.#digits > this.#bounds.digitsMax) throw this.#exceeded('digitsMax')
    } else if (this.#mayBeLarge(byte)) this.#checkNumber()
  }

  /** Whether a number may be too large, at its point or exponent. */
  #mayBeLarge(byte: number): boolean {
    if (byte !== POINT && byte !== SMALL_E && byte !== LARGE_E) return false
    return this.#digits > DOUBLE_DIGITS_MAX || (byte !== POINT && this.#bytes[this.#at] !== MINUS && this.#digits > 0)
  }

  #checkNumber(): void {
    let end = this.#at
    // What is longer has too many digits, and would take long to parse.
    const endMax = this.#scalarAt + this.#bounds.digitsMax + NUMBER_SIGNS_MAX
    while (end < endMax && isOfNumber(this.#bytes[end])) end++
    const number = Number(Buffer.from(this.#bytes.subarray(this.#scalarAt, end)).toString())
    if (Math.abs(number) > this.#bounds.numberMax) throw this.#exceeded('numberMax')
  }

  #exceeded(bound: Bound): JsonBoundError {
    const path = Array.from({ length: Math.min(this.#depth, PATH_LENGTH_MAX) }, (_, index) => this.#stepAt(index + 1))
    return new JsonBoundError(bound, this.#bounds[bound], bound === 'valuesMax' ? [] : path)
  }

  #stepAt(depth: number): string | number {
    if (!this.#isObject[depth]) return this.#commas[depth] ?? 0
    const name = this.#bytes.subarray((this.#textStart[depth] ?? 0) + 1, (this.#textEnd[depth] ?? 1) - 1)
    return Buffer.from(name.subarray(0, PATH_NAME_BYTES_MAX)).toString()
  }
}

/** Maximum length of a name in a path. */
const PATH_NAME_BYTES_MAX = 100
