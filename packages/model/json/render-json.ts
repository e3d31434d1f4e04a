import { nextTurn } from '../next-turn.ts'
import { isRawJson, JsonText } from './json.ts'

/** Length of text made before it is passed on; nothing larger than about twice this is made at once. */
const PIECE_LENGTH = 64 * 1024

/** What `JSON.stringify` may render at once: text, plus this much for each value. */
const SMALL = { cost: 32 * 1024, costOfValue: 8, depth: 64 }

/** A list whose items are created when they are rendered. It can be rendered once. */
export class JsonList {
  readonly items: Iterable<unknown> | AsyncIterable<unknown>

  constructor(items: Iterable<unknown> | AsyncIterable<unknown>) {
    this.items = items
  }
}

/** An object whose members are rendered in this order, whatever their names, and created when they are rendered. */
export class JsonMembers {
  readonly members: Iterable<readonly [name: string, value: unknown]>

  constructor(members: Iterable<readonly [name: string, value: unknown]>) {
    this.members = members
  }
}

/** Text, or a value whose text must be made before what follows. */
type Piece = string | { readonly value: unknown }
type Pieces = Iterator<Piece> | AsyncIterator<Piece>

/**
 * Whether `JSON.stringify` renders a value in negligible time, also when it is rendered so many times. Looks at a
 * bounded part of it.
 */
export const isSmall = (value: unknown, times = 1): boolean => costLeft(value, SMALL.cost / times, SMALL.depth) >= 0

/**
 * The text that `JSON.stringify` makes of a value, in pieces of about 64 KiB of UTF-8, yielding to other work between
 * them. Depth and size are unlimited. The value may contain {@link JsonText}, {@link JsonList} and {@link JsonMembers},
 * but no cycle. Throws what `JSON.stringify` and the lists throw. A value that is not JSON (undefined) has no pieces.
 */
export async function* renderJson(value: unknown): AsyncGenerator<Buffer, void, void> {
  for await (const text of renderText(value)) yield Buffer.from(text)
}

/** Like {@link renderJson}, as texts. No piece ends within an escape written by this renderer. */
export async function* renderText(value: unknown): AsyncGenerator<string, void, void> {
  const whole = plain(value, '')
  if (!isJson(whole)) return
  const open: Pieces[] = [piecesOf(whole)]
  let text = ''
  try {
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const step = last.next()
      const { value: piece, done } = step instanceof Promise ? await step : step
      if (done) open.pop()
      else if (typeof piece === 'string') text += piece
      else open.push(piecesOf(piece.value))
      if (text.length >= PIECE_LENGTH) {
        yield text
        text = ''
      }
      const turn = nextTurn()
      if (turn) await turn
    }
    if (text !== '') yield text
  } finally {
    // If the reader has stopped, or a part has failed: lists may hold resources.
    for (const pieces of open) await pieces.return?.()
  }
}

/** Negative if the value is not small. Lazy parts and values with a `toJSON` method are not small. */
function costLeft(value: unknown, left: number, depth: number): number {
  if (typeof value === 'string') return left - SMALL.costOfValue - value.length
  if (typeof value !== 'object' || value === null) return left - SMALL.costOfValue
  if (isRawJson(value)) return left - SMALL.costOfValue - value.rawJSON.length
  if (depth === 0 || 'toJSON' in value || isLazy(value)) return -1
  let rest = left - SMALL.costOfValue
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at++) rest = costLeft(value[at], rest, depth - 1)
    return rest
  }
  for (const name in value) {
    rest = costLeft((value as Record<string, unknown>)[name], rest - name.length, depth - 1)
    if (rest < 0) return rest
  }
  return rest
}

const isLazy = (value: object): boolean =>
  value instanceof JsonText || value instanceof JsonList || value instanceof JsonMembers

/** The value that replaces another in JSON. */
function plain(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return toJSON.call(value, name)
  return value instanceof String || value instanceof Number || value instanceof Boolean ? value.valueOf() : value
}

const isJson = (value: unknown): boolean => !['undefined', 'function', 'symbol'].includes(typeof value)

function piecesOf(value: unknown): Pieces {
  if (typeof value === 'string' && value.length > SMALL.cost) return stringPieces(value)
  if (isSmall(value)) return [JSON.stringify(value)].values()
  if (value instanceof JsonText) return slices(value.text)
  if (isRawJson(value)) return slices(value.rawJSON)
  if (value instanceof JsonList) return listPieces(value.items)
  if (value instanceof JsonMembers) return memberPieces(value.members)
  return Array.isArray(value) ? itemPieces(value) : memberPieces(membersOf(value as Record<string, unknown>))
}

function* membersOf(object: Record<string, unknown>): Generator<[string, unknown]> {
  for (const name of Object.keys(object)) yield [name, object[name]]
}

function* memberPieces(members: Iterable<readonly [string, unknown]>): Generator<Piece> {
  let separator = '{'
  for (const [name, member] of members) {
    const value = plain(member, name)
    if (!isJson(value)) continue
    yield separator
    if (name.length > SMALL.cost) yield { value: name }
    else yield JSON.stringify(name)
    yield ':'
    yield { value }
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

const itemPiece = (item: unknown, at: number): Piece => {
  const value = plain(item, String(at))
  return isJson(value) ? { value } : 'null'
}

function* itemPieces(items: Iterable<unknown>): Generator<Piece> {
  let count = 0
  for (const item of items) {
    yield count === 0 ? '[' : ','
    yield itemPiece(item, count++)
  }
  yield count === 0 ? '[]' : ']'
}

const listPieces = (items: JsonList['items']): Pieces =>
  Symbol.asyncIterator in items ? comingPieces(items) : itemPieces(items)

async function* comingPieces(items: AsyncIterable<unknown>): AsyncGenerator<Piece> {
  let count = 0
  for await (const item of items) {
    yield count === 0 ? '[' : ','
    yield itemPiece(item, count++)
  }
  yield count === 0 ? '[]' : ']'
}

function* stringPieces(text: string): Generator<string> {
  yield '"'
  for (const slice of slices(text)) yield JSON.stringify(slice).slice(1, -1)
  yield '"'
}

/** Parts of a text, none of which splits a surrogate pair. */
function* slices(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + PIECE_LENGTH
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last <= 0xdbff) to++
    yield text.slice(from, to)
    from = to
  }
}
