import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
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

/**
 * Stands in the attributes for a piece: DEL, which JSON does not escape. Attributes that contain it elsewhere than in a
 * piece have no holes.
 */
const HOLE = '\x7f'

/**
 * Characters. Shorter pieces are not replaced, so the attributes answer comparisons with shorter texts as they are
 * stored.
 */
export const COPY_LENGTH_MIN = 32

/** Copies of one span; further texts remain in the attributes. */
const COPIES_MAX = 16_000

/** Members of the attributes that no instrumentation sent: they have no holes. */
export const ENVELOPE: ReadonlySet<string> = new Set(['ag', 'resource', 'scope', 'otlp'])

export interface Folded {
  /** With holes in its texts. */
  readonly attributes: JsonObject
  /** In the order of the holes. */
  readonly copies: readonly number[]
}

/**
 * The attributes without the texts that the data contains, which is given as JSON text. Undefined if there are none.
 * The attributes are not changed. Whether they contain what stands for a piece is left to {@link hasOtherHoles}.
 */
export function foldCopies(attributes: JsonObject, data: string): Folded | undefined {
  if (data.length < COPY_LENGTH_MIN) return undefined
  const folding = new Folding(data)
  let folded = attributes
  for (const key in attributes) {
    if (ENVELOPE.has(key)) continue
    const value = attributes[key] as Json
    const rest = folding.fold(value)
    if (rest === value) continue
    if (folded === attributes) folded = { ...attributes }
    folded[key] = rest
  }
  return folded === attributes ? undefined : { attributes: folded, copies: folding.copies }
}

/** Whether the JSON text of folded attributes has more holes than copies. They cannot be folded then. */
export function hasOtherHoles(json: string, copies: readonly number[]): boolean {
  return countOf(HOLE, json) !== copies.length
}

/** What is stored of a span, as far as it concerns copies: JSON texts, which may be bytes as Latin-1. */
export interface StoredCopies {
  readonly attributes: string
  readonly data: string
  readonly copies: readonly number[]
}

/** The JSON text of the attributes as they were before {@link foldCopies}. */
export function restoreCopies({ attributes, data, copies }: StoredCopies): string {
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
    const found = this.#byKey.get(keyOf(text))
    return found && this.#textOf(found, text.length) === text ? found.number : undefined
  }

  #textOf({ from }: { from: number }, length: number): string {
    return this.#data.slice(from, from + length)
  }

  #add(number: number, text: string, from: number): void {
    if (!NUMBER.test(text)) this.#byKey.set(keyOf(text), { number, from })
  }
}

/** Characters at each end of a piece that its key is of. Pieces are at least twice as long. */
const KEY_LENGTH = COPY_LENGTH_MIN / 2

/** A hash of the length of a text and of its ends. */
function keyOf(text: string): number {
  let hash = text.length
  const offset = text.length - KEY_LENGTH
  for (let at = 0; at < KEY_LENGTH; at++)
    hash = Math.imul(Math.imul(hash, 31) + text.charCodeAt(at), 31) + text.charCodeAt(offset + at)
  return hash | 0
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++
  return count
}

/** Replaces pieces in the texts of values by holes, and adds to the copies. */
class Folding {
  readonly copies: number[] = []
  readonly #data: string
  #pieces: Pieces | undefined

  constructor(data: string) {
    this.#data = data
  }

  /** The value itself if it has no piece; never changed. */
  fold(value: Json): Json {
    if (typeof value === 'string') return value.length < COPY_LENGTH_MIN ? value : this.#foldText(value)
    if (Array.isArray(value)) return this.#foldList(value)
    return isJsonObject(value) ? this.#foldObject(value) : value
  }

  #foldList(list: Json[]): Json[] {
    let folded = list
    for (let at = 0; at < list.length; at++) {
      const rest = this.fold(list[at] as Json)
      if (rest === list[at]) continue
      if (folded === list) folded = [...list]
      folded[at] = rest
    }
    return folded
  }

  #foldObject(object: JsonObject): JsonObject {
    let folded = object
    for (const key in object) {
      const rest = this.fold(object[key] as Json)
      if (rest === object[key]) continue
      if (folded === object) folded = { ...object }
      // The copy has all of these keys as its own, `__proto__` included.
      folded[key] = rest
    }
    return folded
  }

  /** A quote in the text is one in its JSON text, too: what is between two of them is a piece there. */
  #foldText(text: string): string {
    this.#pieces ??= new Pieces(this.#data)
    if (this.#pieces.isEmpty) return text
    let written = ''
    let done = 0
    for (let from = 0; text.length - from >= COPY_LENGTH_MIN && this.copies.length < COPIES_MAX; ) {
      const quote = quoteAfter(text, from)
      const end = endOf(text, from, quote)
      const copy = end - from < COPY_LENGTH_MIN ? undefined : copyOf(text.slice(from, end), this.#pieces)
      if (copy !== undefined) {
        this.copies.push(copy)
        written += text.slice(done, from) + HOLE
        done = end
      }
      from = quote + 1
    }
    return done === 0 ? text : written + text.slice(done)
  }
}

function copyOf(text: string, pieces: Pieces): number | undefined {
  // As it is. If it is part of a JSON text, the backslashes of its escapes are doubled in the JSON text of that.
  const same = pieces.numberOf(text)
  if (same !== undefined) return text.includes('\\') ? same * 2 + 1 : same * 2
  const escaped = JSON.stringify(text).slice(1, -1)
  const number = escaped.length === text.length ? undefined : pieces.numberOf(escaped)
  return number === undefined ? undefined : number * 2
}
