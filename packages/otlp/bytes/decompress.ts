import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { invalid, Problem } from '@spanhouse/model'

type Format = 'gzip' | 'zlib' | 'zstd' | 'deflate'
type Inflate = (body: Uint8Array, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>

const zstd = promisify(zlib.zstdDecompress)

/**
 * RFC 9659: a zstd body in HTTP needs no window larger than 8 MB. Without a limit a few bytes could ask for 128 MB.
 */
const ZSTD_OPTIONS = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

const INFLATE: Readonly<Record<Format, Inflate>> = {
  gzip: promisify(zlib.gunzip),
  zlib: promisify(zlib.inflate),
  zstd: (body, options) => zstd(body, { ...options, ...ZSTD_OPTIONS }),
  deflate: promisify(zlib.inflateRaw),
}

/** What each format's first bytes are. Raw deflate has none. */
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

/** Output is handed over in pieces of this size where its own is not known; the default of 16 KB makes large bodies slow. */
const CHUNK_BYTES = 128 * 1024
/** As zlib's own. Whoever claims less than a body has must not have it handed over byte by byte. */
const CHUNK_BYTES_MIN = 16 * 1024

/** Header and trailer. */
const GZIP_BYTES_MIN = 18

/** Deflate cannot make more of a byte than this. */
const RATIO_MAX = 1032

/**
 * A request body without its compression: gzip, zstd, deflate (with zlib's header, as the specification has it, or
 * raw, as many senders have it). Senders are wrong about their encoding often enough that the body's first bytes
 * decide, and `contentEncoding` (the header, if there is one) only says how many layers there may be and whether a
 * body without known first bytes may be raw deflate. No trace export and no JSON starts like a compressed body.
 *
 * Runs outside the event loop. Throws a Problem: `too_large` as soon as the body or what comes out of it exceeds
 * `bytesMax`, `invalid` when it is broken or its encoding unknown.
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
  if (encodings.length > LAYERS_MAX) throw invalid(`The body is encoded more than ${LAYERS_MAX} times`)
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
 * gzip ends with the size of what was compressed: all of it then comes in one piece that is nowhere joined to others. One
 * byte of room is left, since a full piece makes zlib look for a next one. A body of another size than it claims, or of
 * several members, comes in some more pieces.
 */
function chunkBytes(format: Format, bytes: Uint8Array, bytesMax: number): number {
  if (format !== 'gzip' || bytes.length < GZIP_BYTES_MIN) return CHUNK_BYTES
  const { buffer, byteOffset, length } = bytes
  const claimed = new DataView(buffer, byteOffset, length).getUint32(length - 4, true)
  return Math.max(CHUNK_BYTES_MIN, Math.min(claimed, bytesMax, length * RATIO_MAX) + 1)
}

/** A body that claims to be deflate and has no known start is either raw deflate or not compressed at all. */
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
