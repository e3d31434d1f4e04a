import { blake2b, invalid, isRawJson, type Json, parseUuid, type Uuid } from '@spanhouse/model'
import { METADATA, type Testcase } from './testcase.ts'

const DIGEST_BYTES = 16
/** Deeper values are rejected: they could exhaust the stack here, in Postgres, or in clients. */
const DEPTH_MAX = 200

/**
 * The id of a row: the first 16 bytes of a native 16-byte BLAKE2b over the testset's id and the row's data in canonical
 * JSON, marked as a UUID of version 5. Equal rows of one testset have one id. Metadata is part of the content if there
 * is any. 400 for data that is nested too deeply.
 */
export function testcaseId(testsetId: Uuid | null, testcase: Testcase): Uuid {
  const text = `${testsetId ?? 'None'}${contentText(testcase)}`
  const bytes = blake2b(Buffer.from(text), DIGEST_BYTES)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return parseUuid(bytes.toString('hex')) as Uuid
}

/** Data with metadata is two values, even if it is empty: metadata alone would be read as data. */
function contentText({ data, ...metadata }: Testcase): string {
  const isBare = METADATA.every(name => metadata[name] === undefined)
  if (!isBare) return `${canonicalJson(data)}${canonicalJson(metadata)}`
  return Object.keys(data).length === 0 ? '' : canonicalJson(data)
}

/** Sorted keys, no whitespace, ASCII only. */
export function canonicalJson(value: Json | undefined, depth = 0): string {
  if (depth > DEPTH_MAX) throw invalid(`testcases: data may be nested at most ${DEPTH_MAX} levels deep`)
  if (typeof value === 'string') return asciiText(value)
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null || isRawJson(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map(name => `${asciiText(name)}:${canonicalJson(value[name], depth + 1)}`).join(',')}}`
}

const asciiText = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
