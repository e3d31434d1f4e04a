import { type Json, type JsonObject, parseJson } from './json.ts'
import { addMember } from './json-names.ts'
import { nextTurn } from './next-turn.ts'

/**
 * The engine reads a JSON text in one go: 32 MB take it half a second, in which nobody else is answered. So a long text is
 * read in pieces. A walk over the bytes keeps track of the objects and lists that are open. Whenever one of them has
 * gone on for a piece since what was last read of it, its members up to the comma at hand are read by {@link parseJson},
 * in brackets of their own, and added to an object or list that is built by hand; the same is done first with everything
 * it stands in. A text that is longer than a piece is put together from parts, cut where no escape and no character is cut.
 * What is no longer than a piece is never taken apart. Everything that the walk itself does not look at, such
 * as how texts and numbers are written, is left to the parser; brackets that do not match and members that are missing are
 * found by the walk.
 */

const PIECE_BYTES = 64 * 1024

/**
 * As `parseJson` of a text in UTF-8, with the same value for every text, and a SyntaxError for the same; others have their
 * turn after each piece of 64 KiB. The text should have been through `scanJson`: here it is taken as it comes.
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

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_LIST = 0x5d

class PieceParser {
  readonly #bytes: Buffer
  readonly #pieceBytes: number
  #at = 0
  #isInText = false
  #textAt = 0
  /** The last backslash in it that escapes something. */
  #escapeAt = 0
  /** What has been read of a text that is longer than a piece. */
  #long: string | undefined
  /** Where the rest of it begins. */
  #longFrom = 0
  /** Of the whole text, once it has been built by hand. */
  #root: Json | undefined

  // What is open, by level from 1. Plain numbers side by side, since most of it is closed again a moment later.
  #depth = 0
  readonly #openAt: number[] = []
  /** The last comma, or the opening bracket. */
  readonly #commaAt: number[] = []
  /** Where what has not been read yet begins. */
  readonly #from: number[] = []
  /** What has been read; undefined as long as that is nothing. */
  readonly #built: (Json[] | JsonObject | undefined)[] = []
  /** Under which name the level above has the one that is built. */
  readonly #name: string[] = []
  /** Whether a member that was built by hand has just ended, so that a comma or the end must follow. */
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
      if (byte === QUOTE) this.#startText(at)
      else if (byte === COMMA) this.#comma(at)
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(at)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(at, byte)
    }
  }

  /** Of the whole text, when all of it has been walked over. */
  value(): Json {
    if (this.#root === undefined) return parseJson(this.#bytes.toString())
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
        at++
        break
      } else at++
    }
    this.#at = at
    if (this.#isInText && at - this.#textAt > this.#pieceBytes) this.#readPartOfText(at)
  }

  /** Names are left to be read with their members, however long. */
  #readPartOfText(at: number): void {
    if (this.#long === undefined) {
      if (this.#isName(this.#textAt)) return
      this.#beginBuilt(this.#depth, this.#textAt)
      this.#long = ''
      this.#longFrom = this.#textAt + 1
    }
    // An escape may not have ended yet, nor a character: a part ends before them.
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

  /** In an object whatever does not follow a colon is a name. */
  #isName(textAt: number): boolean {
    if (this.#depth === 0 || !this.#isObject(this.#depth)) return false
    let at = textAt - 1
    while (BLANKS.includes(this.#bytes[at] as number)) at--
    return this.#bytes[at] !== COLON
  }

  #open(at: number): void {
    if (this.#isAfterBuilt[this.#depth]) throw noJson()
    const depth = ++this.#depth
    this.#openAt[depth] = at
    this.#commaAt[depth] = at
    this.#from[depth] = at + 1
    this.#built[depth] = undefined
    this.#isAfterBuilt[depth] = false
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

  /** Begins to build what is open at a level, and everything that it stands in. */
  #build(depth: number): void {
    for (let level = 1; level <= depth; level++) {
      if (this.#built[level] !== undefined) continue
      this.#beginBuilt(level - 1, this.#openAt[level] as number)
      this.#built[level] = this.#isObject(level) ? {} : []
    }
  }

  /** Reads what stands in a level before a member that is going to be built, and the name of that. */
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
    // What stands before it is its name, or nothing: whether it is right shows with a word in its place.
    const [name = ''] = Object.keys(this.#parse(level, `${this.#text(commaAt + 1, at)}null`))
    this.#name[level] = name
  }

  /** Adds to a level a member that has been built. */
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
    if (this.#isAfterBuilt[depth]) this.#requireBlank(this.#from[depth] as number, at)
    else this.#readMembers(depth, at)
    this.#built[depth] = undefined
    this.#endBuilt(depth - 1, at, built)
  }

  /** Reads all members of a level that stand before a comma or the end, of which there must be some. */
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

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to)
  }

  #requireBlank(from: number, to: number): void {
    for (let at = from; at < to; at++) if (!BLANKS.includes(this.#bytes[at] as number)) throw noJson()
  }
}

/** The longest: a `u` and four digits behind the backslash. */
const ESCAPE_BYTES = 6

const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw cause instanceof SyntaxError ? noJson(cause) : cause
  }
}

const noJson = (cause?: Error): SyntaxError => new SyntaxError('The text is not valid JSON', { cause })
