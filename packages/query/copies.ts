import type { Json, JsonObject } from '@spanhouse/model'
import {
  engineJson,
  type JsonParts,
  jsonPieces,
  longestText,
  putJsonParts,
  SHORT_TEXT_MAX,
} from './compile/engine-json.ts'
import { sql } from './sql.ts'

/*
 * What a convention recognises is sent as an attribute of the vendor and becomes a part of `ag.data`: the same texts
 * twice. The attributes are therefore stored without the texts that they repeat from the data. Each of these leaves a
 * hole, and `copies` lists what belongs into the holes.
 *
 * Both are JSON texts, and a piece is what is between two quotes of one, without the backslashes at its end: a string,
 * or a part of one that contains quotes. A hole replaces a piece inside a string that is no key, so the attributes
 * with holes are valid JSON with the same members. The restored text is the original one, byte for byte: what differs
 * by as much as a space remains in the attributes.
 *
 * A copy is a number: twice the number of the piece in the data (from 0), plus one if its backslashes are doubled, as
 * they are if the attribute is itself a JSON text.
 */

/** Stands in the attributes for a piece: DEL, which JSON does not escape. Attributes that contain it have no holes. */
const HOLE = '\x7f'

/** Bytes. Shorter pieces are not replaced, so the attributes answer comparisons with shorter texts as they are stored. */
export const COPY_LENGTH_MIN = 32

/** Copies of one span; further texts remain in the attributes. */
const COPIES_MAX = 16_000

/** Members of the attributes that no instrumentation sent: they have no holes. */
export const ENVELOPE: ReadonlySet<string> = new Set(['ag', 'resource', 'scope', 'otlp'])

export interface Folded {
  /** JSON text with holes. */
  readonly attributes: string
  /** In the order of the holes. */
  readonly copies: readonly number[]
}

/**
 * How long the texts are that an instrumentation sent: those of one with a `long` one are folded by {@link foldLongTexts}, others by
 * {@link foldCopies}, unless all are too `short` to be copied.
 */
export function sentTexts(attributes: JsonObject): 'short' | 'medium' | 'long' {
  let longest = 0
  for (const key in attributes)
    if (!ENVELOPE.has(key)) longest = Math.max(longest, longestText(attributes[key] as Json))
  if (longest > SHORT_TEXT_MAX) return 'long'
  return longest < COPY_LENGTH_MIN ? 'short' : 'medium'
}

/** The attributes without the texts that the data contains; undefined if there are none. Texts may be bytes as Latin-1. */
export function foldCopies(attributes: string, data: string): Folded | undefined {
  if (data.length < COPY_LENGTH_MIN || attributes.includes(HOLE)) return undefined
  const pieces = new Pieces(data)
  const copies: number[] = []
  const folded = pieces.isEmpty ? undefined : new Folding(attributes, pieces, copies).fold()
  return folded === undefined ? undefined : { attributes: folded, copies }
}

/**
 * {@link foldCopies} of attributes that are not written as JSON yet: their long texts are folded before, since writing them is most of
 * the work. There may be no copies. `data` is bytes as Latin-1, and so is the result. Undefined if the attributes contain what stands
 * for a piece.
 */
export function foldLongTexts(attributes: JsonObject, data: string): Folded | undefined {
  return new LongFolding(new Pieces(data)).fold(attributes)
}

/** The attributes as they were before {@link foldCopies}. */
export function restoreCopies({ attributes, data, copies }: Folded & { readonly data: string }): string {
  if (copies.length === 0) return attributes
  const pieces = data.split('"')
  const between = attributes.split(HOLE)
  const texts = copies.map((copy, at) => {
    const piece = withoutEnd(pieces[copy >> 1] as string)
    return (copy % 2 === 1 ? doubled(piece) : piece) + (between[at + 1] as string)
  })
  return (between[0] as string) + texts.join('')
}

/** The same in the engine: a column that it computes (clickhouse/, 005). */
export const SENT_ATTRIBUTES = sql`sent_attributes`

/** Whether the attributes as stored may lack a text, or have a hole instead of what could be one. */
export const mayBeCopy = (text: string): boolean =>
  Buffer.byteLength(JSON.stringify(text)) - 2 >= COPY_LENGTH_MIN || text.includes(HOLE)

const halved = (piece: string): string => piece.replaceAll('\\\\', '\\')
const doubled = (piece: string): string => piece.replaceAll('\\', '\\\\')
const withoutEnd = (piece: string): string => piece.slice(0, endOf(piece, 0, piece.length))

/** Where a piece ends without the backslashes at its end. An odd number of them escapes the quote after it. */
function endOf(json: string, from: number, quote: number): number {
  let end = quote
  while (end > from && json[end - 1] === '\\') end--
  return end
}

/** The position of the next quote; the end of the text if there is none. */
function quoteAfter(json: string, from: number): number {
  const at = json.indexOf('"', from)
  return at < 0 ? json.length : at
}

/** Comparisons with numbers also hold for texts, and are answered by the attributes as they are stored. */
const NUMBER = /^[-+.\deE]*$/

/** The pieces of the data that can be copied. */
class Pieces {
  readonly #data: string
  /** By {@link keyOf}: hashing whole texts takes longer than comparing them. */
  readonly #byKey = new Map<number, { number: number; from: number }>()

  constructor(data: string) {
    this.#data = data
    let isInside = false
    for (let number = 0, from = 0; from < data.length; number++) {
      const quote = quoteAfter(data, from)
      const end = endOf(data, from, quote)
      if (isInside && end - from >= COPY_LENGTH_MIN) this.#add(number, data.slice(from, end), from)
      if (!isInside || (quote - end) % 2 === 0) isInside = !isInside
      from = quote + 1
    }
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** The number of the piece with this text. Of two with the same key only the later one is found. */
  numberOf(text: string): number | undefined {
    const found = this.#byKey.get(keyOf(text.length, text, text))
    return found && this.#textOf(found, text.length) === text ? found.number : undefined
  }

  /** The number of the piece that has this text when its backslashes are doubled. */
  numberOfDoubled(text: string): number | undefined {
    const backslashes = countOf('\\', text)
    if (backslashes === 0 || backslashes % 2 === 1) return undefined
    const length = text.length - backslashes / 2
    const found = this.#byKey.get(keyOf(length, halved(text.slice(0, 2 * KEY_LENGTH)), halved(endingOf(text))))
    return found && doubled(this.#textOf(found, length)) === text ? found.number : undefined
  }

  #textOf({ from }: { from: number }, length: number): string {
    return this.#data.slice(from, from + length)
  }

  #add(number: number, text: string, from: number): void {
    if (!NUMBER.test(text)) this.#byKey.set(keyOf(text.length, text, text), { number, from })
  }
}

/** Characters at each end of a piece that its key is of. Pieces are at least twice as long. */
const KEY_LENGTH = COPY_LENGTH_MIN / 2

/** A hash of the length of a text and of its ends. */
function keyOf(length: number, start: string, end: string): number {
  let hash = length
  const offset = end.length - KEY_LENGTH
  for (let at = 0; at < KEY_LENGTH; at++)
    hash = Math.imul(Math.imul(hash, 31) + start.charCodeAt(at), 31) + end.charCodeAt(offset + at)
  return hash | 0
}

/** Enough of a text with doubled backslashes for the end of its key; no run of backslashes is cut. */
function endingOf(text: string): string {
  let from = Math.max(0, text.length - 2 * KEY_LENGTH)
  while (from > 0 && text[from - 1] === '\\') from--
  return text.slice(from)
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++
  return count
}

/** Walks through the strings of a JSON text, and adds to the copies. */
class Folding {
  readonly #json: string
  readonly #pieces: Pieces
  readonly #copies: number[]
  /** The text with holes, of everything before `#done`. */
  #written = ''
  #done = 0
  #depth = 0
  #isEnvelope = false

  constructor(json: string, pieces: Pieces, copies: number[]) {
    this.#json = json
    this.#pieces = pieces
    this.#copies = copies
  }

  /** The text with holes; undefined if there are none. */
  fold(): string | undefined {
    const json = this.#json
    for (let from = 0, open = quoteAfter(json, 0); open < json.length; open = quoteAfter(json, from)) {
      this.#depth += depthOf(json, from, open)
      const close = this.#closeOf(open + 1)
      if (json[close + 1] === ':') this.#enter(json.slice(open + 1, close))
      else if (!this.#isEnvelope) this.#foldString(open + 1, close)
      from = close + 1
    }
    return this.#done === 0 ? undefined : this.#written + json.slice(this.#done)
  }

  /** The quote that ends a string. */
  #closeOf(from: number): number {
    let quote = quoteAfter(this.#json, from)
    while ((quote - endOf(this.#json, from, quote)) % 2 === 1) quote = quoteAfter(this.#json, quote + 1)
    return quote
  }

  #enter(key: string): void {
    if (this.#depth === 1) this.#isEnvelope = ENVELOPE.has(key)
  }

  #foldString(start: number, close: number): void {
    for (let from = start; close - from >= COPY_LENGTH_MIN; ) {
      const quote = quoteAfter(this.#json, from)
      const end = endOf(this.#json, from, quote)
      if (end - from >= COPY_LENGTH_MIN && this.#copies.length < COPIES_MAX) this.#foldPiece(from, end)
      from = quote + 1
    }
  }

  #foldPiece(from: number, end: number): void {
    const copy = this.#copyOf(this.#json.slice(from, end))
    if (copy === undefined) return
    this.#copies.push(copy)
    this.#written += this.#json.slice(this.#done, from) + HOLE
    this.#done = end
  }

  #copyOf(text: string): number | undefined {
    const number = this.#pieces.numberOf(text)
    if (number !== undefined) return number * 2
    const nested = this.#pieces.numberOfDoubled(text)
    return nested === undefined ? undefined : nested * 2 + 1
  }
}

/** Writes attributes as JSON, and folds long texts before. */
class LongFolding implements JsonParts {
  readonly #pieces: Pieces
  readonly #copies: number[] = []
  /** The JSON text in parts, bytes as Latin-1. */
  readonly #written: string[] = []
  #hasHole = false

  constructor(pieces: Pieces) {
    this.#pieces = pieces
  }

  fold(attributes: JsonObject): Folded | undefined {
    let before = '{'
    for (const [key, value] of Object.entries(attributes)) {
      this.put(`${before}${engineJson(key)}:`)
      if (ENVELOPE.has(key)) this.put(engineJson(value))
      else putJsonParts(value, this)
      before = ','
    }
    this.put('}')
    return this.#hasHole ? undefined : { attributes: this.#written.join(''), copies: this.#copies }
  }

  put(text: string): void {
    this.#hasHole ||= text.includes(HOLE)
    this.#written.push(bytesOf(text))
  }

  putShort(json: string): void {
    this.#hasHole ||= json.includes(HOLE)
    // In a list nothing is a member that no instrumentation sent.
    const list = `[${bytesOf(json)}]`
    this.#written.push((new Folding(list, this.#pieces, this.#copies).fold() ?? list).slice(1, -1))
  }

  putLong(text: string): void {
    this.#hasHole ||= text.includes(HOLE)
    this.#foldText(bytesOf(text))
  }

  /** A quote in the text is one in its JSON text, too: what is between two of them is a piece there. */
  #foldText(text: string): void {
    let done = 0
    this.#written.push('"')
    for (let from = 0; from < text.length && this.#copies.length < COPIES_MAX; ) {
      const quote = quoteAfter(text, from)
      const end = endOf(text, from, quote)
      const copy = end - from < COPY_LENGTH_MIN / ESCAPE_LENGTH_MAX ? undefined : this.#copyOf(text.slice(from, end))
      if (copy !== undefined) {
        this.#putText(text.slice(done, from))
        this.#written.push(HOLE)
        this.#copies.push(copy)
        done = end
      }
      from = quote + 1
    }
    this.#putText(text.slice(done))
    this.#written.push('"')
  }

  #copyOf(text: string): number | undefined {
    // In a JSON text: the backslashes of its own escapes are doubled in its JSON text, and nothing else is escaped.
    const nested = this.#numberOf(text)
    if (nested !== undefined) return text.includes('\\') ? nested * 2 + 1 : nested * 2
    const number = this.#numberOf([...jsonPieces(text)].join(''))
    return number === undefined ? undefined : number * 2
  }

  #numberOf(text: string): number | undefined {
    return text.length < COPY_LENGTH_MIN ? undefined : this.#pieces.numberOf(text)
  }

  #putText(text: string): void {
    for (const piece of jsonPieces(text)) this.#written.push(piece)
  }
}

/** Of what JSON writes for one character. */
const ESCAPE_LENGTH_MAX = '\\u0000'.length

/** The UTF-8 of a text, one character per byte. */
const bytesOf = (text: string): string =>
  Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')

/** By how much the nesting grows between two strings. */
function depthOf(json: string, from: number, to: number): number {
  let depth = 0
  for (let at = from; at < to; at++) {
    const character = json[at]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
  }
  return depth
}
