import { isRawJson, type Json, parseSpanId, parseTraceId } from '@spanhouse/model'
import type { Writer } from 'protobufjs/minimal.js'
import type { EnumNames, Scalar } from '../canonical/messages.ts'

/** The OTLP/JSON format of a scalar type. `write` writes the value after its tag, or returns false for a wrong type. */
interface ScalarFormat {
  expected: string
  write(writer: Writer, value: Json): boolean
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const UINT64 = { min: 0n, max: 2n ** 64n - 1n }
const UINT32 = { min: 0n, max: 2n ** 32n - 1n }

export const SCALARS: Readonly<Record<Scalar, ScalarFormat>> = {
  string: {
    expected: 'a string',
    // The writer makes three bytes of half a character, each of which would be read as U+FFFD.
    write: (writer, value) => typeof value === 'string' && Boolean(writer.string(value.toWellFormed())),
  },
  bool: {
    expected: 'true or false',
    write: (writer, value) => typeof value === 'boolean' && Boolean(writer.bool(value)),
  },
  int64: {
    expected: 'a 64-bit integer, as a number or in quotes',
    write: (writer, value) => withInteger(value, INT64, integer => writer.int64(integer.toString())),
  },
  fixed64: {
    expected: 'an unsigned 64-bit integer, as a number or in quotes',
    write: (writer, value) =>
      withInteger(value, UINT64, integer =>
        writer.fixed32(Number(integer & 0xffff_ffffn)).fixed32(Number(integer >> 32n)),
      ),
  },
  uint32: {
    expected: 'an unsigned 32-bit integer',
    write: (writer, value) => withInteger(value, UINT32, integer => writer.uint32(Number(integer))),
  },
  fixed32: {
    expected: 'an unsigned 32-bit integer',
    write: (writer, value) => withInteger(value, UINT32, integer => writer.fixed32(Number(integer))),
  },
  double: { expected: 'a number', write: writeDouble },
  bytes: {
    expected: 'base64 text',
    write: (writer, value) =>
      typeof value === 'string' && BASE64.test(value) && Boolean(writer.bytes(Buffer.from(value, 'base64'))),
  },
  traceId: { expected: 'hexadecimal text', write: (writer, value) => writeId(writer, value, TRACE_ID) },
  spanId: { expected: 'hexadecimal text', write: (writer, value) => writeId(writer, value, SPAN_ID) },
}

/** In the standard or the URL-safe alphabet; padding may be missing. */
const BASE64 = /^[\w+/-]*={0,2}$/
const INTEGER = /^-?\d{1,20}$/

function withInteger(value: Json, range: { min: bigint; max: bigint }, write: (integer: bigint) => void): boolean {
  const integer = integerOf(value)
  if (integer === undefined || integer < range.min || integer > range.max) return false
  write(integer)
  return true
}

function integerOf(value: Json): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  const digits = isRawJson(value) ? value.rawJSON : value
  return typeof digits === 'string' && INTEGER.test(digits) ? BigInt(digits) : undefined
}

/** The names in protobuf's JSON mapping for the doubles that JSON lacks. */
const NAMED_DOUBLES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}
const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

function writeDouble(writer: Writer, value: Json): boolean {
  const text = isRawJson(value) ? value.rawJSON : value
  const number = typeof text === 'string' ? (NAMED_DOUBLES[text] ?? (DECIMAL.test(text) ? Number(text) : null)) : text
  return typeof number === 'number' && Boolean(writer.double(number))
}

const ABSENT_ID = /^0*$/
const BYTES_IN_HEX = /^([0-9a-f]{2})+$/i

interface IdFormat {
  bytes: number
  parse(text: string): string | null
}

const TRACE_ID: IdFormat = { bytes: 16, parse: parseTraceId }
const SPAN_ID: IdFormat = { bytes: 8, parse: parseSpanId }

function writeId(writer: Writer, value: Json, format: IdFormat): boolean {
  if (typeof value !== 'string') return false
  const id = format.parse(value)
  writer.bytes(id === null ? malformedId(value, format) : Buffer.from(id, 'hex'))
  return true
}

/** What was sent instead of an id, never with the length of an id: its reader keeps it, but not as an id. */
function malformedId(text: string, { bytes }: IdFormat): Buffer {
  if (ABSENT_ID.test(text)) return Buffer.alloc(0)
  const sent = Buffer.from(text, BYTES_IN_HEX.test(text) ? 'hex' : 'utf8')
  return sent.length === bytes ? Buffer.concat([sent, Buffer.alloc(1)]) : sent
}

/** No enum has this number. */
const NO_NUMBER = 0x7fff_ffff

/**
 * Writes an enum by number or name; an unknown one becomes a number that is not in the enum. False for a wrong type.
 */
export function writeEnum(writer: Writer, names: EnumNames, value: Json): boolean {
  const number = typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : names.indexOf(value)) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) return false
  writer.uint32(number in names ? number : NO_NUMBER)
  return true
}
