import { isUtf8 } from 'node:buffer'
import {
  invalid,
  isJsonObject,
  type Json,
  JsonBoundError,
  type JsonBounds,
  Problem,
  parseJsonInTurns,
  scanJson,
} from '@spanhouse/model'
import protobuf, { type Writer } from 'protobufjs/minimal.js'
import { type Field, isMessageName, MESSAGES, type MessageName, tagOf, VALUE_DEPTH_MAX } from '../canonical/messages.ts'
import { SCALARS, writeEnum } from './json-scalars.ts'

/**
 * Converts OTLP/JSON (protobuf's JSON mapping with the changes of the OTLP specification: ids in hexadecimal, enums as
 * numbers) to the same export in protobuf. Also accepts field names in snake_case, enums by name, ids in every form
 * that the interface accepts, and unknown fields (ignored). Integers of any size stay exact, quoted or not.
 *
 * A value of the wrong type is a Problem `invalid` that names its path. An id or enum of the right type that is not
 * valid is encoded as something that the scan rejects, so that only its own span is lost. An object with members but no
 * `resourceSpans` is not an export: `invalid` too.
 */
export function encodeTraces(json: Json): Uint8Array {
  refuseOtherObject(json)
  const writer = protobuf.Writer.create()
  writeMessage(writer, 'TracesData', json, [])
  return writer.finish()
}

function refuseOtherObject(json: Json): void {
  if (!isJsonObject(json)) return
  const names = Object.keys(json)
  if (names.length === 0 || names.some(name => FIELDS.TracesData.has(name))) return
  throw invalid('The body has no resourceSpans: send an ExportTraceServiceRequest of OTLP/JSON')
}

export interface JsonReading {
  bounds: JsonBounds
  /** Called with the number of values before any is created. */
  onValues(values: number): void
}

/**
 * Parses the JSON of an export, for {@link encodeTraces}. Rejects with a Problem: `invalid` if it is not valid JSON,
 * nested too deeply or has a number with too many digits, `too_large` if it has too many values. Gives other work
 * turns.
 */
export async function readTracesJson(bytes: Buffer, { bounds, onValues }: JsonReading): Promise<Json> {
  // Half characters become U+FFFD, as everywhere in OTLP.
  const whole = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString())
  const text = whole.indexOf(BYTE_ORDER_MARK) === 0 ? whole.subarray(BYTE_ORDER_MARK.length) : whole
  try {
    const values = await scanJson(text, bounds)
    if (values === 0) return {}
    onValues(values)
    return await parseJsonInTurns(text)
  } catch (error) {
    if (error instanceof JsonBoundError)
      throw error.bound === 'valuesMax' ? new Problem('too_large', error.message) : invalid(error.message)
    if (error instanceof RangeError) throw invalid('The JSON is nested too deeply')
    throw error instanceof SyntaxError ? invalid(`The body is not JSON: ${error.message}`) : error
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** The location of a value, for error messages. */
type Path = (string | number)[]

/**
 * Longer than the path to any value that the scan accepts (four steps per level): deeper values need not be written.
 */
const PATH_LENGTH_MAX = 5 * VALUE_DEPTH_MAX

function writeMessage(writer: Writer, name: MessageName, value: Json, path: Path): void {
  if (!isJsonObject(value)) throw wrongType(path, 'an object')
  const fields = FIELDS[name]
  for (const key of Object.keys(value)) {
    const field = fields.get(key)
    const content = value[key] as Json
    if (!field || content === null) continue
    path.push(key)
    if (field.isRepeated) writeRepeated(writer, field, content, path)
    else writeField(writer, field, content, path)
    path.pop()
  }
}

function writeRepeated(writer: Writer, field: Field, values: Json, path: Path): void {
  if (!Array.isArray(values)) throw wrongType(path, 'a list')
  for (const [index, value] of values.entries()) {
    path.push(index)
    writeField(writer, field, value, path)
    path.pop()
  }
}

function writeField(writer: Writer, field: Field, value: Json, path: Path): void {
  writer.uint32(tagOf(field))
  const { type } = field
  if (isMessageName(type)) {
    writer.fork()
    if (path.length < PATH_LENGTH_MAX) writeMessage(writer, type, value, path)
    writer.ldelim()
  } else if (typeof type === 'string') {
    const { expected, write } = SCALARS[type]
    if (!write(writer, value)) throw wrongType(path, expected)
  } else if (!writeEnum(writer, type, value)) throw wrongType(path, 'a number or name of the enum')
}

const wrongType = (path: Path, expected: string): Problem => {
  const place = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return invalid(`${place.slice(1) || 'The body'} must be ${expected}`)
}

/** The fields of each message under their names in camelCase and in snake_case. */
const FIELDS = Object.fromEntries(
  Object.entries(MESSAGES).map(([name, fields]) => [name, fieldsByName(fields)]),
) as Record<MessageName, ReadonlyMap<string, Field>>

function fieldsByName(fields: Record<string, Field>): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => [
      [name, field],
      [name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), field],
    ]),
  )
}
