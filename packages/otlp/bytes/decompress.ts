import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { invalid, Problem } from '@spanhouse/model'

type Format = 'gzip' | 'zlib' | 'zstd' | 'deflate'
type Inflate = (body: Uint8Array, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>

const zstd = promisify(zlib.zstdDecompress)

/** RFC 9659: a zstd body in HTTP needs no window larger than 8 MB. Without a limit a few bytes could request 128 MB. */
const ZSTD_OPTIONS = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

const INFLATE: Readonly<Record<Format, Inflate>> = {
  gzip: promisify(zlib.gunzip),
  zlib: promisify(zlib.inflate),
  zstd: (body, options) => zstd(body, { ...options, ...ZSTD_OPTIONS }),
  deflate: promisify(zlib.inflateRaw),
}

/** The first bytes of each format. Raw deflate has no magic number. */
const MAGIC: readonly { format: Format; starts: readonly number[][] }[] = [
  { format: 'gzip', starts: [[0x1f, 0x8b]] },
  {
    format: 'zlib',
    starts: [
      [0x78, 0x01],
      [0x78, 0x5e],
      [0x78, 0x9c],
      [0x78, 0xda],
    ],
  },
  { format: 'zstd', starts: [[0x28, 0xb5, 0x2f, 0xfd]] },
]

const KNOWN_ENCODINGS = ['gzip', 'x-gzip', 'deflate', 'zstd']
const LAYERS_MAX = 3

/**
 * Output is returned in chunks of this size if its total size is unknown; the default of 16 KB is slow for large
 * bodies.
 */
const CHUNK_BYTES = 128 * 1024
/** zlib's default. A body with a claimed size that is too small must not be returned byte by byte. */
const CHUNK_BYTES_MIN = 16 * 1024

/** Header and trailer. */
const GZIP_BYTES_MIN = 18

/** The maximum compression ratio of deflate. */
const RATIO_MAX = 1032

/**
 * Decompresses a request body: gzip, zstd, or deflate (with zlib's header, as specified, or raw, as many senders do
 * it). Senders often name the wrong encoding, so the body's first bytes decide; `contentEncoding` (the header, if any)
 * only gives the maximum number of layers, and whether a body without a magic number may be raw deflate. No trace
 * export and no JSON starts like a compressed body.
 *
 * Runs outside the event loop. Throws a Problem: `too_large` as soon as the body or its output exceeds `bytesMax`,
 * `invalid` if it is broken or its encoding is unknown.
 */
export async function decompress(
  body: Uint8Array,
  contentEncoding: string | undefined,
  { bytesMax }: { bytesMax: number },
): Promise<Uint8Array> {
  const encodings = encodingsOf(contentEncoding)
  let bytes = body
  for (let layer = Math.max(1, encodings.length); layer > 0; layer--) {
    const format = formatOf(bytes)
    if (format) bytes = await inflate(format, bytes, bytesMax)
    else if (encodings.includes('deflate')) bytes = await inflateRawIfItIs(bytes, bytesMax)
  }
  if (bytes.length > bytesMax) throw tooLarge(bytesMax)
  return bytes
}

function encodingsOf(contentEncoding = ''): string[] {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '' && one !== 'identity')
  const unknown = encodings.find(one => !KNOWN_ENCODINGS.includes(one))
  if (unknown !== undefined) throw invalid(`Content-Encoding ${unknown} is not supported: send gzip, deflate or zstd`)
  if (encodings.length > LAYERS_MAX) throw invalid(`Content-Encoding: at most ${LAYERS_MAX} encodings are allowed`)
  return encodings
}

const formatOf = (bytes: Uint8Array): Format | undefined =>
  MAGIC.find(({ starts }) => starts.some(start => start.every((byte, at) => bytes[at] === byte)))?.format

async function inflate(format: Format, bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  try {
    return await INFLATE[format](bytes, { maxOutputLength: bytesMax, chunkSize: chunkBytes(format, bytes, bytesMax) })
  } catch (error) {
    throw isTooLarge(error)
      ? tooLarge(bytesMax)
      : invalid(`The body is not valid ${format}: ${(error as Error).message}`)
  }
}

/**
 * gzip ends with the size of the original data, so all of it can be returned in one chunk that need not be joined. One
 * more byte is requested, because a full chunk makes zlib look for another. A body whose size differs from its claim,
 * or with several members, is returned in a few more chunks.
 */
function chunkBytes(format: Format, bytes: Uint8Array, bytesMax: number): number {
  if (format !== 'gzip' || bytes.length < GZIP_BYTES_MIN) return CHUNK_BYTES
  const { buffer, byteOffset, length } = bytes
  const claimed = new DataView(buffer, byteOffset, length).getUint32(length - 4, true)
  return Math.max(CHUNK_BYTES_MIN, Math.min(claimed, bytesMax, length * RATIO_MAX) + 1)
}

/** A body that claims to be deflate without a known magic number is either raw deflate or not compressed. */
async function inflateRawIfItIs(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  try {
    return await inflate('deflate', bytes, bytesMax)
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid') return bytes
    throw error
  }
}

const isTooLarge = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'

const tooLarge = (bytesMax: number): Problem =>
  new Problem('too_large', `The body is larger than ${bytesMax} bytes, as sent or decompressed`)
