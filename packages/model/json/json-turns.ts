import { nextTurn } from '../next-turn.ts'
import { type Json, type JsonObject, parseJson } from './json.ts'
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.ts'
import { addMember } from './json-names.ts'

/**
 * The engine parses a JSON text in one go: 32 MB take half a second, during which no other request is answered. So a
 * long text is parsed in pieces. A walk over the bytes keeps track of the open objects and lists. Whenever one of them
 * has continued for a piece since it was last parsed, its members up to the current comma are parsed by
 * {@link parseJson}, in brackets of their own, and added to an object or list that is built by hand; the same is done
 * first with everything that contains it. A string longer than a piece is assembled from parts, never cut within an
 * escape or a character. Long blanks are left out. Anything not longer than a piece is never split. The walk leaves
 * everything that it does not check itself, such as the syntax of texts and numbers, to the parser; it finds mismatched
 * brackets, missing members, and words that are too long to be valid.
 */

const PIECE_BYTES = 64 * 1024

/**
 * Like `parseJson` of a text in UTF-8, with the same value for every text and a SyntaxError for the same texts; yields
 * to other work after each piece of 64 KiB. The text should have passed `scanJson`: its bounds are not checked here.
 */
export async function parseJsonInTurns(bytes: Buffer, pieceBytes: number = PIECE_BYTES): Promise<Json> {
  if (bytes.length <= 2 * pieceBytes) return parseJson(bytes.toString())
  const parser = new PieceParser(bytes, pieceBytes)
  for (let end = pieceBytes; !parser.isDone; end += pieceBytes) {
    parser.advance(Math.min(end, bytes.length))
    await nextTurn()
  }
  return parser.value()
}

class PieceParser {
  readonly #bytes: Buffer
  readonly #pieceBytes: number
  #at = 0
  /** Of the last bracket, comma, colon, or end of a text. */
  #signAt = -1
  /** Up to where blanks after it have been looked for. */
  #quietUntil = 0
  /** Blanks that are left out: the start and the end of each run of them. */
  readonly #blanks: number[] = []
  #isInText = false
  #textAt = 0
  /** The last backslash in it that starts an escape. */
  #escapeAt = 0
  /** The parsed parts of a text longer than a piece. */
  #long: string | undefined
  /** Where the rest of it starts. */
  #longFrom = 0
  /** The whole value, once it has been built by hand. */
  #root: Json | undefined

  // The open objects and lists by level from 1, as parallel arrays of numbers, since most are closed again soon.
  #depth = 0
  /** The levels that are being built: the outermost ones. */
  #builtDepth = 0
  readonly #openAt: number[] = []
  /** The last comma, or the opening bracket. */
  readonly #commaAt: number[] = []
  /** Where the unparsed part begins. */
  readonly #from: number[] = []
  /** The value parsed so far; undefined if none. */
  readonly #built: (Json[] | JsonObject | undefined)[] = []
  /** The name under which the level above holds the one being built. */
  readonly #name: string[] = []
  /** Whether a member built by hand has just ended, so that a comma or the end must follow. */
  readonly #isAfterBuilt: boolean[] = []

  constructor(bytes: Buffer, pieceBytes: number) {
    this.#bytes = bytes
    this.#pieceBytes = pieceBytes
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  advance(end: number): void {
    const bytes = this.#bytes
    while (this.#at < end) {
      if (this.#isInText) {
        this.#skipText(end)
        continue
      }
      const at = this.#at++
      const byte = bytes[at]
      if (byte === QUOTE) {
        this.#startText(at)
        continue
      } else if (byte === COMMA) this.#comma(at)
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(at)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(at, byte)
      else if (byte !== COLON) continue
      this.#signAt = at
    }
    if (!this.#isInText) this.#leaveOutBlanks()
  }

  /** What is between two signs: at most one word or number, with blanks on both sides, of which one each is kept. */
  #leaveOutBlanks(): void {
    const from = Math.max(this.#signAt + 1, this.#quietUntil)
    if (this.#at - from < this.#pieceBytes) return
    this.#quietUntil = this.#at
    let [begin, end] = [from, this.#at]
    while (begin < end && this.#isBlank(begin)) begin++
    while (end > begin && this.#isBlank(end - 1)) end--
    if (end - begin >= WORD_BYTES_MAX) throw noJson()
    if (begin > from + 1) this.#blanks.push(from + 1, begin)
    if (begin < end && this.#at > end + 1) this.#blanks.push(end + 1, this.#at)
  }

  #isBlank(at: number): boolean {
    return BLANKS.includes(this.#bytes[at] as number)
  }

  /** The value of the whole text, after all of it has been scanned. */
  value(): Json {
    if (this.#root === undefined) return parsed(this.#text(0, this.#bytes.length))
    if (this.#depth > 0 || this.#isInText) throw noJson()
    this.#requireBlank(this.#from[0] as number, this.#bytes.length)
    return this.#root
  }

  #startText(at: number): void {
    this.#isInText = true
    this.#textAt = at
    this.#escapeAt = at
  }

  #skipText(end: number): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < end) {
      const byte = bytes[at]
      if (byte === BACKSLASH) {
        this.#escapeAt = at
        at += 2
      } else if (byte === QUOTE) {
        this.#isInText = false
        if (this.#long !== undefined) this.#endLongText(at)
        this.#signAt = at
        at++
        break
      } else at++
    }
    this.#at = at
    if (this.#isInText && at - this.#textAt > this.#pieceBytes) this.#readPartOfText(at)
  }

  /** Names are parsed with their members, however long. */
  #readPartOfText(at: number): void {
    if (this.#long === undefined) {
      if (this.#isName()) return
      this.#beginBuilt(this.#depth, this.#textAt)
      this.#long = ''
      this.#longFrom = this.#textAt + 1
    }
    // An escape or a character may be incomplete: a part ends before it.
    let end = at - this.#escapeAt < ESCAPE_BYTES ? this.#escapeAt : at
    while (((this.#bytes[end] ?? 0) & 0xc0) === 0x80) end--
    if (end > this.#longFrom) this.#addToLong(end)
  }

  #endLongText(at: number): void {
    this.#addToLong(at)
    this.#endBuilt(this.#depth, at, this.#long as string)
    this.#long = undefined
  }

  #addToLong(end: number): void {
    this.#long += parsed(`"${this.#text(this.#longFrom, end)}"`) as string
    this.#longFrom = end
  }

  /** In an object, anything that does not follow a colon is a name. */
  #isName(): boolean {
    return this.#depth > 0 && this.#isObject(this.#depth) && this.#bytes[this.#signAt] !== COLON
  }

  #open(at: number): void {
    if (this.#isAfterBuilt[this.#depth]) throw noJson()
    const depth = ++this.#depth
    this.#openAt[depth] = at
    this.#commaAt[depth] = at
    this.#from[depth] = at + 1
    this.#built[depth] = undefined
    this.#isAfterBuilt[depth] = false
    // Nested names have no commas between them. Twice the piece, so that lists of objects are still cut at commas.
    if (at - (this.#from[this.#builtDepth] ?? 0) >= 2 * this.#pieceBytes) this.#build(depth)
  }

  #comma(at: number): void {
    const depth = this.#depth
    if (depth === 0) throw noJson()
    if (this.#isAfterBuilt[depth]) {
      this.#requireBlank(this.#from[depth] as number, at)
      this.#isAfterBuilt[depth] = false
      this.#from[depth] = at + 1
    } else if (at - (this.#from[depth] as number) >= this.#pieceBytes) {
      this.#build(depth)
      this.#readMembers(depth, at)
    }
    this.#commaAt[depth] = at
  }

  /** Starts building what is open at a level, and everything that contains it. */
  #build(depth: number): void {
    for (let level = 1; level <= depth; level++) {
      if (this.#built[level] !== undefined) continue
      this.#beginBuilt(level - 1, this.#openAt[level] as number)
      this.#built[level] = this.#isObject(level) ? {} : []
      this.#builtDepth = level
    }
  }

  /** Parses what precedes a member to be built in a level, and its name. */
  #beginBuilt(level: number, at: number): void {
    if (level === 0) {
      if (this.#root !== undefined) throw noJson()
      this.#requireBlank(0, at)
      return
    }
    this.#build(level)
    if (this.#isAfterBuilt[level]) throw noJson()
    const commaAt = this.#commaAt[level] as number
    if (commaAt >= (this.#from[level] as number)) this.#readMembers(level, commaAt)
    // What precedes it is its name, or nothing: parsing it with a placeholder word shows whether it is valid.
    const [name = ''] = Object.keys(this.#parse(level, `${this.#text(commaAt + 1, at)}null`))
    this.#name[level] = name
  }

  /** Adds a built member to a level. */
  #endBuilt(level: number, at: number, value: Json): void {
    this.#from[level] = at + 1
    this.#isAfterBuilt[level] = true
    if (level === 0) this.#root = value
    else addMember(this.#built[level] as Json[] | JsonObject, this.#name[level] as string, value)
  }

  #close(at: number, byte: number): void {
    const depth = this.#depth
    if (depth === 0 || (byte === CLOSE_OBJECT) !== this.#isObject(depth)) throw noJson()
    this.#depth--
    const built = this.#built[depth]
    if (built === undefined) return
    const from = this.#from[depth] as number
    const isEmpty = this.#commaAt[depth] === this.#openAt[depth] && this.#isBlankUpTo(from, at)
    if (this.#isAfterBuilt[depth]) this.#requireBlank(from, at)
    else if (!isEmpty) this.#readMembers(depth, at)
    this.#built[depth] = undefined
    this.#builtDepth = depth - 1
    this.#endBuilt(depth - 1, at, built)
  }

  /** Parses all members of a level before a comma or the end; there must be at least one. */
  #readMembers(level: number, end: number): void {
    const members = this.#parse(level, this.#text(this.#from[level] as number, end))
    const names = Array.isArray(members) ? members : Object.keys(members)
    if (names.length === 0) throw noJson()
    const built = this.#built[level] as Json[] | JsonObject
    if (Array.isArray(members)) for (const item of members) (built as Json[]).push(item)
    else for (const name of names as string[]) addMember(built, name, members[name] as Json)
    this.#from[level] = end + 1
  }

  #parse(level: number, members: string): Json[] | JsonObject {
    return parsed(this.#isObject(level) ? `{${members}}` : `[${members}]`) as Json[] | JsonObject
  }

  #isObject(level: number): boolean {
    return this.#bytes[this.#openAt[level] as number] === OPEN_OBJECT
  }

  /** Without blanks that are left out, which are never at either end. */
  #text(from: number, to: number): string {
    let [text, end] = ['', to]
    for (let at = this.#blanks.length - 2; at >= 0 && (this.#blanks[at] as number) >= from; at -= 2) {
      const begin = this.#blanks[at] as number
      if (begin >= to) continue
      text = this.#bytes.toString('utf8', this.#blanks[at + 1], end) + text
      end = begin
    }
    return this.#bytes.toString('utf8', from, end) + text
  }

  #isBlankUpTo(from: number, to: number): boolean {
    return !/[^ \t\n\r]/.test(this.#text(from, to))
  }

  #requireBlank(from: number, to: number): void {
    if (!this.#isBlankUpTo(from, to)) throw noJson()
  }
}

/** The longest escape: a `u` and four digits after the backslash. */
const ESCAPE_BYTES = 6

/** A number has fewer digits after `scanJson`. */
const WORD_BYTES_MAX = 64 * 1024

const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw cause instanceof SyntaxError ? noJson(cause) : cause
  }
}

const noJson = (cause?: Error): SyntaxError => new SyntaxError('The text is not valid JSON', { cause })
