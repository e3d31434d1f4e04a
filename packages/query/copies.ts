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

/** Stands in the attributes for a piece: DEL, which JSON does not escape. Attributes that contain it have no holes. */
const HOLE = '\x7f'

/** Bytes. Shorter pieces are not replaced, so the attributes answer comparisons with shorter texts as they are stored. */
export const COPY_LENGTH_MIN = 32

/** Copies of one span; further texts remain in the attributes. */
export const COPIES_MAX = 16_000

/** Members of the attributes that no instrumentation sent: they have no holes. */
export const ENVELOPE: ReadonlySet<string> = new Set(['ag', 'resource', 'scope', 'otlp'])

export interface Folded {
  /** JSON text with holes. */
  readonly attributes: string
  /** In the order of the holes. */
  readonly copies: readonly number[]
}

/** Whether an instrumentation sent a text that is long enough to be copied. */
export function mayRepeatData(attributes: JsonObject): boolean {
  for (const key in attributes) if (!ENVELOPE.has(key) && hasLongText(attributes[key] as Json)) return true
  return false
}

function hasLongText(value: Json): boolean {
  if (typeof value === 'string') return value.length >= COPY_LENGTH_MIN
  if (Array.isArray(value)) return value.some(hasLongText)
  if (!isJsonObject(value)) return false
  for (const key in value) if (hasLongText(value[key] as Json)) return true
  return false
}

/** The attributes without the texts that the data contains; undefined if there are none. Texts may be bytes as Latin-1. */
export function foldCopies(attributes: string, data: string): Folded | undefined {
  if (data.length < COPY_LENGTH_MIN || attributes.includes(HOLE)) return undefined
  const numbers = piecesOf(data)
  return numbers.size === 0 ? undefined : new Folding(numbers).fold(attributes.split('"'))
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

const doubled = (piece: string): string => piece.replaceAll('\\', '\\\\')
const withoutEnd = (piece: string): string => piece.slice(0, piece.length - backslashesAtEnd(piece))
/** Whether the quote after a piece of a string belongs to the string. */
const isEscaped = (piece: string): boolean => backslashesAtEnd(piece) % 2 === 1

function backslashesAtEnd(piece: string): number {
  let count = 0
  while (count < piece.length && piece[piece.length - 1 - count] === '\\') count++
  return count
}

/** Comparisons with numbers also hold for texts, and are answered by the attributes as they are stored. */
const NUMBER = /^[-+.\deE]*$/

/** The numbers of the pieces that can be copied. */
function piecesOf(data: string): Map<string, number> {
  const numbers = new Map<string, number>()
  let isInside = false
  for (const [number, piece] of data.split('"').entries()) {
    if (isInside && piece.length >= COPY_LENGTH_MIN) {
      const kept = withoutEnd(piece)
      if (kept.length >= COPY_LENGTH_MIN && !NUMBER.test(kept)) numbers.set(kept, number)
    }
    if (!isInside || !isEscaped(piece)) isInside = !isInside
  }
  return numbers
}

/** Walks through a JSON text, piece by piece. */
class Folding {
  readonly #numbers: ReadonlyMap<string, number>
  readonly #copies: number[] = []
  #depth = 0
  #isEnvelope = false

  constructor(numbers: ReadonlyMap<string, number>) {
    this.#numbers = numbers
  }

  fold(pieces: string[]): Folded | undefined {
    for (let from = 1; from < pieces.length; ) {
      this.#depth += depthOf(pieces[from - 1] as string)
      let end = from
      while (isEscaped(pieces[end] as string)) end++
      if (pieces[end + 1]?.startsWith(':')) this.#enter(pieces.slice(from, end + 1).join('"'))
      else if (!this.#isEnvelope) for (let at = from; at <= end; at++) pieces[at] = this.#folded(pieces[at] as string)
      from = end + 2
    }
    return this.#copies.length === 0 ? undefined : { attributes: pieces.join('"'), copies: this.#copies }
  }

  #enter(key: string): void {
    if (this.#depth === 1) this.#isEnvelope = ENVELOPE.has(key)
  }

  #folded(piece: string): string {
    if (piece.length < COPY_LENGTH_MIN || this.#copies.length >= COPIES_MAX) return piece
    const text = withoutEnd(piece)
    const copy = this.#copyOf(text)
    if (copy === undefined) return piece
    this.#copies.push(copy)
    return HOLE + piece.slice(text.length)
  }

  #copyOf(text: string): number | undefined {
    const number = this.#numbers.get(text)
    if (number !== undefined) return number * 2
    if (!text.includes('\\')) return undefined
    const halved = text.replaceAll('\\\\', '\\')
    const nested = this.#numbers.get(halved)
    return nested !== undefined && doubled(halved) === text ? nested * 2 + 1 : undefined
  }
}

/** By how much the nesting grows between two strings. */
function depthOf(between: string): number {
  let depth = 0
  for (let at = 0; at < between.length; at++) {
    const character = between[at]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
  }
  return depth
}
