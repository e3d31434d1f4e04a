import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Exception } from './exception.ts'

const decoders = {
  gzip: createGunzip,
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
  deflate: createInflate,
}

/** The body of a request without its Content-Encoding, as it arrives. A body that breaks off ends in an error. */
export function decodeBody(incoming: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return incoming
  if (!isKnown(encoding)) {
    throw new Exception(89, 'UNKNOWN_COMPRESSION_METHOD', `Unknown compression method: ${encoding}.`)
  }
  // The iteration meets every error; the callback only keeps it from being thrown twice.
  return pipeline(incoming, decoders[encoding](), () => undefined)
}

function isKnown(encoding: string): encoding is keyof typeof decoders {
  return encoding in decoders
}

// Far above what any statement or set of parameters of ours needs.
const textBytesMax = 64 * 2 ** 20

/** The whole of a body that is a statement or its parameters. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of limitBytes(body, textBytesMax)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Passes the chunks on and throws as soon as they exceed the limit. */
export async function* limitBytes(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new Exception(299, 'QUERY_IS_TOO_LARGE', `The request body is larger than ${bytesMax} bytes.`)
    }
    yield chunk
  }
}
