import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decompress } from './decompress.ts'

const TEXT = Buffer.from(JSON.stringify({ text: 'to be or not to be '.repeat(50) }))
const LIMIT = { bytesMax: 1024 * 1024 }

const ENCODED = {
  plain: TEXT,
  gzip: zlib.gzipSync(TEXT),
  'two gzip members': Buffer.concat([zlib.gzipSync(TEXT.subarray(0, 100)), zlib.gzipSync(TEXT.subarray(100))]),
  zlib: zlib.deflateSync(TEXT),
  'zlib, fastest': zlib.deflateSync(TEXT, { level: 1 }),
  'zlib, fast': zlib.deflateSync(TEXT, { level: 5 }),
  'zlib, best': zlib.deflateSync(TEXT, { level: 9 }),
  zstd: zlib.zstdCompressSync(TEXT),
  'raw deflate': zlib.deflateRawSync(TEXT),
  'gzip in gzip': zlib.gzipSync(zlib.gzipSync(TEXT)),
  'gzip in zstd': zlib.zstdCompressSync(zlib.gzipSync(TEXT)),
}

describe('decompress', () => {
  test.each<[keyof typeof ENCODED, string | undefined]>([
    ['plain', undefined],
    ['plain', ''],
    ['plain', 'identity'],
    ['plain', 'gzip'],
    ['plain', 'deflate'],
    ['plain', 'zstd'],
    ['gzip', 'gzip'],
    ['gzip', 'x-gzip'],
    ['gzip', 'GZIP'],
    ['gzip', undefined],
    ['gzip', 'identity'],
    ['gzip', 'deflate'],
    ['gzip', 'zstd'],
    ['gzip', 'gzip, identity'],
    ['gzip', 'identity,gzip'],
    ['gzip', 'gzip, gzip'],
    ['two gzip members', 'gzip'],
    ['zlib', 'deflate'],
    ['zlib', undefined],
    ['zlib', 'gzip'],
    ['zlib, fastest', undefined],
    ['zlib, fast', undefined],
    ['zlib, best', undefined],
    ['raw deflate', 'deflate'],
    ['zstd', 'zstd'],
    ['zstd', undefined],
    ['zstd', 'gzip'],
    ['gzip in gzip', 'gzip, gzip'],
    ['gzip in zstd', 'gzip, zstd'],
  ])('%s, declared as %s', async (encoded, header) => {
    expect(Buffer.from(await decompress(ENCODED[encoded], header, LIMIT)).equals(TEXT)).toBe(true)
  })

  test('an empty body stays empty, whatever is declared', async () => {
    for (const header of [undefined, 'gzip', 'deflate', 'zstd'])
      expect((await decompress(Buffer.alloc(0), header, LIMIT)).length).toBe(0)
  })

  test.each([
    ['br', 'Content-Encoding br is not supported'],
    ['gzip, br', 'Content-Encoding br is not supported'],
    ['__proto__', 'Content-Encoding __proto__ is not supported'],
    ['gzip, gzip, gzip, gzip', 'at most 3 encodings'],
  ])('Content-Encoding %s is refused', async (header, message) => {
    await expect(decompress(TEXT, header, LIMIT)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(message),
    })
  })

  test.each(['gzip', 'zlib', 'zstd'] as const)('broken or cut off %s is refused', async encoded => {
    const bytes = ENCODED[encoded]
    const broken = Buffer.from(bytes)
    broken.fill(0xff, Math.floor(bytes.length / 2))
    for (const body of [bytes.subarray(0, bytes.length - 5), broken])
      await expect(decompress(body, undefined, LIMIT)).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining(`not valid ${encoded}`),
      })
  })

  test.each([
    ['gzip', zlib.gzipSync],
    ['zlib', zlib.deflateSync],
    ['zstd', zlib.zstdCompressSync],
    ['raw deflate', zlib.deflateRawSync],
  ] as const)('a bomb in %s is refused at the limit', async (encoded, compress) => {
    const bomb = compress(Buffer.alloc(200 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(250 * 1024)
    const before = process.memoryUsage().rss
    await expect(decompress(bomb, encoded === 'raw deflate' ? 'deflate' : undefined, LIMIT)).rejects.toMatchObject({
      code: 'too_large',
      status: 413,
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  test.each([0, 1, 3_000, 2 ** 20, 2 ** 32 - 1])('gzip that claims to be of %i bytes is what it is', async claimed => {
    const body = zlib.gzipSync(Buffer.alloc(100_000, 'to be or not '))
    const bytes = await decompress(body, 'gzip', LIMIT)
    expect(bytes.length).toBe(100_000)
    body.writeUInt32LE(claimed, body.length - 4)
    await expect(decompress(body, 'gzip', LIMIT)).rejects.toMatchObject({ code: 'invalid' })
    const member = zlib.gzipSync(Buffer.alloc(claimed % 4_096))
    expect((await decompress(Buffer.concat([zlib.gzipSync(bytes), member]), 'gzip', LIMIT)).length).toBe(
      100_000 + (claimed % 4_096),
    )
  })

  test('a body within the limit passes, one byte more does not', async () => {
    const exact = { bytesMax: TEXT.length }
    expect((await decompress(TEXT, undefined, exact)).length).toBe(TEXT.length)
    expect((await decompress(ENCODED.gzip, undefined, exact)).length).toBe(TEXT.length)
    const less = { bytesMax: TEXT.length - 1 }
    for (const body of [TEXT, ENCODED.gzip])
      await expect(decompress(body, undefined, less)).rejects.toMatchObject({ code: 'too_large' })
  })
})
