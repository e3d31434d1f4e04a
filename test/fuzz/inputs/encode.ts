import zlib from 'node:zlib'
import type { Random } from './random.ts'

type Coding = 'gzip' | 'deflate' | 'raw deflate' | 'zstd'

/** Fast ones: what is tested is who decompresses. */
const CODINGS: Record<Coding, (bytes: Uint8Array) => Buffer> = {
  gzip: bytes => zlib.gzipSync(bytes, { level: 1 }),
  deflate: bytes => zlib.deflateSync(bytes, { level: 1 }),
  'raw deflate': bytes => zlib.deflateRawSync(bytes, { level: 1 }),
  zstd: bytes => zlib.zstdCompressSync(bytes),
}

export interface Encoded {
  body: Buffer
  headers: Record<string, string>
}

const nameOf = (coding: Coding): string => (coding === 'raw deflate' ? 'deflate' : coding)

/** The same memory: copying 200 MB of zeros takes longer than compressing them. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

/** In as many layers as there are codings, the first applied first. */
export function encoded(bytes: Uint8Array | string, ...codings: Coding[]): Encoded {
  const plain = typeof bytes === 'string' ? Buffer.from(bytes) : asBuffer(bytes)
  const body = codings.reduce<Buffer>((layer, coding) => CODINGS[coding](layer), plain)
  return { body, headers: codings.length > 0 ? { 'content-encoding': codings.map(nameOf).join(', ') } : {} }
}

/** In any coding, or none; rarely in several, in one that is broken, or with a header that says something else. */
export function encodedSomehow(bytes: Uint8Array | string, random: Random): Encoded {
  const coding = (): Coding => random.pick(['gzip', 'deflate', 'raw deflate', 'zstd'])
  const kind = random.below(20)
  if (kind < 10) return encoded(bytes)
  if (kind < 15) return encoded(bytes, coding())
  if (kind < 17) return encoded(bytes, ...Array.from({ length: random.between(2, 4) }, coding))
  const { body } = encoded(bytes, coding())
  if (kind === 17)
    return { body: body.subarray(0, random.below(body.length)), headers: { 'content-encoding': coding() } }
  const name = random.pick([
    'br',
    'identity',
    'x-gzip',
    'gzip, gzip, gzip, gzip',
    'GZIP',
    '*',
    '',
    'compress',
    nameOf(coding()),
  ])
  return { body, headers: { 'content-encoding': name } }
}
