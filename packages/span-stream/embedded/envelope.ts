import { parseUuid } from '@spanhouse/model'
import { MESSAGE_FORMATS, type SpanMessage } from '../span-stream.ts'

/**
 * The stored part of a message besides its body, little-endian:
 *
 *     0  u8   version, 1            8  f64  accepted_at      20  16 bytes  project_id
 *     1  u8   format               16  u32  bytes of body    36  16 bytes  user_id
 *     2  u16  partition                                      52  the rest  id, ASCII
 *     4  u32  span_count
 *
 * The body is stored separately, so that it is written from the caller's bytes without copying, and so that planning a
 * batch reads no body.
 */
const VERSION = 1
const FIXED_BYTES = 52

/** A message without its body, and the body's size. */
export type Envelope = Omit<SpanMessage, 'body'> & { bodyBytes: number }

export function encodeEnvelope(message: SpanMessage): Buffer {
  const bytes = Buffer.allocUnsafe(FIXED_BYTES + message.id.length)
  bytes.writeUInt8(VERSION, 0)
  bytes.writeUInt8(MESSAGE_FORMATS.indexOf(message.format), 1)
  bytes.writeUInt16LE(message.partition, 2)
  bytes.writeUInt32LE(message.span_count, 4)
  bytes.writeDoubleLE(message.accepted_at, 8)
  bytes.writeUInt32LE(message.body.length, 16)
  writeUuid(bytes, message.project_id, 20)
  writeUuid(bytes, message.user_id, 36)
  bytes.write(message.id, FIXED_BYTES, 'latin1')
  return bytes
}

/** Throws on bytes not written by `encodeEnvelope` of this version. */
export function decodeEnvelope(bytes: Buffer): Envelope {
  const format = bytes.length > FIXED_BYTES ? MESSAGE_FORMATS[bytes.readUInt8(1)] : undefined
  if (format === undefined || bytes.readUInt8(0) !== VERSION)
    throw new Error('The value is not the envelope of a span message')
  return {
    id: bytes.toString('latin1', FIXED_BYTES),
    partition: bytes.readUInt16LE(2),
    project_id: readUuid(bytes, 20),
    user_id: readUuid(bytes, 36),
    accepted_at: bytes.readDoubleLE(8),
    span_count: bytes.readUInt32LE(4),
    format,
    bodyBytes: bytes.readUInt32LE(16),
  }
}

/** The size of a message: its envelope and its body. */
export const storedBytes = (id: string, bodyBytes: number): number => FIXED_BYTES + id.length + bodyBytes

function writeUuid(bytes: Buffer, uuid: string, at: number): void {
  bytes.write(uuid.replaceAll('-', ''), at, 'hex')
}

const readUuid = (bytes: Buffer, at: number): string => parseUuid(bytes.toString('hex', at, at + 16)) as string
