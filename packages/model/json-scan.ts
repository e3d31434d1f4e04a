import { nextTurn } from './next-turn.ts'

/** What a JSON text may come to, told before anything is made of it. */
export interface JsonBounds {
  /** Objects and lists inside each other. */
  depthMax: number
  /** Objects, lists, texts, numbers and words in all; names of members do not count. */
  valuesMax: number
  /** Members of one object: a table of names is made anew each time it has doubled, and read with every name in it. */
  membersMax: number
  /** Digits of one number: to read a number takes time that grows with their square. */
  digitsMax: number
}

/** A text goes beyond one of its {@link JsonBounds}. */
export class JsonBoundError extends Error {
  readonly bound: keyof JsonBounds
  /** The members and positions that lead to the place, the first few of them. */
  readonly path: (string | number)[]

  constructor(bound: keyof JsonBounds, max: number, path: (string | number)[]) {
    super(`JSON ${WORDS[bound](max)}`)
    this.name = 'JsonBoundError'
    this.bound = bound
    this.path = path
  }
}

const WORDS: Record<keyof JsonBounds, (max: number) => string> = {
  depthMax: max => `should be nested at most ${max} levels deep`,
  valuesMax: max => `should have at most ${max} values`,
  membersMax: max => `should have objects of at most ${max} members`,
  digitsMax: max => `should have numbers of at most ${max} digits`,
}

/** What is looked at before others have their turn. */
const SLICE_BYTES = 64 * 1024

/**
 * Looks over a JSON text in UTF-8 without reading it, and resolves to how many values it has. Rejects with a
 * {@link JsonBoundError} at the first bound it goes beyond. The text need not be JSON: whatever passes is for a parser to
 * judge. Takes 2 ns a byte, and lets others have their turn.
 */
export async function scanJson(bytes: Uint8Array, bounds: JsonBounds): Promise<number> {
  const scan = new JsonScan(bytes, bounds)
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    scan.advance(Math.min(from + SLICE_BYTES, bytes.length))
    if (bytes.length > SLICE_BYTES) await nextTurn()
  }
  return scan.values
}

/** As {@link scanJson}, for short texts. Throws. */
export function scanShortJson(text: string, bounds: JsonBounds): number {
  const bytes = Buffer.from(text)
  const scan = new JsonScan(bytes, bounds)
  scan.advance(bytes.length)
  return scan.values
}

/** Levels whose names are remembered, to tell where a bound is exceeded. */
const PATH_LENGTH_MAX = 4

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39

class JsonScan {
  values = 0
  readonly #bytes: Uint8Array
  readonly #bounds: JsonBounds
  #at = 0
  #depth = 0
  #isInText = false
  /** Of the number or word that is being looked at, which may go on in the next slice. */
  #isInScalar = false
  #digits = 0
  /** By level: whether it is an object, its last text (when it holds an object or list, the name of that), its commas. */
  readonly #isObject = [false]
  readonly #textStart = [0]
  readonly #textEnd = [0]
  readonly #commas = [0]
  /** Names so far, by level. */
  readonly #members = [0]

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
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

  /** The text before it was a name. */
  #colon(): void {
    this.#isInScalar = false
    this.values--
    const members = (this.#members[this.#depth] ?? 0) + 1
    if (members > this.#bounds.membersMax) throw this.#exceeded('membersMax')
    this.#members[this.#depth] = members
  }

  #scalar(byte: number): void {
    if (!this.#isInScalar) {
      this.#isInScalar = true
      this.#digits = 0
      this.values++
    }
    if (byte >= ZERO && byte <= NINE && ++this.#digits > this.#bounds.digitsMax) throw this.#exceeded('digitsMax')
  }

  #exceeded(bound: keyof JsonBounds): JsonBoundError {
    const path = Array.from({ length: Math.min(this.#depth, PATH_LENGTH_MAX) }, (_, index) => this.#stepAt(index + 1))
    return new JsonBoundError(bound, this.#bounds[bound], bound === 'valuesMax' ? [] : path)
  }

  #stepAt(depth: number): string | number {
    if (!this.#isObject[depth]) return this.#commas[depth] ?? 0
    const name = this.#bytes.subarray((this.#textStart[depth] ?? 0) + 1, (this.#textEnd[depth] ?? 1) - 1)
    return Buffer.from(name.subarray(0, NAME_BYTES_MAX)).toString()
  }
}

/** Of a name in a path. */
const NAME_BYTES_MAX = 100
