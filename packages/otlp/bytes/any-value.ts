import { isUtf8 } from 'node:buffer'
import { invalid, type Json, type JsonObject, type Problem } from '@spanhouse/model'
import { tagsOf, VALUE_DEPTH_MAX } from '../canonical/messages.ts'
import type { WireReader } from './wire-reader.ts'

const PAIR = tagsOf('KeyValue')
const VALUE = tagsOf('AnyValue')
const LIST = tagsOf('ArrayValue')
const PAIRS = tagsOf('KeyValueList')

/** The bytes do not have the expected form. Cannot happen for bytes that the scan accepted. */
export const malformed = (what: string): Problem => invalid(`Malformed protobuf: ${what}`)

/** Reads a `KeyValue` up to `end` into `pairs`. `depth` is the number of values around it. */
export function readPair(reader: WireReader, end: number, depth: number, pairs: Map<string, Json>): void {
  let key = ''
  let value: Json = null
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === PAIR.key) key = reader.name(reader.delimited(end))
    else if (tag === PAIR.value) value = readValue(reader, reader.delimited(end), depth + 1)
    else reader.skip(tag, end)
  }
  if (reader.pos !== end) throw malformed('KeyValue')
  pairs.set(key, value)
}

/**
 * Reads an `AnyValue` up to `end`. Lists and objects nest. Bytes are text if they are UTF-8, otherwise base64. Integers
 * of any size stay exact; the doubles that JSON lacks are the strings `NaN`, `Infinity` and `-Infinity`, as in
 * protobuf's JSON mapping. An absent value is null. Of several values the last one is used.
 */
function readValue(reader: WireReader, end: number, depth: number): Json {
  if (depth > VALUE_DEPTH_MAX) throw malformed('a value is nested too deeply')
  let value: Json = null
  while (reader.pos < end) {
    const tag = reader.tag()
    switch (tag) {
      case VALUE.stringValue:
        value = reader.string(reader.delimited(end))
        break
      case VALUE.boolValue:
        value = reader.bool()
        break
      case VALUE.intValue:
        value = reader.int64()
        break
      case VALUE.doubleValue:
        value = doubleToJson(reader.double())
        break
      case VALUE.arrayValue:
        value = readList(reader, reader.delimited(end), depth)
        break
      case VALUE.kvlistValue:
        value = readObject(reader, reader.delimited(end), depth)
        break
      case VALUE.bytesValue:
        value = bytesToJson(reader.raw(reader.delimited(end)))
        break
      default:
        reader.skip(tag, end)
    }
  }
  if (reader.pos !== end) throw malformed('AnyValue')
  return value
}

function readList(reader: WireReader, end: number, depth: number): Json[] {
  const list: Json[] = []
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === LIST.values) list.push(readValue(reader, reader.delimited(end), depth + 1))
    else reader.skip(tag, end)
  }
  if (reader.pos !== end) throw malformed('ArrayValue')
  return list
}

function readObject(reader: WireReader, end: number, depth: number): JsonObject {
  const pairs = new Map<string, Json>()
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === PAIRS.values) readPair(reader, reader.delimited(end), depth, pairs)
    else reader.skip(tag, end)
  }
  if (reader.pos !== end) throw malformed('KeyValueList')
  // Unlike assignment this treats `__proto__` like any other key.
  return Object.fromEntries(pairs)
}

const doubleToJson = (value: number): Json => (Number.isFinite(value) ? value : String(value))

const bytesToJson = (bytes: Buffer): Json => bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64')
