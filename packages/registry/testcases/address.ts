import { blake2bInTurns, canonicalJson, invalid, type JsonObject, parseUuid, type Uuid } from '@spanhouse/model'
import { METADATA, type Testcase } from './testcase.ts'

const DIGEST_BYTES = 16
/** Deeper values are rejected: they could exhaust the stack here, in Postgres, or in clients. */
const LEVELS_MAX = 200

/** Characters that are hashed before other work gets a turn: a few milliseconds of work. */
const PIECE_LENGTH = 16 * 1024

/**
 * The id of a row: the first 16 bytes of a native 16-byte BLAKE2b over the testset's id and the row's data in canonical
 * JSON, marked as a UUID of version 5. Equal rows of one testset have one id. Metadata is part of the content if there
 * is any. 400 for data that is nested too deeply.
 */
export async function testcaseId(testsetId: Uuid | null, testcase: Testcase): Promise<Uuid> {
  const text = `${testsetId ?? 'None'}${contentText(testcase)}`
  const bytes = await blake2bInTurns(asciiPieces(text), DIGEST_BYTES)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return parseUuid(bytes.toString('hex')) as Uuid
}

/** Data with metadata is two values, even if it is empty: metadata alone would be read as data. */
function contentText({ data, ...metadata }: Testcase): string {
  const isBare = METADATA.every(name => metadata[name] === undefined)
  if (!isBare) return `${canonicalText(data)}${canonicalText(metadata as JsonObject)}`
  return Object.keys(data).length === 0 ? '' : canonicalText(data)
}

function canonicalText(value: JsonObject): string {
  try {
    return canonicalJson(value, LEVELS_MAX)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw invalid(`testcases: data may be nested at most ${LEVELS_MAX} levels deep`)
  }
}

/** A JSON text in ASCII. Each UTF-16 unit is escaped by itself, so the text may be cut anywhere. */
export function* asciiPieces(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) yield asciiBytes(text.slice(at, at + PIECE_LENGTH))
}

const ESCAPE_LENGTH = String.raw`\uFFFF`.length
const HEX_DIGITS = Buffer.from('0123456789abcdef')

function asciiBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(ESCAPE_LENGTH * text.length)
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x20 && unit < 0x7f) bytes[end++] = unit
    else {
      bytes[end++] = 0x5c // A backslash and a "u".
      bytes[end++] = 0x75
      for (let shift = 12; shift >= 0; shift -= 4) bytes[end++] = HEX_DIGITS[(unit >> shift) & 0xf] as number
    }
  }
  return bytes.subarray(0, end)
}
