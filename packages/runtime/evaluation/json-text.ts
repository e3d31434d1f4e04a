import { isJsonObject, isRawJson, type Json, type JsonObject } from '@spanhouse/model'
import { RunError } from '../run-error.ts'
import { Steps } from './steps.ts'

/** Of the longest text; a request's documents are shorter. */
const LENGTH_MAX = 64 * 1024 * 1024

/** A finished part of the text, or a value that has yet to be written. */
type Piece = { text: string } | { value: Json }

/**
 * The JSON text of a value that evaluators search and compare, with `, ` and `: ` as separators; names are sorted by
 * code units if `isSorted`. Non-ASCII characters are not escaped. Numbers are written as JavaScript writes them: `1.0`
 * was read as 1 and is written `1`; integers keep all their digits. Yields to other work while it writes large values.
 * Throws a 400 RunError for a text that is too long, as that of a list with the same large object many times.
 */
export async function jsonText(value: Json, isSorted = false): Promise<string> {
  const steps = new Steps()
  const open: Iterator<Piece>[] = [[{ value }].values()]
  let written = ''
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const { value: piece, done } = last.next()
    if (done) open.pop()
    else if ('text' in piece) written += piece.text
    else {
      if (Array.isArray(piece.value)) open.push(itemPieces(piece.value))
      else if (isJsonObject(piece.value)) open.push(memberPieces(piece.value, isSorted))
      else written += scalarText(piece.value)
      if (written.length > LENGTH_MAX) throw tooLong()
      const turn = steps.next()
      if (turn) await turn
    }
  }
  return written
}

const tooLong = (): RunError =>
  new RunError(400, 'v0:schemas:invalid-outputs', `A text to compare is longer than ${LENGTH_MAX} characters.`)

/** The JSON text of a value that is neither an object nor a list. */
const scalarText = (value: Json): string => (isRawJson(value) ? value.rawJSON : JSON.stringify(value))

function* itemPieces(items: readonly Json[]): Generator<Piece> {
  let separator = '['
  for (const value of items) {
    yield { text: separator }
    yield { value }
    separator = ', '
  }
  yield { text: items.length === 0 ? '[]' : ']' }
}

function* memberPieces(object: JsonObject, isSorted: boolean): Generator<Piece> {
  const names = isSorted ? Object.keys(object).sort() : Object.keys(object)
  let separator = '{'
  for (const name of names) {
    yield { text: `${separator}${JSON.stringify(name)}: ` }
    yield { value: object[name] as Json }
    separator = ', '
  }
  yield { text: names.length === 0 ? '{}' : '}' }
}
