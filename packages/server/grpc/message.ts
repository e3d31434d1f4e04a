import { invalid, Problem } from '@spanhouse/model'

/** A message begins with a byte that tells whether it is compressed, and its length as four bytes. */
export const PREFIX_BYTES = 5

const ENCODINGS = ['identity', 'gzip', 'deflate', 'zstd']
/** For the response header `grpc-accept-encoding`. */
export const ACCEPTED_ENCODINGS = ENCODINGS.join(',')

/** A request's message, and its encoding if it is compressed. */
export interface Message {
  body: Buffer
  encoding: string | undefined
}

/**
 * The single message of a unary request (gRPC over HTTP2, "Length-Prefixed-Message"). Throws a Problem: `invalid`
 * unless there is exactly one whole message, `unsupported` for an unknown encoding.
 */
export function messageIn(received: Buffer, encoding = 'identity'): Message {
  if (received.length < PREFIX_BYTES) throw invalid('The request has no message')
  const [flag, length] = [received[0], received.readUInt32BE(1)]
  if (flag !== 0 && flag !== 1) throw invalid(`The message has the compression flag ${flag}: it must be 0 or 1`)
  const body = received.subarray(PREFIX_BYTES)
  if (length !== body.length)
    throw invalid(`The request must have one message: its length is ${length}, and ${body.length} bytes follow`)
  if (flag === 0) return { body, encoding: undefined }
  if (!ENCODINGS.includes(encoding))
    throw new Problem('unsupported', `grpc-encoding ${encoding} is not supported: send ${ENCODINGS.join(', ')}`)
  return { body, encoding }
}

/** The bytes of a response with this message, not compressed. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(PREFIX_BYTES + message.length)
  bytes.writeUInt32BE(message.length, 1)
  bytes.set(message, PREFIX_BYTES)
  return bytes
}
